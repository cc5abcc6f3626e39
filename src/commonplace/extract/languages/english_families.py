"""English sentence families by what they do, whatever the words between: outcomes, choices, dates, rules."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
DAY = (
    rf"(?:\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|{MONTH} \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?(?: "
    rf"of)? {MONTH}|"
    rf"the \d{{1,2}}(?:st|nd|rd|th)|\d{{4}}-\d\d-\d\d|tomorrow|tonight|(?:next|this|coming) (?:week|"
    r"weekend|month|year|"
    r"quarter|term|spring|summer|autumn|fall|winter)|(?:end|start|beginning|middle) of (?:the |this |next "
    r")?(?:day|week|"
    rf"month|year|quarter|{MONTH})|(?:by|before|until|till|come|in|early|mid|late|mid-|through) ?{MONTH}|"
    r"(?:by|before|"
    rf"until|come|at|over|after) (?:ramadan|eid|christmas|easter|spring|summer|autumn|winter|noon|midnight|lunch|"
    rf"new year)|q[1-4]|eod|eow|\d{{1,2}}:\d\d|\d{{1,2}} ?[ap]m|(?:quarter|half) past|in (?:\w+|\d+) (?:days|weeks|"
    rf"months))\b)"
)
EVENT = (
    r"\b(?:meeting|stand-?up|call|appointment|interview|party|wedding|exam|flight|dinner|lunch|deadline|launch|release|"
    r"demo|review|conference|trip|concert|game|match|race|check-?up|class|rehearsal|kick-?off|retro|workshop|webinar|"
    r"delivery|inspection|audit|presentation|talk|funeral|burial|ceremony|festival|session|christening|baptism|"
    r"handover|freeze|dentist|doctor|vet|orthodontist|plumber|electrician|tuner|movers?|surgeon|physio|optician|barber|"
    r"hairdresser|hearing|viewing|parents' evening|graduation|recital|gig|reunion|barbecue|bbq|picnic|service|"
    r"maintenance|downtime|cutover|go-?live|migration|onboarding|training|course|seminar|lecture|due date|submission|"
    r"election|ferry|train|moving day|signing|closing|tournament|open day|fair|sprint|planning|cut-?off|anniversary|"
    r"operation|surgery|scan|blood test|vaccination|jab|screening|offsite|board|assembly|tasting|fitting|pick-?up|"
    r"drop-?off|exhibition)\b"
)
FAIL = (
    r"\b(?:\w*errors?|fail\w*|crash\w*|segfault\w*|bugs?|\w*exceptions?|time-?outs?|timed out|broke|broken|leak\w*|"
    r"flak\w+|outages?|hangs?|hung|hanging|panic\w*|deadlock\w*|refused|denied|corrupt\w*|mismatch\w*|oom\w*|race|"
    r"regression|collisions?|stuck|chok\w+|4\d\d|5\d\d|incident|drift\w*|slow\w*|spik\w+|garbled|duplicat\w+|stall\w*|"
    r"freez\w+|froze|glitch\w*|symptoms?|packets?|misbehav\w*|kept \w+ing|wouldn't|refus\w+|couldn't|doesn't|didn't|"
    r"missing|warnings?|problem|issue|noise|noisy|flicker\w*|squeak\w*|leaky|conflicts?|wrong|stale|loop|lag\w*)\b"
)
FIXED = (
    r"\b(?:fixed|fixes|solved|solves|resolved|resolves|cured|cures|nailed|sorted|did the trick|does the trick|"
    r"got rid of|gets rid of|went away|goes away|(?:is|are|was|were)? ?gone (?:after|since|once|now|when|as soon)|"
    r"cleared (?:it|up)|(?:solution|fix|workaround|remedy|cure|answer|resolution)(?: (?:is|was))?(?::| to\b| -)|"
    r"traced (?:it )?(?:back )?(?:to|it)|root cause|culprit|turned out|(?:the )?(?:cause|reason) (?:is|was)|down to|"
    r"due to|because (?:of )?|no \w+ since|since then|works (?:again|now|fine)|stopped (?:after|once|when)|helped|"
    r"made it (?:work|go away|pass|stop)|worked around|patched|silenced|brought (?:it|them) back|is what (?:fixed|"
    r"helped|did)|out of the way)\b"
)
VAIN = (
    r"(?:chang(?:e|es|ed) (?:absolutely )?nothing|(?:makes?|made|making) (?:no|zero|little|not a bit of) (?:difference|"
    r"odds|change)|(?:won't|doesn't|didn't|don't|did not|does not) (?:cut it|help|budge|do it|do anything|fix|work|"
    r"solve|change|make a|bring|stick|take|move the needle|touch the)|(?:do|does|did) (?:absolutely |exactly |"
    r"precisely |next to )?nothing(?: (?:for|to|about|against|at all)|$)|(?:was|were|is|are|proved|"
    r"turned out) (?:\w+ )?(?:useless|pointless|futile|fruitless|no use|no help|a dead[ -]end|a red herring|a waste|"
    r"no good|a blind alley|a bust|a wash)|no (?:effect|luck|dice|joy|avail|improvement|use|difference)\b|in vain|"
    r"to no avail|(?:theory|idea|hypothesis|route|approach|option)(?: is|'s| was| turned)? (?:out|dead|a dead end|"
    r"ruled out|off the table)|gave up|given up|hit a wall|same (?:crash|error|result|outcome|story|failure|problem|"
    r"issue|thing|symptom|behaviou?r)|still (?:crashes|fails|hangs|drops?|breaks|leaks|the same|times? out|broken|"
    r"flickers|happens|there|slow|gets?\b|getting (?!used|to know)|shows?|loses?|freezes|stalls)|"
    r"the [\w ]{3,30} (?:stays|stayed|remains|remained|persists|persisted|came (?:right )?back|is still there|"
    r"keeps coming back)|ruled out|rules? (?:that|it) out|went nowhere|leads? nowhere|backfired|only made (?:it|"
    r"things) worse|not worth the|no better|none the better|just as (?:bad|slow|flaky))"
)
TRYING = (
    r"(?:\btried\b|\btrying\b|\btwo days\b|\bhours\b|\bexperiment\w*|\bchecked\b|\bbeen there\b|\battempt\w*|"
    r"\b(?!anything|nothing|something|everything|morning|evening|during|king|thing|string|building|spring|meeting)"
    r"\w{3,}ing\b)"
)
_WE = (
    r"(?:we|i|the team|they|everyone|everybody|all of us|both of us|[\w']+ and i|the (?:board|committee|group|"
    r"council|client|family|owners?|parents|club|company|steering \w+|works council|majority))"
)
CHOSE = (
    r"(?:decided|agreed|chose|chosen|opted|settled|resolved|voted|picked|plumped|ruled|concluded|signed off|"
    r"came down on|landed on|converged on|gave up on|said no to|said yes to|turned down|rejected|backed out|pulled out|"
    r"backed|scrapped|dropped|ditched|shelved|called off|cancelled|canceled|went (?:with|for)|ended up (?:with|"
    r"choosing|picking|going|taking|buying|keeping)|made up (?:our|my) minds?)"
)
DROP = (
    r"(?:going (?:with|for)|sticking (?:with|to)|staying (?:with|on)|switching (?:to|from|over)|moving (?:away from|"
    r"off|over to)|dropping|ditching|scrapping|shelving|postponing|phasing out|cancel+ing|calling off|retiring|"
    r"sunsetting|deprecating|replacing|abandoning|discontinuing|adopting|rejecting|passing on|opting|settling|keeping|"
    r"cutting|axing|pulling the plug|closing down|renewing|not (?:renewing|doing|buying|hiring|migrating|taking|using|"
    r"going ahead))"
)
_ORDER = (
    r"<order>|leave|stick|avoid|don't|do not|no|put|treat|prefer|default|stay|ignore|mind|refrain|limit|quote|"
    r"link|tell|give|ask|speak|refer|compare"
)
STANDING_INSTRUCTION = (
    r"(?:from (?:now|today|here|this point|tomorrow|monday|this week|next week) ?(?:on|onwards?|forward)?\b|for good\b|"
    r"as a (?:general |standing )?(?:rule|policy|matter of principle)|now and in (?:the )?future|in (?:the )?future|"
    r"going forward|moving forward|henceforth|every single time|each and every time|without exception|no exceptions?|"
    r"at all times|by default|whatever (?:you do|happens)|under no circumstances|on no account|in all (?:cases|my|our)|"
    r"unless (?:i|we|told|asked|you're asked|otherwise|explicitly)|until further notice|ever again|permanently|"
    r"as of (?:now|today)|in (?:any|every) case|without asking|no matter what|wherever possible|always|at any point)"
)
_ANY = (
    r"(?:in my (?:view|opinion|book|humble opinion|eyes|experience|world)|to me,|to my mind|to my taste|if "
    r"you ask me|for my money|as far as i'm concerned|personally|imo|imho|i'd argue|i maintain|the way i see "
    r"it|my take)"
)

FAMILIES: tuple[RuleRow, ...] = (
    # --- lessons: tried in vain; failure with its fix ---
    ("dead_end", "lesson", "", "result",
         (r"(?!i'm\b|i am\b|but\b|unfortunately|.*\b(?:you|keys|"
         rf"feel)\b)(?=.*{TRYING})(?P<e>.{{6,140}}?)(?P<v>\b{VAIN}.*)")),
    ("dead_end", "lesson", "", "result",
         (r"(?:turns out |apparently |so )?(?P<e>[\w' -]{4,50}?) (?P<v>(?:(?:do|does|did) (?:absolutely )?nothing "
         r"(?:for|to|about|against)|(?:won't|doesn't|didn't|don't) (?:cut it|help (?:with|against)|do the trick|"
         r"move the needle)|(?:is|are|was|were) (?:no use|useless|no help|pointless) (?:for|against|with|"
         r"here))\b.*)")),
    ("error_fix", "lesson", "", "fixed by",
         (r"(?:fixed|solved|resolved|fix|solution|root cause|cause|culprit|workaround|resolution|remedy|"
         r"post-?mortem|diagnosis|findings?|fix for [\w -]{3,40}|bug ?fix)(?: in \w+| found)?(?:\(\w+\))?(?::| -| "
         r"–| —) (?P<v>.{12,})")),
    ("error_fix", "lesson", "", "fixed by",
         (r"(?!it\b|that\b|this\b|what\b|i\b|i'|he\b|she\b|you\b)(?!.*\b(?:heart|feel|love|amazing|"
         rf"fun)\b)(?=.*{FAIL})(?P<e>.*?)(?P<v>{FIXED}.{{4,}})")),
    ("error_fix", "lesson", "", "fixed by",
         (r"(?:the )?(?:only (?:thing|way|fix)|what) (?:that |which )?(?:finally |eventually |really )?(?:got rid "
         r"of|fixed|solved|cured|helped|stopped|worked|did it|did the trick|brought)\b(?P<e>.*?)(?: was|:| "
         r"is)(?P<v> .{4,})")),
    ("error_fix", "lesson", "", "fixed by",
         (r"(?:the |a |my )?(?:trick|remedy|cure|secret|workaround|fix) (?:for|against|with|to get) "
         r"(?P<e>[^:]{3,60}?)(?::| is| was)(?P<v> .{6,})")),
    ("error_fix", "lesson", "", "lesson",
         (
         r"(?:(?:a |big |hard |the )?lessons?\b[^:]{0,40}|learn(?:ed|t) (?:it |this |that )?the hard way[^:]{0,20}|"
         r"note to (?:my )?(?:future )?self|takeaway|moral|gotcha|rule of thumb after [^:]{3,50})(?::| -| –| —|"
         r" that) (?P<v>.{8,})")),
    # --- rules for the agent, tastes, opinions ---
    ("preference", "preference", "you", "instruction",
         (rf"(?:please |pls |and |just |oh,? |also,? )*(?:{STANDING_INSTRUCTION}[,:]? )(?:please |and "
         rf")?(?P<v>(?:{_ORDER})\b.{{4,}})")),
    ("preference", "preference", "you", "instruction",
         (
         rf"(?:please |pls |and |just )*(?=(?:{_ORDER}|skip|any\w*)\b)(?!\w+ing\b|no (?:prob|one|way|worries|"
         r"doubt|"
         rf"matter|longer))(?P<v>.{{6,}}?\b{STANDING_INSTRUCTION}\b.*)")),
    ("preference", "preference", "you", "instruction",
         (r"(?P<v>(?:answers?|repl(?:y|ies)|summar(?:y|ies)|messages?|reports?|code|comments?|dates?|numbers?|"
         r"prices?|emails?|times?|commits?|commit messages?|names?|links?|tables?|variables?|prose|amounts?|"
         rf"units)\b[^.]{{0,50}}?(?:\b{STANDING_INSTRUCTION}\b.*|,? please$|,? (?:no|never|not) [\w ]{{3,40}}$))")),
    ("preference", "preference", "you", "instruction",
         (r"(?:please |pls )*(?:never|always|don't ever|do not ever) (?P<v>(?!mind\b|been\b|had\b|was\b|a\b|the\b|"
         r"thought\b|knew\b|seen\b|heard\b|again\b|going\b|happy\b|fun\b|good\b|nice\b|great\b|be\b|on\b|in\b|at\b|"
         r"up\b|here\b|there\b|saw\b|my\b|our\b|your\b|it\b|so\b|lov|knew|know\b|felt\b|gets\b|keen|ready|willing|"
         r"worth|give up|quit|stop\b|forget)[a-z]+(?<!ed)(?<!ing) .{4,})")),
    ("preference", "preference", "you", "instruction",
         (
         r"(?:when(?:ever)?|any ?time|every time|each time|before|after|if) you (?:\w+ ){1,2}[^,]{3,70}, (?:please |"
         r"always |never |also |first )*(?P<v>(?:<order>|leave|stick|avoid|don't|do not|prefer|treat|mark|flag|quote|"
         r"tell|show|stay|mention)\b(?!.*\bwe do that\b).{4,})")),
    ("preference", "preference", "I", "likes",
         (r"i(?:'d| would)? (?:\w+ly )?(?:swear by(?! the)|live for|can't (?:get enough of|live without|go a day "
         r"without|start (?:my|the) day without|resist|say no to)|steer clear of|stay away from|avoid|won't go "
         r"near|don't touch|have a (?:soft spot|weakness|thing|sweet tooth) for|am partial to|always go for|take "
         r".{3,30} over|pick .{3,30} over|rather (?:be|have|get|take|go|eat|drink|use|work|read|walk|pay|see|"
         r"fly)\b(?=.*\bthan\b))(?P<v>.{3,})")),
    ("preference", "preference", "I", "dislikes",
         (r"i(?:'m| am)? (?:really |just |simply |absolutely |honestly )*(?:can'?t|cannot|can not|don't) (?:do|"
         r"stomach|stand|abide|bear|tolerate|handle|digest|have|eat|drink|touch)(?: with)?(?P<v> (?!it\b|that\b|"
         r"this\b|you\b|anything\b|much\b|my best|more\b|a thing|enough|the thought|wait|right now|without|time\b|"
         r"any\b(?! more)|a lot|to\b|the energy)[^?]{3,})")),
    ("preference", "preference", "I", "likes",
         (r"(?!it'?s?\b|that'?s?\b|this\b|they\b|you\b|there\b)(?P<v>[\w' -]{3,60}?)(?:'s| is| are|'re) (?:just |"
         r"really |simply |definitely |so )*(?:not (?:for me|my (?:thing|cup of tea|style|jam))|my (?:thing|cup of "
         r"tea|jam|comfort food|guilty pleasure|poison|go-to|kryptonite|happy place)|the one i'd .{3,}|off limits|"
         r"a no-go|where i draw the line|a must for me|best enjoyed)\b.*")),
    ("preference", "preference", "I", "likes",
         (r"(?:give me (?P<v>(?!a (?:sec|min|mo|hand|call|shout|ring)|\d).{3,60}? (?:over|any day|any time|"
         r"anytime)\b.*)|(?P<e>[\w' -]{3,40}) over [\w' -]{3,40}(?:,| -| –) (?:any ?day|every time|always|any time|"
         r"no contest)\b.*|(?:the )?(?:smell|sound|taste|texture|sight) of [\w ]{3,40} (?:makes|drives|turns|"
         r"gives) (?:me|my) .{3,})")),
    ("preference", "preference", "I", "likes",
         (r"(?P<v>[\w' -]{3,40})\? (?:love|adore|hate|loathe|can't stand|get (?:it|them) away|not for me|no thanks|"
         r"never|yes please|can't get enough|nope|hard pass|any day|not my)\b.*")),
    ("opinion", "preference", "I", "thinks",
         (rf"(?:honestly |frankly |well,? )*{_ANY},? (?!i\b|i'm|it\b|it's|that\b|that's|this|you\b|yes|no\b|we\b|"
         rf"what|too|so\b)(?P<v>.{{10,}})")),
    ("opinion", "preference", "I", "thinks",
         (rf"(?!i\b|it\b|it's|that\b|that's|this|you\b|we\b|what)(?P<v>.{{10,120}}),? "
         rf"(?:{_ANY.replace('to me,|', '')}|i think|i reckon|i'd say|i find|i believe)$")),
    ("opinion", "preference", "I", "thinks",
         (r"(?:honestly |frankly |personally )*i (?:honestly |really |personally |still |just |frankly )*(?:find|"
         r"found(?! an?\b)|consider|rate|regard|call|deem|judge|trust|distrust) (?!it\b|that\b|this\b|you\b|them\b|"
         r"myself|"
         r"out\b|some|any|time|him\b|her\b|a \w+ (?:in|on|at|under|for)\b|the \w+ (?:in|on|at|"
         r"under)\b)(?P<e>[\w'.+# -]{3,50}?) (?P<v>(?:(?:a bit|quite|very|too|really|so|rather|pretty|way too|"
         r"utterly|deeply|far|much|as|more|less) .{3,}|an? (?:step|waste|pain|mess|joke|bit|chore|nightmare|"
         r"gimmick|delight|disaster|relief|relic|fad|trap|crutch|bore|blessing)\b.*|\w+(?:ful|less|ous|ive|able|"
         r"ible|ated|ing)\b.*))")),
    # --- choices ---
    ("decision", "decision", "", "decision",
         (
         rf"(?!.*\b(?:not yet|haven't|hasn't|yet to|nothing|if|whether|undecided)\b)(?:.{{0,60}}?[,:;] |in the "
         r"end |"
         rf"after all |finally |so |as of today |today |yesterday )?{_WE}(?:'ve| have| had| has| all| both| "
         r"finally|"
         rf" just| now| also| eventually| unanimously| jointly| therefore)* {CHOSE} (?!it\b|this\b|yet\b|with you|"
         r"you\b|him\b|her\b|them\b|in\b|out\b|my\b|me\b|up\b|off\b(?! the)|everything\b|a (?:line|"
         rf"ball))(?P<v>.{{4,}})")),
    ("decision", "decision", "", "decision",
         (
         rf"(?:{CHOSE[:-1]}|agreement reached|going with|sticking with|decision made)) (?!it\b|this\b|to go "
         r"(?:home|"
         rf"out)|my\b|in\b|off\b|up\b|the ball|some)(?P<v>.{{5,}}(?:instead|rather than|over|because|since|"
         r"starting|"
         r"from|for|after|due|as|not)\b.*)")),
    ("decision", "decision", "", "decision",
         (rf"(?P<v>.{{8,150}}?)(?:,|:|;| -| –| —|\.|!) (?:that's |this is |so |as )?(?:what |how |which |that "
         rf")?(?:{_WE}|the \w+|doctor and i|my \w+ and i|(?:was|is) what)(?:'ve| have| all| both| finally| just)* "
         rf"(?:{CHOSE}|came out of|was decided|the outcome of)\b.*")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>.{8,120}?)(?:,|:|;| -| –| —) (?:that's|this is|that was) (?:what came out of|the (?:decision|"
         r"verdict|outcome|result) (?:of|from)|decided|settled|final|agreed)\b.*")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>(?:we|i) (?:had |were |was )?(?:planned|planning|meant|intended|going|wanted) to .{4,60}? but "
         r".{0,30}?(?:off the table|decided|changed (?:our|my) minds?|scrapped|dropped|gone with|went with|chose|"
         r"opted|cancelled|called off|not anymore|no longer)\b.*)")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>.{3,60}? (?:is|are|'s) (?:now )?(?:off the table|out of the running|a done deal|our pick|the "
         r"winner|the chosen one|what we're going with|no longer an option))\b.*")),
    ("decision", "decision", "", "decision",
         r"(?:what|where) (?:we|i) (?:ended up|went|landed|settled)(?: with| on| for)?(?: is| was|:)(?P<v> .{4,})"),
    ("decision", "decision", "", "decision",
         (rf"(?:(?:so|and|ok|okay|after [^,]{{3,60}}|in the end|for now|as of \w+),? )?(?:we|i)(?:'re|'m| are| am|"
         rf"'ll be| will be)(?: now| definitely| officially| finally| also| not)? {DROP} (?!it\b|you\b|an eye|my "
         r"fingers|track|busy|up\b|on\b|home|the (?:kids|dog)|that in|an? (?:[\w-]+ )?(?:walk|run|drive|swim|hike|"
         r"ride|style|look|vibe|feel|theme)\b|(?:my|"
         rf"our) (?:chin|head|spirits))(?P<v>.{{4,}})")),
    ("decision", "decision", "", "decision",
         (r"(?:feat|refactor|build|chore|deps|breaking|feat!|docs|perf)(?:\([\w-]+\))?!?: (?:drop|remove|deprecate|"
         r"require|stop|end|discontinue|adopt|replace|switch|migrate|make)\b (?P<v>.{6,})")),
    ("decision", "decision", "", "decision",
         (r"(?:the )?(?:vote|verdict|decision|final call|call|choice|outcome|consensus|ruling|pick|jury|winner)(?: "
         r"of the \w+)? (?:is in|went|goes|fell|was|is|has been|stands|landed|came down|for \w+)\b[:,]? ?(?:made|"
         r"reached|taken|on|to|for|in favou?r of)?(?P<v>.{4,})")),
    ("decision", "decision", "", "decision",
         (r"(?P<v>(?!which|what|who|how|that|this|here|there|so\b|look|see|wow|.*\b(?:how|what|who|where|when|"
         r"why)\b)[\w' .+-]{2,50}?)(?:,)? it is(?: then|, then| for .{3,40}|, not .{3,40})?$")),
    # --- promises, dates ---
    ("commitment", "plan", "I", "promise",
         (r"(?:(?:i|we)(?:'ll| will| shall)(?: \w+ly| also| definitely| surely)? (?!be (?:back|right|there|home|"
         r"late|around|ok|fine|in touch)|see\b|try\b|think\b|let you|check it|take a look|look\b|know\b|"
         rf"miss\b)(?=.*{DAY}).{{8,}})")),
    ("commitment", "plan", "I", "promise",
         (r"(?:count me in for|put me down for|sign me up for|you(?:'ll)? have my word|i(?:'ve)? (?:gave|given) "
         r"(?:\w+ )?my word|i (?:hereby |solemnly )?(?:pledge|promise|vow|undertake|commit)(?: to)?|i(?:'m| am) "
         r"(?:committed to|on the hook for|down for|signed up for|bringing|in charge of bringing|booked (?:on|for|"
         r"in)))\b(?! (?:it|you|that)$)(?P<v>.{6,})")),
    ("commitment", "plan", "I", "promise",
         (rf"(?=.*(?:{DAY}|by \w+))(?P<v>.{{6,}}), (?:i gave (?:\w+ )?my word|(?:that's |it's )?(?:a promise|"
         r"promised|i promise|my word on it|you have my word))\b.*")),
    ("commitment", "plan", "", "deadline",
         (r"(?!.*\b(?:last|ago|yesterday|pic|contract|lease|fiscal|anniversary|insurance|warranty|policy|"
         r"subscription|membership|school year|tax year|birthday|passed away|died|upgraded)\b)(?!i |i'|it\b|that\b|"
         rf"this\b|you\b|he\b|she\b|they\b|when|if)(?:the |our |my |all )?(?P<e>[\w'&. -]{{3,60}}?) (?P<v>(?:must|"
         r"has to|have to|needs? to|is to|are to|is due|are due|is scheduled|are scheduled|is booked|are booked|is "
         r"set|is planned|is pencil+ed in|expires?|closes?|ends?|runs? out|starts?|begins?|opens?|comes?|arrives?|"
         r"leaves?|departs?|lands?|takes place|kicks off|goes live|ships?|falls on|is on|are on|is at|is|are|"
         rf"lasts?|happens|will (?:be|take|start|come|arrive))\b(?=.*{DAY})(?!.*\b(?:every|daily|weekly|each|port|"
         r"usually|was|since|version)\b|.*days\b).*)")),
    ("commitment", "plan", "", "appointment",
         (r"(?!i\b|i'|it\b|was\b|we (?:had|went)|how|what)(?!.*\b(?:was|were|had|went|did|ago|yesterday|last|every|"
         r"daily|usually|cancel\w*|delayed|enjoyed|loved|told|said|moved into|split|anniversary|fiscal|passed|"
         rf"officially|got|died|no wedding|after all)\b)(?=.{{0,60}}{EVENT})(?=.*{DAY})(?P<v>[^?]{{8,110}})$")),
    ("commitment", "plan", "", "appointment",
         (rf"(?=.*{DAY})(?:inshallah |god willing,? |if all goes well,? |all being well,? |{DAY}[,:]? )?(?:we|"
         r"i)(?:'re| are|'m| am)? (?!have been|was|were|had|did|got|went|work\b|live\b|said|always|usually|often|"
         r"think|know|love|like|hope|feel|never)(?:open|fly|leave|start|move|launch|marry|travel|meet|depart|begin|"
         r"host|present|sign|close|submit|deliver|fly\w*|flying|leaving|starting|moving|launching|getting married|"
         r"marrying|meeting|hosting|presenting|signing|opening|driving|taking|having|running|visiting|picking|"
         r"sitting|due|off to|expecting|booked|throwing|performing|playing|interviewing|"
         r"defending)\b(?!.*\b(?:every|days|usually|daily|for the past|last|ago|yesterday|joined|got|"
         rf"enjoyed)\b)(?P<v>.{{6,}})")),
)  # fmt: skip
