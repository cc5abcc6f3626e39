"""English families of plain statements: noise to be ignored, then lessons, work, plans, people and tastes."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow
from commonplace.extract.languages.english_families import DAY
from commonplace.extract.languages.english_states import DO, KIN, TECH

NOISE = (
    r"^(?:good luck|congrat|happy (?:birthday|new|anniv)|enjoy\b|have a (?:good|nice|great)|safe travels|get well|"
    r"nothing (?:has|is|was)\b|if (?:only|i|we|it|you (?:ever|were|had))\b|suppos|say (?:a|an|the|you|we)\b|imagine|"
    r"hypothetically|had i |were i |what if|i wish|wish |i'd (?:love|like|have|move|be|go|buy|give|die|"
    r"kill)\b(?! it if you)|i would (?:love|like|have|be)\b|would(?:'ve| have)|i could\b|i(?:'m| am) (?:just |now |"
    r"still |currently )*(?:opening|reading|checking|looking|running|going to (?:check|look|run|read)|starving|waiting|"
    r"trying|heading|thinking|wondering|about to|starting to)\b|(?:let me|let's see|pulling|heading|running (?:late|"
    r"the|ten|a bit|\w+:)|give me a|hold on|brb|omw)\b|guess\b|i guess|i bet|i might|i may\b|maybe|perhaps|might |"
    r"they say|everyone says|everybody|people say|some (?:guy|bloke|man|woman|dude|girl|chloe|kid|lady)\b|somebody|"
    r"someone (?:said|told|asked|from)|a (?:man|guy|woman|developer|friend of a friend|programmer)\b.{0,40}\bwalks? "
    r"into|a friend of a friend|in the (?:film|movie|book|novel|series|show|story|game|episode)\b|(?:he|she|"
    r"they) (?:said|told|asked|says|quoted|kept|shouted)\b|so i (?:told|said|asked)|rumou?r|supposedly|allegedly|"
    r"\[?\d{2}:\d{2}:\d{2}|\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d:?|\[?(?:info|warn(?:ing)?|error|debug|trace|fatal|"
    r"notice)\b ?[\]:\d]|npm |traceback|\s*file \"|(?:compiling|collecting|downloading|downloaded|installing|linking|"
    r"fetching|resolving|cloning|running|building|finished|applying|processing|loading|unpacking|preparing|"
    r"requirement already|using cached|successfully|listening|passed|failed|ok|added|removed|changed|on branch|"
    r"your branch) (?:.*(?:\d|\.\.\.|==|::|://))|\w*(?:error|exception): |e: |[✔✓✗✘×>$#]|(?:ha|lol|haha)\b)|"
    r"\bas everyone knows\b|\bwho knows\b|\bor something like that\b|\bi could have sworn\b|\bwas this close to\b|"
    r"\bif memory serves\b|==|::\w|^\w+=|\d+ (?:files? changed|passed|failed|passing|packages?|insertions|deletions|"
    r"warnings|modules)\b|\bexit(?:ed)? (?:code|with \w+) \d+$|\b\d+(?:\.\d+)?m?s\)?$|\bforget (?:that|it)$|"
    r"\bi was going to\b|\bsmash it\b|\bright now\b(?!.*\d{4})|\bfeeling a bit\b|\bsays the server\b"
)

_HAVE_NO = r"(?!it\b|that\b|this\b|you\b|them\b|him\b|her\b|so\b|too\b|very\b|really\b)"
RELEASE = (
    r"(?:beta|alpha|roadmap|backlog|codebase|budget|rollout|pilot|scope|docs|testers|contributors|milestone|"
    r"phase|steering|kick-?off|v\d|mvp|maintainers?|sprint|funding|designer|product owner|bugs|timeline|"
    r"launch)"
)
_WORK = (
    r"(?:(?:new |all |any |every |our |the |incoming |urgent |internal |external |bigger |small )*(?:starters?|hires?|"
    r"joiners?|expenses?|tickets?|invoices?|requests?|orders?|refunds?|releases?|deploy(?:s|ments?|ing)|pull requests?|"
    r"prs?|merge requests?|complaints?|returns?|bugs?|incidents?|(?:holiday|leave|vacation|access|purchase|feature|"
    r"change|support) requests?|applications?|contracts?|visitors?|parcels?|customers?|quotes?|changes|reviews?|"
    r"hotfix(?:es)?|translations?|samples?|shipments?|bookings?|receipts?|timesheets?|mails?|documents?|drafts?|"
    r"backups?|credentials|passwords|keys|secrets|migrations?|schema changes|licen[cs]es?|packages|deliveries|offers?|"
    r"payments?|claims?|releasing|onboarding|sourdough|bread|dough|feedback|specs?|designs?|posts?|articles?|"
    r"newsletters?))(?: (?:above|over|under|from|to|for|of|with|in) [\w' ]{1,30})?"
)
_HUMAN = (
    r"(?:drinks|eats|smokes|speaks|hates|loves|likes|prefers|enjoys|can't stand|dislikes|plays|teaches|studies|lives|"
    r"works|drives|sings|cooks|collects|paints|volunteers|owns|commutes|coaches|breeds|practi[sc]es?|trains|has (?:a|"
    r"an|two|three|four|type|asthma|diabetes|celiac|coeliac|epilepsy|twins)|wears|is (?:allergic|vegan|vegetarian|from|"
    r"married|divorced|engaged|pregnant|retired|deaf|blind|colou?r-?blind|left-handed|diabetic|dyslexic|afraid|scared|"
    r"fluent|based|in charge|responsible|the one to|the (?:person|only|new|best person|right person)|\d{1,2}\b|half |"
    r"originally|lactose|celiac|coeliac|gluten|bilingual|a (?:vegan|vegetarian|retired|trained|qualified|certified|"
    r"freelance|native|nurse|teacher|doctor|lawyer|vet|chef|baker|painter|carpenter|plumber|musician|student|widow|"
    r"pilot|translator|programmer|developer|designer|engineer|dentist|midwife|paramedic|photographer|morning person|"
    r"night owl)|an? [\w-]+(?:ist|er|or|ian|eer|ant|man|woman|smith|graph) (?:at|in|for|with|by)|(?:\w+)(?:ish|ese|ian|"
    r"ean|dutch|swiss|french|greek|thai|german|iraqi|pakistani|czech))|doesn't (?:drink|eat|smoke|drive|like|speak|"
    r"work|use|take|want|do|have)|takes? (?:sugar|milk|no|insulin)|knows|handles|looks after|runs (?:a|an|the|his|her|"
    r"our|their)|manages|leads|heads|signs|approves|goes by|turns \d|can't (?:eat|have|drink|swim|drive|do))"
)
_BIRD = r"[A-Z][\w’'-]*(?<!['’]s)"
_NOT = (
    r"(?!(?:I|We|You|He|She|It|They|That|This|These|Those|There|Here|What|Who|When|Where|How|Why|The|Our|My|"
    r"Your|A|An|And|But|So|If|No|Not|Just|Only|All|Some|Any|Every|Each|Please|Everyone|Nobody|Someone|Then|"
    r"Now|Also|Today|Tomorrow|Python|Node|Java|Postgres|CI|Redis|Docker|Grafana|Kafka|Kubernetes|Linux|Ubuntu|"
    r"Windows|Prod|Staging|Let|Never|Always|Don|Did|Does|Is|Are|Was)\b)"
)

PLAIN: tuple[RuleRow, ...] = (
    # --- what stands before the rest ---
    ("decision", "decision", "", "decision",
         r"it(?:'s|'ll| is| will) (?:going to )?be (?P<v>[\w .-]{2,40}, not .{2,})"),
    ("decision", "decision", "", "decision", (
        r"(?:we |i )?(?:kept|took|bought|chose|sold|dropped|picked) the [\w -]{2,30},? (?:and |but )?"
        r"(?:kept|took|sold|left|dropped|returned|bought|sent back|skipped) (?P<v>the .{2,})")),
    ("preference", "preference", "I", "likes", (
         r"i(?:'d| would) sooner (?P<v>.{4,} than .{2,})|(?!it|that|this|they|you)(?P<e>[\w' -]{3,40}) (?:is|"
         r"are) an? (?:\w+ )?(?:no|yes|must|never|no-go|dealbreaker|red flag|turn-?off) for me\b.*|(?!it\b|that\b|"
         r"this\b|they\b|you\b)(?P<a>[\w' -]{3,40}) (?:drains?|exhausts?|bores?|stress(?:es)?|calms?|relax(?:es)?|"
         r"irritates?|annoys?|energi[sz]es?) me\b.*")),
    ("preference", "preference", "you", "instruction", (
         r"(?:please )?(?P<v>(?:show|write|give|print|express|display|list|format|spell|put|use|keep) (?:all |the |"
         r"any )?(?:times?|dates?|prices?|amounts?|numbers?|distances?|temperatures?|sums?|names?|units|weights?|"
         r"figures) (?:in|as|with|without) .{2,})")),
    ("attribute", "procedure", "", "steps", (
         r"(?:nobody|no one|no \w+|nothing) (?P<v>(?:[a-z]+s|gets? \w+|goes \w+|is \w+) .{0,40}?(?:without|"
         r"before|until|unless) .{4,}(?:first|approv\w+|"
        r"sign\w*|pinging|asking|telling|check\w*|review\w*|ticket|ok|okay|backup|test\w*)\b.*)")),
    ("attribute", "procedure", "", "steps", (
         r"(?!i\b|we\b|my\b|it\b|he\b|she\b)(?P<e>(?:the |all |new |every |our )?[\w' -]{3,40}) (?P<v>(?:gets?|is|"
         r"are) (?!us|paid)[a-z]+(?:ed|en|nt|wn) (?:every (?:other |second |third )?\w+|twice a \w+|once a \w+|"
         r"by [a-z]+ (?:within|before|after|every|on)|first thing|before \w+ing|after every)\b.*)")),
    ("commitment", "plan", "I", "plan", (
         rf"(?=.*{DAY})(?!.*\b(?:every|last|ago|yesterday|since|usually|days|was|were|feeling|looking "
         rf"forward)\b)i(?:'m| am) (?P<v>[a-z]+ing (?!it\b|that\b|a lot).{{6,}})")),
    ("commitment", "plan", "", "appointment", (
         rf"(?!.*\b(?:birthday|anniversary|every|port)\b)(?:my|our|the|[\w]+'s?) (?P<e>[\w' -]{{3,40}}) "
         rf"(?P<v>(?:is|are) (?:on|at|by|due|set for|booked for) (?:on )?(?=.{{0,12}}{DAY}).*)")),
    ("event", "event", "", "", (
         r"(?:(?:i|we|my [\w-]+(?: \w+)?)(?:'ve| have| has)? )?(?:just |finally |recently )*(?P<v>(?:got|was|"
         r"were|been|be) (?:made redundant|laid off|let go|"
         r"fired|sacked|promoted|burgled|robbed|mugged|evicted|accepted|admitted|knighted|elected|headhunted|"
         r"diagnosed)\b.*|had (?:a|the|our) (?:\w+ )?(?:girl|"
        r"boy|baby|son|daughter|stroke|heart attack|miscarriage|operation|car crash|fall)\b.*|said yes\b.*)")),
    ("attribute", "person", "", "", (
         r"(?:her|his|their) (?P<a>maiden name|birthday|(?:phone |mobile |office )?number|e-?mail(?: address)?|"
         r"surname|last name|middle name|"
        r"pronouns|address|nickname|job|office|native language) (?P<v>(?:is|was|are) .{2,})")),
    ("attribute", "person", "name", "", (
         rf"{_NOT}(?P<e>{_BIRD}(?: [A-Z][\w-]+)?)(?P<v> (?:can be reached|is reachable|sits (?:in|on|next|"
         r"opposite)|covers (?:the|for)|reports to|is off on|"
         r"is on (?:parental|maternity|paternity|sick) leave|only works|works part|is our (?!best|new|main|"
         r"only)[a-z]).*)")),
    # --- lessons ---
    ("error_fix", "lesson", "", "fixed by",
         (r"(?:if|when(?:ever)?) .{0,60}\b(?:complains?|fails?|crash(?:es)?|hangs?|breaks?|won't \w+|refuses?|"
         r"times? out|stalls?|freezes?|errors?(?: out)?|chokes?|throws|doesn't (?:start|boot|load|connect|work|"
         r"respond)|goes (?:black|blank|down)|gets stuck|jams?|shows? up (?:empty|blank|garbled))\b[^,]{0,60}, "
         r"(?P<v>.{6,})")),
    ("error_fix", "lesson", "", "fixed by",
         rf"(?P<e>[^?]{{6,70}})\? (?P<v>(?:you (?:need|have) to |just |try |first )?{DO}\b.{{4,}})"),
    ("error_fix", "lesson", "", "fixed by",
         (r"(?!it\b|that\b|this\b|what\b|i\b|i'|we\b|he\b|she\b|they\b|you\b)(?!.*(?:n't|not) (?:yet )?fixed\b)"
         r"(?=.*(?:\b\w+n't\b|\bdied\b|\bdies\b|"
         r"\blanded in\b|\black(?:ed|s)\b|\bignored?s?\b|\bwrong\b|\brott\w+|\bclog\w*|\bempty\b|\bgarbled\b|"
         r"\bblack screen\b|\bexpired\b|\bforgot(?:ten)?\b|\bclash\w*|\bvanish\w*|\bdisappear\w*|\bsquat\w*|"
         r"\bdouble[ds]?\b|\bspam\b))(?P<e>.{8,}?)(?:,|;|\.| -| –| —| so| until| and)(?P<v> .{0,50}\b(?:cured|"
         r"takes? care of|took care of|saved|sorted|all (?:good|delivered|green|quiet|works|fine)|did it|works|"
         r"solves?|solved|fixes|fixed|helps|helped|resolved|does it|quiet since|runs clean|is happy|came back|"
         r"green again|clean now)\b.*)")),
    ("error_fix", "lesson", "", "lesson",
         (r"(?:never again|note to self, never|next time)(?: will (?:i|we))? (?P<v>.{8,}?(?:cost|lost|took|burn|"
         r"because|,).*)|(?:we|i)(?:'ve)? (?:learn(?:ed|t)|found out|discovered|realised|realized|noticed) (?:the "
         r"hard way )?that (?P<e>(?:the|our|a|an|you|it|they|\w+)\b.{10,})|(?P<a>.{10,80}) (?:bit us|bites|cost us "
         r".{3,30}|came back to haunt us)$")),
    ("error_fix", "lesson", "", "cause",
         (
         r"(?!i\b|i'm|my\b|we\b|he\b|she\b)(?=.*(?:wrong|broken|missing|failing|slow|empty|duplicate\w*|\w*errors?|"
         r"crash\w*|spikes?|noise|lag|mismatch|garbled|blank|timeouts?|failures?|leak\w*|4\d\d|"
         r"5\d\d)\b)(?P<e>.{4,80}?)(?P<v>\b(?:came|comes|stemmed?|stems|originated|resulted|results|arose) from .{4,}|"
         r"(?:was|were|is|are) (?:because|caused by|down to|due to|the (?:result|fault) of) .{4,})")),
    ("dead_end", "lesson", "", "result",
         (r"(?:(?:i |we )?(?:turned|swapped|changed|raised|increased|lowered|bumped|replaced|reinstalled|restarted|"
         r"rebooted|cleared|disabled|enabled|upgraded|downgraded|reset|switched|moved|added|removed|doubled|halved|"
         r"pinned|rebuilt|cleaned|reseated|updated|reverted|rolled back|flashed|rewrote|set)\b.{3,}?)(?P<v>(?:,|\.|"
         r";| -| –| —| but| and|:) .{0,40}\b(?:still|keeps?|kept|no change|nothing|same|not better|no better|all "
         r"over again|as before|regardless|anyway|persist\w*|remains?|stays?)\b.*)")),
    ("dead_end", "lesson", "", "result",
         (r"(?P<e>[\w' ,-]{6,70}?) (?P<v>(?:did not|didn't|does not|doesn't|won't|will not|wouldn't) (?:do (?:a "
         r"thing|anything|much|the job)|change (?:a thing|anything)|make a (?:dent|difference)|get (?:us|me) "
         r"(?:anywhere|any closer)|buy (?:us|me) anything|pay off|pan out|fly)\b.*)")),
    ("dead_end", "lesson", "", "result",
         (r"(?:i |we )?(?:went|spent|wasted|burned|sank|tried|looked) .{4,80}(?P<v>\b(?:leads? nowhere|led nowhere|"
         r"for nothing|to no end|nothing to show|got nowhere|no way around|doesn't work|won't work|can't be done|"
         r"not possible|impossible|abandoned|gave up|ran into|came up empty|hopeless|isn't supported|not "
         r"supported)\b.*)")),
    ("dead_end", "lesson", "", "result",
         (r"(?:you|we|one) (?:can't|cannot|can not) (?!go wrong|wait|imagine|believe|say|tell|be\b|beat|blame|help|"
         r"always|have it|make it|come|afford|park|miss|see|all|just|thank|really)[a-z]+ .{6,80}?(?:,| -| –| —|;| "
         r"because| as| since| without) (?P<v>.{4,})")),
    # --- choices ---
    ("decision", "decision", "", "decision",
         (r"(?:after [^,]{3,40},? |in the end,? |finally )?(?:we|i)(?:'ve| have)? (?:\w+ )?(?:bought|took|chose|"
         r"booked|hired|ordered|picked|got|used|built|deployed|kept|signed|rented|leased|merged|moved|adopted|gone|"
         r"went) (?P<v>.{4,90}\b(?:instead of|rather than|and not|(?<!all )over the)\b.*)")),
    ("decision", "decision", "", "decision",
         (r"(?:i|we)(?:'ve| have)? (?:finally |just )?(?:turned|called|struck) (?P<v>.{3,60}? (?:down|off)\b.*)|"
         r"(?:i'm|we're|i am|we are) (?:now |finally )?(?:quitting|giving up|cutting out|leaving|selling) (?!early|"
         r"now\b|for (?:the|today)|in \d|it\b|home|work\b|soon)(?P<e>[^?]{4,80})")),
    ("decision", "decision", "", "decision",
         (
         rf"(?!.*\b(?:later|in a (?:sec|minute|bit)|updated|posted|touch|mind)\b)(?!.*{DAY})(?:so |ok |okay |"
         r"then |"
         r"for now |for the time being )*(?:we|i)(?:'ll| will| are to| shall) (?P<v>(?:keep (?!working|going|"
         r"pushing|trying|doing|practi|learning|at\b|on\b|your|moving|fighting)|stay (?:with|on)|stick|leave "
         r"(?:the|it)|go (?:with|for|ahead)|use|skip|buy|drop|do without|live without|switch|standardi[sz]e|build "
         r"(?:it|our own)|outsource|host|rent|no longer|not)\b (?!it\b|you\b|an eye|in\b|my\b|looking|asking|going|"
         rf"that in|do(?:ing)?\b|try|push).{{4,}})")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>.{4,90}?\b(?:lost out|won out|won the vote|lost by|won by|got the (?:nod|contract|job|axe|green "
         r"light)|made the cut|was voted (?:in|out|down)|is (?:chosen|selected|the way we go|the one we picked)|"
         r"has been (?:chosen|selected|picked|approved|rejected|decided|scrapped|shelved))\b.*)")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>.{8,120}?)(?:,|\.|;|:| -| –| —) (?:(?:that (?:was|is)|it was|it's|this was|this is)(?: a)? "
         r"(?:unanimous|final|decided|settled|the deal|the agreement|agreed)|\w+ (?:signed (?:it|that|this) off|"
         r"approved (?:it|that|this)|agreed|gave (?:it )?(?:the|her|his|their) (?:ok|okay|blessing|go-ahead))|"
         r"(?:we've|we|i|i've|they) (?:all )?(?:made up (?:our|my|their) minds?|shook (?:hands )?on it|agreed on "
         r"(?:it|that)|settled (?:it|that)|voted (?:on it)?))\b.*")),
    ("decision", "decision", "", "decision",
         (r"(?:dropped|scrapped|ditched|killed|shelved|abandoned|rejected|approved|greenlit|signed off) (?:the|our|"
         r"that|all|any|plans?) (?P<v>.{6,})|agreed (?:with|between|on|that|to|among) (?P<e>.{6,})|no more "
         r"(?P<a>[\w -]{4,50}(?:,| for us| from| until| as of| -| –).*)")),
    # --- plans ---
    ("commitment", "plan", "I", "plan",
         (
         rf"(?=.*{DAY})(?!.*\b(?:yesterday|last|ago|every|was|were)\b)(?:starting|flying|moving|leaving|"
         r"travel+ing|"
         r"marrying|launching|presenting|handing|sending|submitting|visiting|gonna|going to|off to|picking|having|"
         rf"getting|taking|seeing|defending|opening) (?P<v>.{{6,}})")),
    ("commitment", "plan", "I", "plan",
         (rf"(?=.*{DAY})(?:you(?:'ll| will) (?:get|have|receive|hear|find)|expect) (?P<v>.{{6,}}\b(?:me|us|my|our|"
         r"inbox|desk|draft|figures|report|numbers|by|before)\b.*)")),
    ("commitment", "plan", "I", "plan",
         (r"(?:i(?:'m| am)|we(?:'re| are)) (?:going to|planning (?:to|on)|hoping to|aiming to|about to|set to|due "
         r"to|determined to|supposed to) (?!be (?:ok|fine|late|back|honest)|check|look|read|run the|try|need|see|"
         rf"miss|say|sleep|bed|have to|kill|cry|explode|open|search|fix|update)(?P<v>[a-z]+ (?=.*(?:{DAY}|\bthis "
         rf"(?:year|autumn|spring|summer)|\bnext\b|\bwhen\b|\bonce\b|\bafter\b|\bbefore\b)).{{6,}})")),
    ("commitment", "plan", "I", "plan",
         (r"(?:i|we) (?:want|plan|intend|mean|hope|aim|need|have|promised(?: \w+)?)(?: to)? (?P<v>(?=.*\b(?:by|"
         rf"before|until|on|next|in|at the latest|this) ?)(?=.*{DAY})(?!.*\b(?:would|every|some day|one day|was|"
         rf"were)\b).{{8,}})")),
    # --- procedures ---
    ("attribute", "procedure", "", "steps",
         (
         rf"(?P<e>{_WORK}) (?P<v>(?:always |only |first |usually |then )*(?:go(?:es)? (?:to|through|via|out|in|"
         r"live|"
         r"by)|gets?|needs?|is|are|must|has to|have to|should|requires?|means?|starts? with|works? like|ends? up "
         r"(?:in|with)|comes? (?:in|to|through))\b(?!.*\b(?:broken|late|delayed|down|slow|free|port|"
         r"closed)\b)(?=.*(?:\bfirst\b|\bby\b|\bonly (?:after|once|via|with|through|when)|\bthrough\b|\bbefore\b|"
         r"sign-?off|approv\w+|\bthen\b|\bonce\b|\bvia\b|\bfrom (?!\d)|\bwithin\b|\btwice\b|\bdaily\b|\bweekly\b|"
         r"\bevery\b|\bon (?:mon|tues|wednes|thurs|fri)day|reviewed|\bunless\b|\bafter\b|\bwho(?:ever)?\b|"
         rf"\buntil\b|two \w+|a second|\band \w+ing\b)).{{6,}})")),
    ("attribute", "procedure", "", "steps",
         (r"\w+ing (?P<e>[\w' -]{0,30}?)(?:means|is done by|works by|takes|requires|consists of|boils down to) "
         r"(?P<v>(?:\w+ing .{4,}|(?:two|three|a|an) \w+.{4,}))|run `(?P<a>[^`]+)` (?:to|for|before|after|first|"
         r"and|whenever|once)\b.{4,}|(?:use|call|type|press|hit|hold|dial) (?P<c>[^,]{3,40}) to [a-z]+ .{4,}")),
    ("attribute", "procedure", "", "steps",
         (r"(?:for|on|with|in case of|at the end of|at) (?:an? |any |every |each |new |the )?(?P<e>[\w' "
         rf"-]{{3,40}}?)(?:,|:) (?P<v>(?:we |you |always |first |please )*{DO}\b.{{3,}}(?:,| then | and "
         rf").{{3,}})")),
    ("attribute", "procedure", "", "steps",
         (rf"(?P<e>[\w' -]{{4,40}}): (?P<v>(?:first )?{DO}\b [^,;]{{2,60}}(?:,|;| and| then|\.) (?:then |and "
         rf")?{DO}\b.{{2,}})|(?:you|we|one) (?:always |usually |first |can )?{DO} (?P<a>the [\w -]{{3,40}} (?:with|"
         rf"by|via|through|using|from within|in the|every|before|after|once) .{{4,}})")),
    # --- tools, told in the past ---
    ("attribute", "tool", "", "",
         (r"(?:i |we |ops |infra |it )?(?:just |now |have |'ve |finally )*(?:bumped|upgraded|moved|migrated|"
         r"switched|pinned|raised|lowered|set|increased|reduced|renamed|pointed|relocated|downgraded|updated) "
         rf"(?=.*{TECH})(?P<e>[\w./' -]{{2,50}}?) (?P<v>(?:to|from|over to|onto|at) (?=.*[\d./:_-]).{{1,80}})")),
    # --- projects ---
    ("attribute", "project", "name", "status",
         (rf"{_NOT}(?P<e>{_BIRD})(?:['’]s)?(?P<v>(?:,[^,]{{3,40}},)? (?=.{{0,60}}\b{RELEASE}\b)(?:(?:now |still |"
         r"just )*(?:has|have|is|was|gets?|got|lost|needs?|will|went|came|moved|sits|remains|runs|starts|opens|"
         rf"enters)|{RELEASE}) .{{3,}}|: (?=.*\b(?:{RELEASE}|done|open|out|left|late|written|missing)\b).{{4,}}| "
         r"(?:is|was) (?:an? |the |our |now )?(?:joint|rewrite|spin-?off|fork|successor|replacement|side project|"
         r"collaboration|pilot|internal|customer|in-house|open[- ]source|two-person|three-person|mostly|about|for|"
         rf"meant|funded|financed|sponsored)\b.{{3,}})")),
    ("attribute", "project", "", "status",
         (r"(?:the |our )?(?P<e>(?:(?:mobile|web|desktop|android|ios|new|customer|partner|loyalty|booking|website|"
         r"warehouse|billing|payment|data|search|checkout|cloud|erp|crm|intranet|reporting)[ -])*(?:app|website|"
         r"redesign|rewrite|relaunch|rebrand|rollout|migration|prototype|pilot|milestone \w+|phase \w+(?: of [\w "
         r"]+)?|release \d[\w.]*|initiative|programme|game|game jam|thesis|book|album|project)(?: of [\w "
         r"]{2,30})?) (?P<v>(?:is|are|has been|was|will be|covers|starts|started|slipped|is now|sits|remains|"
         r"ends|has)\b (?!(?:great|good|fun|amazing|awesome|nice|so|really|very|going (?:well|great)|a lot|like|"
         r"about to|the best|due\b|on (?:mon|tue|wed|thu|fri))\b)(?=.*\b(?:waiting|stuck|done|half|thirds?|percent|"
         r"\d|blocked|hold|review|approval|behind|ahead|live|beta|alpha|late|delayed|frozen|parked|cancel\w*|led|"
         r"budget|testers|sites|team|written|funded|finished|complete|paused|until|covers|scope)\b|covers).{3,})")),
    # --- people ---
    ("attribute", "person", "name", "",
         (rf"{_NOT}(?P<e>(?:(?:Dr\.?|Mrs?\.?|Ms\.?) )?{_BIRD}(?: [A-Z][\w-]+)?)(?P<v>(?:,? (?:from|in|at) [\w "
         rf"]{{2,20}}|,[^,]{{3,40}},)?(?:(?:['’]s| is| are)(?: now| also| still)? (?=(?:allergic|vegan|vegetarian|"
         r"from|deaf|blind|colou?r-?blind|left-handed|diabetic|dyslexic|scared|afraid|terrified|fluent|retired|"
         rf"pregnant)\b)| (?:now |also |still |always |never |only )*{_HUMAN}) ?(?!(?:it|this|that|them|in your|in "
         r"our|on (?:port|postgres|node)|for (?:me|us))\b).*)")),
    ("attribute", "person", "", "",
         (rf"(?:his|her|their|my|our)(?: \w+)? (?P<e>{KIN}(?: [a-z]+)?)(?:'s| is) (?P<v>(?:is |an? |now )?(?:an? "
         r"(?!bit|lot|little|great|good|mess|star|pain|hoot|gem)[\w-]+.*|(?:called|named|from|allergic|in (?:year|"
         r"grade) \d+)\b.*))")),
    ("attribute", "person", "", "",
         (r"(?:the|our|my)(?: (?:new|old|former|current|interim|next|first))? (?P<e>(?:[\w-]+ )?(?:cto|ceo|cfo|coo|"
         r"plumber|electrician|landlord|landlady|boss|manager|team lead|caretaker|janitor|cleaner|gardener|vet|"
         r"dentist|doctor|gp|accountant|lawyer|teacher|coach|tutor|babysitter|nanny|hairdresser|contact|customer|"
         r"client|recruiter|intern|trainee|designer|developer|colleague|neighbou?r|headmaster|principal|conductor|"
         r"director|chair\w*|president|mayor|midwife|physio\w*|therapist|supervisor|professor|agent|broker|builder|"
         r"architect|painter|tenant|lodger|flatmate|roommate|head of \w+|product owner|scrum master|maintainer|"
         r"admin|dpo|solicitor|mechanic))(?: (?:at|of|for|in) [\w' ]{2,25}?)?(?:'s name)? (?P<v>(?:is|are) "
         r"(?!(?:so|very|really|great|nice|good|ill|sick|away|out|here|late|coming|not|being|happy|angry|back|on|"
         r"in a)\b)(?!\w+ing\b).{3,}|(?:speaks|only speaks|hates|prefers|can't|doesn't|lives|insists|likes)\b "
         r".{3,})")),
    ("attribute", "person", "", "",
         (r"(?:mum|mom|dad|grandma|grandpa|granny|nana|gran|auntie|uncle \w+|aunt \w+|mama|papa)(?:'s| is| has| "
         r"can't| cannot| won't| doesn't| speaks| lives| works| hates| loves| only| never| turns| was born) "
         r"(?!(?:fine|ok|great|well|so|here|coming|on|doing|not|back|asleep|visiting|calling|over|in (?:town|bed)|"
         r"just|good|going)\b)(?P<v>.{4,})")),
    ("relation", "person", "I", "",
         (r"(?:i(?:'ve| have)?(?: got)?|we have|we've got|there's) (?:an? |two |three |four )(?:\w+ "
         rf"){{0,2}}(?P<a>{KIN}s?)(?:,| called| named| who| -| –| in)\b(?P<v>.{{2,}})")),
    # --- tastes ---
    ("preference", "preference", "I", "likes",
         (r"i (?:always |only |usually |normally |never |mostly )*(?:take|drink|have|like|eat|want|order) (?:my |"
         r"only )?(?P<v>(?:coffee|tea|eggs?|steak|gluten-free|vegan|vegetarian|vegetables|fish|meat|plant-based|"
         r"kosher|halal|decaf|oat milk|breakfast|toast|pizza|burgers?|low[- ]carb|dairy-free|\w+-free)\b.*)|i(?:'m|"
         r" am) (?:more )?(?:of )?an? (?P<e>[\w -]{2,25}?(?:person|drinker|eater|lover|addict|fan|owl|bird|reader|"
         r"sceptic|skeptic|purist|minimalist|vegetarian|vegan|pescatarian|teetotal\w*|junkie|snob|hater|guy|"
         r"girl)\b.*)|i (?:work|think|write|sleep|learn|focus|read|concentrate) (?P<a>best .{3,}|better .{3,})")),
    ("preference", "preference", "I", "dislikes",
         (r"(?:can't|cannot|can not|couldn't) (?:stand|abide|bear|stomach|do without|live without|eat|drink|"
         r"tolerate)(?P<v> (?!it\b|that\b|this\b|you\b).{3,})|it (?:\w+ )?(?:bugs|annoys|irritates|bothers|drives|"
         r"irks|infuriates|drives me \w+|pains|delights|calms|relaxes) (?:me )?(?:\w+ )?(?P<e>(?:when|if|how|that) "
         r".{6,})|(?P<a>[\w' -]{3,40}) (?:give|gives|make|makes) me (?:\w+ )?(?:nightmares|anxious|nauseous|sick|"
         r"uneasy|the creeps|headaches|migraines|hives|sleepy|cringe|gag|itch|sneeze|happy every|break out|"
         r"bloated)\b.*")),
    ("preference", "preference", "I", "likes",
         (
         r"(?!it\b|that\b|this\b|he\b|she\b|they\b)(?P<v>[\w' -]{3,40}?) (?:is|are) (?:what i (?:listen|read|drink|eat|"
         r"use|wear|turn|play|order|go)|my (?:favou?rite|preferred|go-to|default|number one|drink of choice|"
         r"weapon of choice)|how i (?:like|unwind|relax|take)|where i feel)\b.*")),
    ("preference", "preference", "you", "instruction",
         (
         r"(?P<v>(?:metric|imperial|dark|light|british|american|short|plain|bullet|window|aisle|tabs|spaces|"
         r"single|"
         r"double|oxford|iso|utc|24-?hour|lower ?case|upper ?case|kebab|snake|english|german|french|spanish|dutch|"
         r"markdown|vegetarian|vegan|oat|decaf|first|sentence|title|active|passive|sans|small|large|two|four|"
         r"four-space|two-space|monospace|native)[\w -]{0,30}?(?:,? not [\w -]+| only| everywhere| always| "
         r"please\b.*|,? please\b.*|,? thanks| whenever .*| in (?:all|my|every|code|commit|docs|tables|the) .*| "
         r"for (?:all|everything|my|code|every) .*|, (?:no|never) [\w -]+)(?:,? (?:please|thanks|always))?)$")),
    ("preference", "preference", "you", "instruction",
         (r"(?:please |pls )?no (?!one\b|way|problem|worries|idea|matter|luck|need|doubt|more\b|longer|thanks|"
         r"wonder|big|difference|rush|pressure|kidding|joke|news|clue|rest|regrets|time|wedding|chance|such|\w+ "
         r"(?:yet|today|after all|left|found))(?P<v>[\w' -]{3,40} (?:in|before|after|on|without|for|during|at|"
         r"unless|as|with|to) (?!me\b|us\b|it\b|the (?:fridge|house|moment|end))[\w' -]{3,50})$")),
    ("preference", "preference", "you", "instruction",
         (r"(?:please |pls |always |and )*(?P<v>(?:spell|ask|check|write|use|keep|put|wrap|round|sort|mark|format|"
         r"reply|answer|quote|name|prefix|link|cite|group|label|show|address|sign|order|add|warn|tell|confirm|wait|"
         r"back up|test|run|double-check|offer|explain|number|date|cc|copy|include|leave|skip|translate|convert)\b "
         r".{3,80}\b(?:before you|whenever|every time|each time|the first time|any ?time|if you|unless|when you|in "
         r"all|in every|everywhere|all my|wherever|for every|for all|per (?:line|commit|message|file|section)|at "
         r"most|under \w+ (?:lines|words|sentences|characters|pages)|instead of|rather than|as (?:iso|utc|metric|"
         r"markdown|a table|bullet\w*))\b.{2,})")),
    ("opinion", "preference", "I", "thinks",
         (
         r"(?!it\b|that\b|this\b|he\b|she\b|they\b|you\b|we\b|i\b|my\b|our\b|there\b|here\b|the (?:weather|"
         r"meeting|"
         r"new|soup|food)\b|today)(?P<e>[\w.+#' -]{2,40}?) (?P<v>(?:is|are) (?:just |simply |so much |way |far |"
         r"much |a lot |still |by far |hands down )*(?:nicer|better|worse|faster|simpler|cleaner|safer|uglier|"
         r"saner|easier|friendlier|superior|inferior|more \w+|less \w+|prettier|smarter|cheaper|tastier) "
         r"than\b.{2,}|(?<!the )(?:beats?|trumps?|outclass\w*) .{3,}|(?:is|are) (?:a (?:trap|fad|scam|mistake|crutch|"
         r"plague|blessing|bad idea|terrible idea|waste of \w+|nightmare to \w+|joy to \w+|pleasure to \w+|dead "
         r"language)|overkill|overrated|underrated|overpriced|overhyped|overengineered|bloated|unreadable|"
         r"unbeatable|unusable|too (?:verbose|heavy|clever|opinionated|complicated|expensive|bitter|sweet|salty|"
         r"loud|corporate|slow for|magic\w*)|the (?:best|worst) \w+)\b.*)")),
)  # fmt: skip
