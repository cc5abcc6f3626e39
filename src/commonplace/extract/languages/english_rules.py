"""The patterns of English for what whole sentences say, tried in order."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

_NP = r"[^,;:?!]{2,90}?"
_END = r"(?=$|[,;:.!?]| because | since | as | so | but | and | – | — | - )"

REMEMBER: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
         r"(?:ok(?:ay)? |so |and |please |pls |also |hey )*(?:.{0,30}\b(?:for the record|on file|in memory|to memory|"
         r"on record|for your (?:notes|records)|just so (?:you|we) (?:know|have it|have that)|so you know|you (?:might|"
         r"may|should|ought to|will) want to (?:note|know|remember|keep in mind)|(?:should|ought to) (?:know|note|"
         r"remember)|(?:be|stay) aware|mark(?: it)? down|log this|for posterity|please (?:store|save|memori[sz]e|"
         r"record)|store this|save this|memori[sz]e(?: this)?|file under \w+|make (?:a )?note|commit this to memory|"
         r"keep this (?:somewhere|for later)))(?:,|:| that| -| –)? (?!you\b|it's ok)(?P<q>(?=.*\b(?:is|are|was|has|"
         r"have|says|runs|opens|closes|signs|follow|follows|goes|needs|lives|expires|costs|starts|ends|means|wants|"
         r"can't|never|only|must|\d+)\b).{8,})")),
    # --- told to keep -----------------------------------------------------------------------------------------------
    ("remember", "", "", "", (
        r"(?:please |pls |kindly |and |just |always )*(?:(?:can|could) you (?:please )?|i(?:'d like|"
        r" want) you to )?(?:remember|note|keep in mind|bear in mind|don'?t forget|do not forget|never forget|"
        r"make a note|take note|make a mental note|write down|write this down|jot down|save this|remember this|"
        r"note to self|mental note|for the record|fyi|fyi for next time|heads[- ]up|for future reference|nota bene|nb|"
        r"n\.b\.|important|reminder|for later|for next time|memo|to remember|(?:it's |it is |it might be )?(?:worth|"
        r"good to|useful to|handy to|important to) (?:remember(?:ing)?|know(?:ing)?|not(?:e|ing)|keep(?:ing)? in mind)|"
        r"one thing to remember|put it on record|put on record|keep a note|file this away|let it be noted|"
        r"just so it's written down|don't let me forget|make sure you remember)(?:,? please| somewhere| for me|"
        r" for later| for next time| this| it down)*(?: that |: | - | – | — |, that |,? (?=(?:the|my|our|i|we|"
        r"[a-z]+'s) .*\b(?:is|are|was|has|have|had|must|needs?|can|can't|cannot|will|closes|opens|starts|goes|am|moved|"
        r"changed|gets?)\b)|, (?=[\w ]{3,30} (?:is|are|has|moved|closes|opens|starts|changed|needs|"
        r"expires) ))(?!you(?:'re|'ve|'ll)?\b|it's (?:ok|all|important)|life|every\b|each\b|progress|everyone|"
        r"everything|we're all|there's always|that\b|to\b|this\b)(?P<q>.{6,})")),
    ("remember", "", "", "", (
        r"(?:please |pls |just )*(?:remember|note|don'?t forget|do not forget|never forget) (?P<q>(?:i|i'm|i've|my|our|"
        r"we|we're|the [\w -]{2,40}? (?:is|are|has|have|needs|must|can|closes|opens|starts))\b.{6,})")),
    ("remember", "plan", "", "", (
        r"(?=.*(?:\bmy\b|\bour\b|\d|day\b|\btomorrow|\btonight|\bweek|\bmonth))(?:please |pls |just )*(?:remember to|"
        r"don'?t forget to|do not forget to|remind me (?:to|about|that)) (?P<v>.{6,})")),
)  # fmt: skip

CORRECTIONS: tuple[RuleRow, ...] = (
    ("correction", "", "", "", (
         r"(?:(?:small |quick )?(?:correction|erratum|amendment|update|rectification)\b[^:]{0,40}|(?:uh|um|er|"
         r"sorry|oops)?,? ?(?:about|re|"
         r"regarding|on) the [\w ]{3,30}|.{0,40}\b(?:was|were|got that|is) (?:wrong|mistaken|outdated|off|"
         r"incorrect)|i (?:mixed|messed) .{3,30}|"
        r"(?:sorry,? )?typo [^,:]{0,20}): ?(?P<q>(?=.*(?:\d| not | instead|, never |\bis\b|\bare\b|\bgo\b)).{6,})")),
    ("correction", "", "", "", (
        r"(?:sorry,? )?(?:typo|my mistake|my bad|mistake|slip)(?: [^,:]{0,20})?[,:] (?P<q>.{6,})")),
    # --- corrections ------------------------------------------------------------------------------------------------
    ("correction", "", "", "", (
        r"(?:(?:no|nope|nah|wait|sorry|oops|whoops|hang on|hold on|correction|scratch that|my mistake|my bad|actually|"
        r"that's wrong|that's not right|that's incorrect|not quite|wrong|small correction|i was wrong|i misspoke|typo|"
        r"erratum|update)\b[^\w]{1,3})+(?:it's actually |actually )?(?P<q>(?:it(?:'s| is| was| should be)|"
        r"that(?:'s| is| was)|"
        r"they're|he's|she's|the |my |our |i |i'm |we |his |her |its |their |[a-z]+'s |[\w .-]{1,40}? (?:is|are|"
        r"was|were) ).{2,})")),
    ("correction", "", "", "", (
        r"(?:actually |sorry |i meant |i mean |make that )?"
        r"(?!it(?:'s|'ll| is| will) (?:going to )?be )"
        r"(?P<q>(?:it's |it is |that's |that is |should be |the |my |our |we |i |he's |she's |her |his |they're "
        r")[^?]{2,90}?(?:,| and|, and) not (?!just|only|even|to\b|right|really|so\b|too|that|sure|at all|me|you|"
        r"necessarily|always|yet|much|quite|very)(?:on |in |at |the |a |an )?(?P<c>[\w:.-]{1,30}(?: \w+)?))$")),
    ("correction", "", "", "", (
        r"(?:i meant|i mean|i should have said|what i meant (?:was|is)|make that|it should (?:be|say|read)) "
        r"(?P<q>.{2,80})$")),
    ("correction", "", "", "", (
        r"(?:scrap|forget|ignore|disregard|strike|never mind) what i (?:said|wrote|told you)[^,:;]{0,40}[,:;] "
        r"(?P<q>.{6,})")),
    ("correction", "", "", "", (
        r"(?P<q>(?:i'm|i am|it's|it is|he's|she's|they're|[\w' -]{2,40}? (?:is|are|was|were)) not (?:an? |the |on "
        r"|in |at |from )?(?P<c>(?!just|only|always|really|necessarily|that|so |too |about)[\w:. -]{1,30}?)(?: "
        r"btw| by the way)?[,;:] (?:rather |it's |i'm |he's |she's |they're |rather |it is |i am ).{2,})")),
    ("correction", "decision", "", "", (
        r"(?:we|i)(?:'ve| have)? (?:changed (?:our|my) minds?|had a change of heart|reconsidered|went back on|"
        r"reversed)\b.{0,60}?[:,;] (?P<q>.{6,})")),
    ("correction", "", "", "", (
        r"(?P<q>.{3,60}? (?:changed|was wrong|is wrong|is outdated|is out of date|has changed|is no longer "
        r"[^,;]{2,40}?)[,;:.] "
        r"(?:it's|it is|the new one is|they're|now|now it's|use|it should be) .{2,})")),
)  # fmt: skip

RULES: tuple[RuleRow, ...] = (
    # --- errors, fixes and dead ends --------------------------------------------------------------------------------
    ("dead_end", "lesson", "", "result", (
        r"(?=.*\b(?:tried|trying|attempt|attempted|switching|bumping|changing|raising|increasing|reinstall\w*|"
        r"restart\w*|reboot\w*|clear\w*|disabl\w*|enabl\w*|upgrad\w*|downgrad\w*|\w{4,}ing the|setting|adding|removing|"
        r"rolling back|rebuilding|mocking|using|moving|replacing|pinning|swapping|turning|deleting|updating|running|"
        r"went with)\b)(?P<e>.*?)(?P<v>\b(?:(?:did|does|do)(?:n't| not)(?: really| even)? (?:help|work|fix|solve|"
        r"change|make (?:a|any)|resolve|do anything|do the trick)|no difference|no luck|no effect|no change|"
        r"to no avail|made no difference|changed nothing|nothing changed|didn't help|still (?:fails|failing|failed|"
        r"crashes|crashing|broken|the same|breaks|hangs|happens|getting the|get the|got the|times out)|same (?:error|"
        r"result|problem|issue|crash)|(?:only )?made (?:it|things) worse|without success|wasn't the (?:cause|problem|"
        r"issue)|(?:was|is|were) a dead end|dead end|led nowhere|went nowhere|got us nowhere|was useless|waste of time|"
        r"not the (?:cause|culprit)|isn't the (?:cause|culprit|way)|had no effect|won't work|never worked|failed too|"
        r"not worth it|(?:a )?waste of (?:time|an? \w+|my \w+|effort)|did (?:absolutely |exactly |precisely )?nothing|"
        r"does (?:absolutely )?nothing|just as (?:slow|broken|bad)|(?:is|was|were|are) (?:no help|hopeless|pointless|"
        r"fruitless)|(?:stayed|stays|remained|remains) the same|(?:exact )?same (?:artefacts|artifacts|behaviou?r|"
        r"symptoms|outcome|story)|in vain|couldn't get (?:it|that|them|.{3,30}) to (?:work|run|build|compile)|"
        r"(?:still )?no (?:improvement|joy|dice|go|cigar|better|success)|came to nothing|nope|didn't (?:pan out|stick|"
        r"take|do it)|not an option|broke even more|ran into the same)\b.*)")),
    ("dead_end", "lesson", "", "result", (
        r"(?!i (?:am|feel)|it\b|that\b|this\b|you\b)(?P<e>.{3,80}?)(?P<v>(?:,| was| is| were| turned out to be| "
        r"proved|:) (?:an? |total |complete |another |basically |completely |totally )*(?:dead[- ]end|useless|no "
        r"luck|didn't help|no joy|waste of time|no go|no use|no good|hopeless|blind alley|red herring|wild goose "
        r"chase)\b.*)")),
    ("dead_end", "lesson", "", "result", (
        r"(?:can't|cannot) (?P<e>(?:use|run|install|set|mount|upgrade|deploy|connect|send|override|stream|share|"
        r"cache) .{3,80}?),? (?P<v>(?:because|since|as|the|it|they|there|too) .{4,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?:in the end )?(?:we |i |they )?(?:finally |eventually |have )?(?:gave up|given up|giving up)(?: on)? "
        r"(?P<e>.{3,80}?)(?P<v>(?:[:,;]| because| since| after| as) .*|$)")),
    ("dead_end", "lesson", "", "result", (
        r"(?:you|we|one) (?:can't|cannot|can not) (?!go wrong|wait|imagine|believe|say|tell|be|beat|blame|help|"
        r"always|have it)(?P<e>(?:use|set|run|get|install|mount|mix|combine|call|send|override|access|read|write|"
        r"import|export|deploy|upgrade|downgrade|change|disable|enable|rename|delete|nest|stream|cache|share|"
        r"rely|build|connect|load|sync|patch)\b.{3,80}?), (?P<v>.{4,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?:we |i )(?:gave up on|abandoned|ruled out|backed out of) (?P<e>.{3,80}?)(?P<v> (?:because|since|"
        r"after|as|,).*|$)")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?!.*\bheart)(?!.*\bsee (?:if|whether)\b)(?=.*\b(?:\w*error|errors|fail\w*|crash\w*|segfault\w*|bug|"
        r"exception|timeout|timed out|broke|broken|leak\w*|flak\w+|outage|issue|problem|hang|hung|hanging|panic|"
        r"deadlock|refused|denied|corrupt\w*|missing|wrong|incorrect|stale|mismatch|outdated|expired|oom|out of memory|"
        r"race condition|conflict|bottleneck|incident|regression|warning|4\d\d|5\d\d|"
        r"slow)\b)(?P<e>.*?)\b(?P<v>(?:fixed|solved|resolved|cured|traced (?:it |that )?(?:back )?to|"
        r"tracked (?:it )?down to|boiled down to|comes from|stemmed from|down to|because (?:the|of|it|a|an)|until i|"
        r"once i|once we|sorted|worked around|went away|goes away|disappeared|fixes|solves|resolves|did the trick|"
        r"does the trick|helped|the fix|the solution|the workaround|workaround|root cause|the cause|the culprit|"
        r"the reason|sorts (?:it|that|this)|sorted (?:it|that|this)|cleared it|cures|is gone|are gone|no longer|"
        r"back up|back to normal|works fine|runs fine|turned out|turns out|was due to|is due to|were due to|"
        r"was caused by|is caused by|caused by|came from|was because|happened because|fails because|failed because|"
        r"broke because|crashed because|works (?:again|now|after)|worked after|you need to|had to|needed to|"
        r"stopped after|gone after|got rid of|gets rid of|that's why|which is why|all good|gone since|"
        r"gone now)\b.*)")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?P<e>(?:fixed|solved|resolved|worked around) (?:it|this|that|the [\w -]{3,50}?)) (?P<v>(?:by|with) .{4,})")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?P<v>(?:\w+ing) .{4,100}?) (?:fixed|solved|resolved|cured|got rid of|cleared|eliminated|stopped) "
        r"(?P<e>(?:it|this|that|the .{3,60})).*")),
    ("error_fix", "lesson", "", "lesson", (
        r"(?:lessons? (?:learn(?:ed|t)|of the day)|learned the hard way|note to future self|moral of the story|"
        r"post-?mortem|takeaway|gotcha|pitfall)(?: here)?(?: is| was)?(?: that|:| -| –)+ (?P<v>.{8,})")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?:(?:it )?(?:turned|turns) out to be (?:an? |the )(?=.*(?:issue|bug|problem|mismatch|conflict|typo|"
        r"missing|stale|wrong|old|cache|dns|timeout|race|leak|permission|config)).{4,}|(?:the )?(?:fix|solution|"
        r"workaround|root cause|culprit) (?:was|is|turned out to be)(?: to)? (?P<v>.{6,}))")),
    # --- decisions --------------------------------------------------------------------------------------------------
    ("preference", "preference", "you", "instruction", (
        r"(?:please |pls )?use (?P<v>[\w -]{2,40}, (?:never|not) .{2,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,60}?[,:] |in the end |after all |and |so |as of today |today )?(?:we|i|the team|they|everyone|"
        r"everybody|us|\w+ and i)(?:'ve| have| all| both| finally| just| eventually| now| also|"
        r" ultimately)* (?:decided|agreed|chose|opted|settled|resolved|voted|concluded|committed|picked|"
        r"made the decision|made a decision|ruled)(?: (?:that|to|on|for|against|upon|not to|as a team|together|"
        r"unanimously|with [a-z]+))* (?!whether|if|what|how|yet|anything|some|up\b|with you|it's|that's|them\b|it\b|"
        r"this\b|that\b|you\b|him\b|her\b|not$)(?P<v>.{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:the |our )?(?:board|team|committee|group|council|management|family|company|client|customer|landlord|"
        r"leadership|club|school|majority|steering group|ceo|cto|boss)(?: has| have| had)?(?: all| now| finally|"
        r" just)? (?:decided|approved|agreed|voted|chose|chosen|opted|picked|selected|settled|rejected|signed off|"
        r"ruled|turned down|gone with|went with) (?P<v>.{2,})")),
    ("decision", "decision", "", "decision", (
        r"(?:(?:.{0,50}, )?(?:it's|it is) (?:decided|settled|official)[:,]? (?P<v>.{5,})|(?:we|i)(?:'ve| have)? "
        r"(?:went|gone) (?:with|for) (?P<e>(?!a \w+$|it\b|that\b).{3,}?(?:instead| over | rather| because| since|"
        r" in the end| after all|, not| for the ).*)|"
        r"(?:.{3,60}) (?:it is|it's),? (?:then|decided)|(?:we|i) (?:won't|will not|are not going to|aren't going "
        r"to|will no longer|no longer) (?:renew|use|support|buy|hire|migrate|do|build|ship|take|accept|offer|pay|"
        r"go ahead|extend|maintain|attend|sign|run|deploy) .{3,}|(?:we|i)(?:'ll| will) (?:ship|launch|release|go "
        r"live|do it|manage|build it|proceed) without .{3,}|(?:after .{3,60}?,? )(?:we|i) (?:chose|picked|went "
        r"with|took|opted).{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,50}?, )?(?:we|i)(?:'re|'m| are| am)(?: now| definitely| officially)? (?:going with|sticking with|"
        r"sticking to|switching to|switching from|moving away from|moving off|dropping|ditching|migrating to|"
        r"standardi[sz]ing on|not going with|turning down|scrapping|killing|shelving|postponing|phasing out|skipping|"
        r"cancelling|canceling|moving (?:everything |it |them |all )?to(?!.*\b(?:university|college|school|city|town|"
        r"apartment|flat|house|country|accommodation|my own)\b)|picking|choosing|opting|adopting|rejecting|accepting|"
        r"calling off|splitting|not (?:doing|renewing|using|buying|taking|hiring|migrating|supporting)|"
        r"going to go with|gonna go with|settling on|keeping|retiring|deprecating|replacing) (?P<v>.{3,})")),
    ("decision", "decision", "", "decision", (
        r"(?:we|i)(?:'ll| will) (?:go with|stick with|stick to|use|switch to|standardi[sz]e on|keep|drop|move to) "
        r"(?P<v>.{3,90}?(?:instead| rather than| because| since| from now on| for now| not | over | going "
        r"forward| for the ).*)")),
    ("decision", "decision", "", "decision", (
        r"(?:(?:the )?(?:final )?(?:decision|verdict|agreement|consensus)|decided|agreed)(?: (?:is|was|stands|made|"
        r"reached|today|on \w+))*(?: to|:|; | - | – | that) ?(?P<v>.{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:ok,? |so |right,? |then )*let's (?!keep (?:do|work|mov|push|up|in|on|go))(?:go with|stick with|stick "
        r"to|use|switch to|keep|settle on|drop|"
        r"skip|move to|stay with|do) (?P<v>[^,]{3,80}?(?:instead|rather than|,? not | for the | because| from "
        r"now on| for now|since | over |, .{0,30}(?:isn't|aren't|not worth|too |cheaper|better|simpler)).*)")),
    # --- preferences ------------------------------------------------------------------------------------------------
    ("preference", "preference", "I", "allergy", (
        r"i(?:'m| am)<adv> (?:severely |mildly |badly |highly |lactose |gluten )*(?:allergic|intolerant|"
        r"sensitive)(?: to (?P<v>" + _NP + r"))?" + _END)),
    ("preference", "preference", "I", "allergy", (
        r"i(?:'ve| have)(?: got)? an? (?P<v>[\w -]{2,30}) (?:allergy|intolerance)")),
    ("preference", "preference", "I", "diet", (
        r"i(?:'m| am|'ve been| have been)<adv> (?:an? )?(?:strict |lifelong )?(?P<v>vegan|vegetarian|pescatarian|"
        r"teetotal|gluten[- ]free|lactose intolerant|coeliac|celiac|keto|kosher|halal|a non-?drinker)\b")),
    ("preference", "preference", "I", "intolerant", (
        r"(?P<v>[\w' -]{3,40}?)<adv> (?:makes?|made|gives?|gave) me (?:ill|sick|queasy|hives|a headache|headaches|"
        r"migraines?|a rash|heartburn|nauseous|bloated|itchy|sneeze)\b.*")),
    ("preference", "preference", "I", "dislikes", (
        r"i<adv> (?:hate it when|can't stand it when|love it when|<hate>|hate|dislike|detest|loathe|"
        r"despise)<adv> (?!to (?:say|admit|think|break)|that\b|it\b|this\b|them\b|you\b|when you)(?P<v>.{3,})")),
    ("preference", "preference", "I", "likes", (
        r"i(?:'ve)?<adv> (?:(?:grown|come|learned|learnt) to |(?:have )?always )?(?:love|loved|adore|like|enjoy|"
        r"prefer|favou?r|fancy|dig)<adv> (?!it\b|that\b|this\b|them\b|you\b|your\b|how\b|the idea|to "
        r"(?:hear|see|know|help|come|join|think|say)\b|hearing|seeing (?:you|that)|these\b|those\b|all (?:the|"
        r"of)|the (?:\w+ )*(?:colou?rs?|vibes?|way|view|views|look|photo|pic|picture|painting|design|energy|"
        r"details?|support|thought|sound of|effort|enthusiasm|name|fact)\b|you\b|its\b|what|him\b|her\b|being "
        r"able|my (?:job|kids|family)\b|spending time with (?:you|them)|talking (?:to|with) you|chatting|what\b|"
        r"where\b)(?P<v>.{3,})")),
    ("preference", "preference", "I", "likes", (
        r"i(?:'m| am)<adv> (?:not )?(?:(?:such |quite )?an? )?(?:(?:huge|big|massive|real|total|complete|great|"
        r"hardcore|avid|die-?hard|lifelong|night|morning|early|dog|cat|coffee|tea|beach|mountain|outdoor|people)"
        r" )*(?:fan of|lover|fond of|into|keen on|person|addict|fanatic|partial to|crazy about|obsessed with|"
        r"passionate about|bird|owl|geek|nerd|sucker for)\b(?! (?:you|it|this|that|these|those|them|him|"
        r"her)\b)(?P<v>.*)")),
    ("preference", "preference", "I", "prefers", (
        r"(?:i(?:'d| would)<adv> (?:rather(?! not say)|prefer)|my preference is|i(?:'d| would) always "
        r"choose)(?P<v> .{4,})")),
    ("preference", "preference", "I", "favorite", (
        r"(?:one of )?my(?: all[- ]time)?(?: absolute)?(?: personal)?<adv> (?:favou?rite|fave|go-to|"
        r"preferred)(?P<a> [\w -]{2,40}?)?(?: of all time| ever)? (?:is|are|was|has to be|would be|remains|"
        r"has always been|will always be|have always been)(?P<v> .{2,})")),
    ("preference", "preference", "I", "favorite", (
        r"(?!that|this|it\b|they|these|those)(?P<v>.{2,60}?) (?:is|are)<adv> (?:one of )?my(?: all[- ]time| "
        r"absolute)*(?: favou?rites?| faves?| go-to)(?P<a> (?!too\b|as well)[\w][\w ]{2,40}?)?" + _END)),
    ("preference", "preference", "you", "instruction", (
        r"(?:.{0,40}?[,:] )?(?:from now on|in (?:the )?future|going forward|from here on|by default|as a rule|"
        r"moving forward|henceforth)[, ].{6,}")),
    ("preference", "preference", "you", "instruction", (
        r"(?!.*\b(?:in|from) the (?:end|beginning)\b)(?:please |pls |and |just )*(?:always|never) "
        r"(?P<v>(?:<order>)\b .{3,})")),
    ("preference", "preference", "you", "instruction", (
        r"(?:please |pls |and |kindly )*(?:don'?t|do not|stop|no more|avoid|quit|refrain from)(?: ever)? "
        r"(?P<v>(?:us(?!ed)|writ|add|put|send|includ|call|start|repl|answer|"
        r"commit|push|ask|mention|touch|schedul|book|cc|sign|begin|format|summari[sz]|address|translat|give me|"
        r"speak|talk|explain|message|"
        r"ping|email|apologi[sz]|suggest|recommend|end|wrap|quot|cit|creat|delet|run|deploy|merg|show|mak|open|"
        r"chang|renam)[a-z]* (?!up\b|sure\b|excuses|me wrong|yourself|so\b)(?!.*\b(?:dreams?|yourself)\b).{3,})")),
    ("preference", "preference", "you", "instruction", (
        r"(?:when(?:ever)?|every time|each time|if ever) (?:you|i) .{4,80}?, (?:please |always |never |do not |"
        r"don'?t |only )+(?!hesitate|feel free|let me know|worry|be afraid|reach out)(?P<v>.{4,})|when(?:ever)? "
        r"you (?:\w+ )?(?:show|write|send|give|answer|reply|draft|summari[sz]e|quote|translate|make|create|book|"
        r"schedule|list|explain|commit|push|format|reference|mention|review|generate|suggest|use|add|run|deploy|"
        r"name|touch|edit|cite) .{2,60}, "
        r"(?:skip|use|keep|leave|put|add|include|start|sign|ask|make|write|stick|give|tell|check|show|don't|do|"
        r"avoid|omit|prefer|round|convert|cc|copy) .{3,}")),
    ("preference", "preference", "you", "instruction", (
        r"(?:please |pls )?keep (?:the |your |all |my )?(?:answers?|repl(?:y|ies)|messages?|commit messages?|"
        r"commits?|emails?|mails?|summar(?:y|ies)|reports?|responses?|code|comments?|tone|explanations?|updates?|"
        r"subject lines?|functions?|titles?|texts?|it all|everything|texts?|things) (?P<v>.{3,})")),
    ("preference", "preference", "you", "instruction", (
        r"(?:(?:short|brief|concise|plain|formal|informal|bullet|british|american|simple|longer|detailed|honest|"
        r"blunt) [\w ]{2,30}(?: only| please|, please)+|no (?!one|way|problem|worries|idea|matter|luck|need|"
        r"doubt|more than|longer|thanks|wonder|big|difference|rush|pressure|kidding|joke)(?P<v>[\w -]{3,40} "
        r"(?:in (?:my|the|your)|when|unless|please|before|after|on (?:fridays|weekends|sundays|mondays))\b.*)|i "
        r"(?:don't|do not|never) (?:want|need) (?:to (?:see|get|be|receive)|any) (?P<e>.{4,})|address (?:me|us) "
        r".{4,}|call me (?!later|back|when|crazy|if|tomorrow|old|a|on|at|asap|tonight|now)(?P<a>.{2,}))")),
    ("preference", "preference", "you", "instruction", (
        r"(?:please |pls )(?P<v>(?:use (?!the (?:following|above)|this|these)(?:[\w-]+ ){1,6}(?:instead|rather|"
        r"only|for (?:all|every|the|my)|in|,? not|when|everywhere)|write (?:in|all|every|dates?|numbers?|"
        r"everything)|answer (?:in|me|briefly|with)|reply (?:in|with|to)|keep|address|call (?:me|him|her)|speak|"
        r"respond (?:in|with)|stick to|spell) ?.{2,})")),
    ("preference", "preference", "you", "instruction", (
        r"(?:i(?:'d| would) (?:like|prefer|appreciate|want)|i (?:want|need|prefer|expect))(?: it if)? (?:you to|your|"
        r"all|every|my) (?P<v>.*\b(?:always|never|every time|all|replies|answers|responses|emails|reports|summaries|"
        r"messages|commits?)\b.*)")),
    # --- opinions ---------------------------------------------------------------------------------------------------
    ("opinion", "preference", "I", "thinks", (
        r"(?:(?:and |but |personally,? )?i(?: personally| really| honestly| still| also| strongly| truly| always|"
        r" firmly)? (?:think|believe|reckon|feel that|find|consider|suspect|maintain|would say|guess|hold|(?:'d|"
        r"would) argue)|i'd (?:say|argue)|i'm convinced|i am convinced|in my (?:humble )?(?:opinion|view|book|"
        r"experience)|imo|imho|personally|if you ask me|to my mind|for me|as far as i'm concerned|my take(?: is)?|"
        r"my opinion(?: is)?|the way i see it)(?: that)?[,:]? (?!(?:not\b|i|i'm|i'll|i've|i'd|we'll|we're|we|you|"
        r"you're|you'll|that|that's|it|it's|this|they|he|she|so|maybe|there's|there|what|the same|we've|your|to|in|"
        r"about|out|myself|some|my|really|very|so|myself|him|her|them|time|of|just|these|those|having|all|anything|"
        r"something|someone|if|how|why|where|the (?:first|last) time)\b)(?P<e>.{2,70}?) (?P<v>(?:is|are|was|were|isn't|"
        r"aren't|has|have|beats?|makes?|should|needs?|does|do|doesn't|don't|can|can't|tastes?|looks?|works?|deserves?|"
        r"feels?|will|would|gets?|matters?|helps?|overrated|underrated|too|so|far|much|way|really|very|more|less|"
        r"better|worse|boring|amazing|overly|a bit|pretty|quite)\b.*)")),
    ("opinion", "preference", "I", "thinks", (
        r"i(?: really| personally| honestly| always)? (?:find|found|consider) (?!it\b|that\b|this\b|you\b|them\b|"
        r"myself|out\b|some|any|an? |time)(?P<e>[\w' -]{3,50}?) (?P<v>(?:(?:a bit|quite|very|too|really|so|"
        r"rather|pretty|way too|utterly|deeply) )?(?:\w+(?:ing|ful|less|ous|ive|able|ible|ated|ed|ant|ent)|hard|"
        r"dull|boring|great|awful|terrible|difficult|useful|useless|funny|easy|ugly|rude|cruel|creepy|sad))$")),
    ("opinion", "preference", "I", "thinks", (
        r"(?!that|this|it\b|they|you|what\b|he\b|she\b|here|there|your|i\b|we\b)(?P<e>[\w' -]{3,40}?) "
        r"(?P<v>(?:is|are) (?:just |simply |really |so |a )?(?:terrible|awful|horrible|bloated|clunky|a joke|"
        r"rubbish|garbage|brilliant|excellent|hopeless|dreadful|way too \w+|far too \w+|the (?:best|worst)) "
        r"(?:for|at|when|in|language|tool|editor|way|framework|invention)\b.*)")),
    ("opinion", "preference", "I", "thinks", (
        r"(?!that|this|it\b|they|you|what\b)(?P<e>.{3,60}?) (?P<v>(?:is|are)(?: so| way| really| totally| hugely|"
        r" massively| highly| completely| seriously| pretty)* (?:overrated|underrated|overhyped|overpriced|"
        r"superior to|inferior to|(?:far |much |way )?(?:better|worse|nicer|uglier) than)\b.*)")),
    ("opinion", "preference", "I", "thinks", (
        r"(?!that|this|it\b|they|you|what\b|i\b|i'm\b|we\b)(?P<e>.{3,60}?) (?P<v>(?:is|are|was|were|has|have|"
        r"isn't|aren't|makes?|does|needs?|beats?|should)\b.{4,90}?,? (?:in my (?:book|opinion|view|experience)|"
        r"if you ask me|imo|imho|i'm convinced(?: of it)?|i think|i believe|i reckon|i find|i'd say|to my mind|"
        r"as far as i'm concerned|hands down|for my taste|no question))$")),
    # --- plans, deadlines, promises ----------------------------------------------------------------------------------
    ("commitment", "plan", "I", "promise", (
        r"(?:(?:so |and |but )?i(?:'ve| have)? (?:promised|sworn|vowed|pledged|committed|signed up|"
        r"volunteered)(?: (?:to|myself|that|for))* (?!be more|be there for|stay|keep|do my best)|i (?:promise|"
        r"swear|vow|owe) (?!you one|you big|you'll|it|that it|it's|you (?:a (?:drink|coffee|beer)))|my plan "
        r"(?:is|for .{3,30} is) (?:to )?|the plan (?:is|for .{3,30} is) (?:to )?|"
        r"my goal (?:is|for .{3,30} is) (?:to )?|i(?:'m| am) (?:saving (?:up )?(?:for|to)|on the hook for|"
        r"committed to) )(?P<v>.{6,})")),
    ("commitment", "plan", "", "todo", (
        r"(?:todo|to-do|to do|action item|ai|task|next steps?|pending)\b(?: for \w+| before [^:]{3,30}| by "
        r"[^:]{3,30}| this \w+)?(?::| -| –) (?P<v>.{5,})")),
    ("commitment", "plan", "", "deadline", (
        r"(?=.*(?:<when>|\d))(?!i |i'|we |it |that |he |she )(?:the |our |my )?(?P<e>[\w' &.-]{3,60}?) "
        r"(?P<v>(?:is due|are due|is scheduled|are scheduled|was moved|is moved|got moved|was pushed|got pushed|"
        r"has to be|have to be|must be|needs to be|need to be|should be (?:done|ready|finished|in)|takes place|"
        r"goes live|ships|is on (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day|the \d|\d{1,2}\b(?!\d))|will be (?:on|at|"
        r"held))\b(?=.*<when>).*)")),
    ("commitment", "plan", "", "deadline", (
        r"(?:(?:hard |final |the )?(?:deadline|due date|submission|cut-?off)(?: for (?P<e>.{3,50}?))?(?: is|:| -| "
        r"was moved to| has been) (?P<v>.{3,})|due (?:on|by|in) .{4,})")),
    ("attribute", "procedure", "", "steps", (
        r"(?:(?:in order )?to (?P<e>(?!be honest|me|my|sum|top|make matters|answer|clarify|start with|name|say|"
        r"add|do that|the|all|no|that|each)[a-z]+(?: [^,:]{3,60})?)[:,] (?P<v>(?:you (?:need|have|must|just|"
        r"first|can)|first|merge|tag|wait|bump|hit|log|switch|enable|scan|swipe|run|stop|start|open|click|go|use|"
        r"press|call|hold|type|ssh|set|log|make|install|unplug|turn|export|add|put|copy|delete|remove|send|fill|"
        r"ask|edit|pull|push|restart|take|untar|create|pass|select|choose|connect)\b.{6,})|"
        r"(?:you need (?:an? |the |to be on (?:the )?)?[\w -]{2,30} to (?:reach|access|open|enter|run|deploy|"
        r"build|log|connect|get into|edit|publish|see)\b.{2,}|(?:the (?:way|procedure|process|steps?|trick|"
        r"recipe|routine) (?:to|for|is)|how (?:to|we) .{3,50}:|you (?:get|make|reset|restart|install|deploy|"
        r"start|run|restore|build|release|update|clean|open|enable|disable|trigger|unlock|request|book|renew) "
        r".{3,60} by \w+ing|first .{4,80}(?:,| and)? then |always .{3,60} before \w+ing ).{6,}))")),
)  # fmt: skip
