"""English sentence families for states: procedures, software, projects, people, possessions."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

DO = (
    r"(?:merge|tag|wait|bump|hit|log|switch|enable|disable|scan|swipe|run|stop|start|open|click|go|use|press|call|hold|"
    r"type|ssh|set|make|install|unplug|plug|turn|export|import|add|put|copy|delete|remove|send|fill|ask|edit|pull|push|"
    r"restart|take|untar|create|pass|select|choose|connect|page|drain|dump|check|rotate|cut|announce|write|clone|build|"
    r"revoke|bring|email|mail|drop|ring|book|sign|pick|lock|unlock|flip|flush|clear|wipe|mount|load|reload|rebuild|"
    r"apply|download|upload|first|tell|notify|grab|snapshot|scale|deploy|promote|approve|verify|move|rename|kill|rsync|"
    r"scp)"
)
TECH = (
    r"(?:<tech>|\b(?:haproxy|caddy|traefik|bastion|sudo|root|metrics|exporter|replicas?|shards?|tenants?|endpoints?|"
    r"hooks?|uploads?|downloads?|exports?|imports?|jobs?|artifacts?|artefacts?|images?|secrets?|keys?|retention|"
    r"licen[cs]e server|requests?|connections?|pods?|heap|memory|cpus?|gpus?|cores?|ram|swap|volumes?|mounts?|"
    r"partitions?|snapshots?|backup|builds?|tests?|linter|compiler|runtime|jvm|java|go|rust|node|npm|pip|ruby|php|"
    r"elixir|erlang|swift|kotlin|typescript|geocoder|crawler|parser|uploader|mailer|scraper|indexer|importer|renderer|"
    r"sso|ldap|oauth|saml|jwt|cors|tls|mtls|udp|tcp|grpc|http|https|mqtt|ftp|sftp|nfs|smb|iscsi|s3|cdn|waf|lb|vlan|"
    r"subnet|cidr|mtu|ntp|dhcp|mdns|sandbox|staging|prod|dev|qa|env|cluster|tunnel|wiki|mailserver|mail server|"
    r"file server|batch box|box|sensor|daemon|payloads?|logins?|sessions?|cookies?|telemetry|traces?|alerts?|pager|"
    r"tracing|feature flags?|flags?|configs?|settings?|migrations?|collation|encoding|charset|timezone|free plan|"
    r"free tier|plan limit|minutes|concurrency|throughput|page size|max \w+|ttl|lock file|lockfile|data ?center|rack|"
    r"switches?|access point|printer|scanner|tablets?|plc|firmware)\b)"
)
EXACT = (
    r"(?:(?<![\w.])/[\w.-]+/[\w./-]*|(?<!\w)~/[\w./-]+|\w[\w-]*\.(?:internal|local|lan|net|com|org|io|dev|ch|de|"
    r"example|toml|ya?ml|json|ini|conf|cfg|env|sh|py|service|xml)\b|\d{1,3}(?:\.\d{1,3}){3}|[\w.-]+:\d{2,5}\b|"
    r"\b\d+ ?(?:[kmgt]i?b?|ms|mbit|gbit|rps|qps|req|requests|vcpus?|cores|replicas|nodes|workers|shards|connections)\b|"
    r"\w+://\S+|\bv?\d+\.\d+(?:\.\d+)*\b|\bport \d+|\b(?:udp|tcp|port) \d+|\b\d{4,5}\b|\b[a-z]+_[a-z_]+\b|\bv\d+\b|"
    r"\"[^\"]+\"|\b[a-z]+(?:-[a-z]+){2,}\b)"
)
_STATE = (
    r"(?:now |currently |also |always |only |still |just |both |all |already )*(?:is|are|was moved|were moved|moved|"
    r"has moved|have moved|lives?|runs?|listens?|points?|uses?|requires?|needs?|expires?|defaults?|costs?|belongs?|"
    r"supports?|has|have|stores?|connects?|depends?|takes?|restarts?|reboots?|rotates?|sits|resides?|serves?|speaks?|"
    r"writes?|keeps?|goes|go|lands?|gets?|got|holds?|reads?|pulls?|pushes|ships?|allows?|accepts?|returns?|answers?|"
    r"sends?|comes?|talks?|rejects?|caps?|maxes|times? out|drops?|fails over|logs|sleeps?|scales?|polls?|binds?|"
    r"exposes?|mounts?|syncs?|replicates?|emits?|caches?|retries|throttles?|authenticates?|resolves?|forwards?|"
    r"redirects?|stays?|renews?|purges?|prunes?|can|can't|cannot|doesn't|don't|only|must|lags?|backs? up|wakes?|"
    r"updates?|deletes?|keeps?|hangs off|fetch(?:es)?|starts?|stops?|closes|opens|ends|fires|triggers?|evicts?|"
    r"[a-z]{4,}(?<!s)s|builds?|compiles?|targets?|consumes?|subscribes?|publishes)"
)
_PNAME = r"(?:Project )?[A-Z][\w-]+(?: [A-Z0-9][\w.-]*)?"
_STAGE = (
    r"(?:frozen|parked|paused|on hold|on ice|in (?:open |closed |public |private )?(?:beta|alpha)|in (?:review|staging|"
    r"testing|maintenance|limbo|production|development|feature freeze|code freeze|discovery|QA)|(?:feature|"
    r"code)[- ](?:complete|frozen)|behind schedule|ahead of schedule|on (?:track|schedule|time)|over budget|"
    r"under budget|at \d+ ?(?:%|percent)|\d+ ?(?:%|percent)|half[- ](?:done|finished)|nearly done|almost done|blocked|"
    r"stalled|delayed|shelved|cancelled|canceled|archived|live|shipped|launched|released|funded|understaffed|"
    r"unmaintained|abandoned|dormant|waiting (?:for|on)|slated|scheduled|pencil+ed|two \w+ late|\w+ (?:weeks?|months?|"
    r"days?) (?:late|behind)|led by|run by|owned by|written in|built (?:on|with|in)|licen[cs]ed|maintained by|"
    r"sponsored by|based on|hosted on|a rewrite|open[- ]source|closed source|MIT|Apache|GPL|pure \w+|down to|missing|"
    r"due|ready for|in its|entering|nearing|past its|wrapped up|feature-complete|done|finished|complete[d]?|staffed)"
)
_SHIPS = (
    r"(?:has |have |had )?(?:now |just |finally |already |officially )*(?:shipped|slipped|launched|launches|entered|"
    r"enters|reached|hit|ships|slips|moves? to|moved to|is moving to|went live|goes live|goes|needs?|requires?|uses?|"
    r"targets?|supports?|depends on|runs on|builds on|dropped|drops|missed|passed|lost|gained|got (?:funding|cancelled|"
    r"delayed|pushed|moved|approved|the green light)|stalled|stands at|sits at|is at|comes out|starts|started|"
    r"kicks off|ends|ended|wraps up|hands over|replaces|covers|consists of|counts|tracks|aims|is)"
)
WORKNOUN = (
    r"(?:project|milestone|rewrite|backlog|epic|initiative|migration|redesign|revamp|refactor(?:ing)?|roll-?out|pilot|"
    r"prototype|sprint|roadmap|programme|relaunch|mvp|proof of concept|release|module|repo(?:sitory)?|beta|rebrand|"
    r"workstream|launch|codebase)"
)
KIN = (
    r"(?:(?:half|step|god|great|grand|twin|foster|ex)[ -]?)?(?:mother|mom|mum|mam|mama|father|dad|papa|sister|brother|"
    r"son|daughter|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|aunt|auntie|uncle|cousin|niece|nephew|"
    r"grandmother|grandma|granny|nan|nana|gran|grandfather|grandpa|grandad|granddad|grandson|granddaughter|kid|kids|"
    r"child|children|parents|in-laws|twins|boss|manager|supervisor|mentor|colleague|coworker|teammate|roommate|"
    r"flatmate|housemate|neighbou?r|friend|mate|doctor|dentist|therapist|landlord|landlady|lawyer|accountant|assistant|"
    r"coach|trainer|teacher|tutor|professor|advisor|goalkeeper|drummer|client|co-?founder|godson|goddaughter|eldest|"
    r"youngest|middle one|firstborn|babysitter|nanny|hairdresser|physio|vet|gp|plumber|team ?lead|lead|successor|"
    r"predecessor|bandmate)(?:-in-law)?"
)
_MY = r"(?:my|our)(?: \w+){0,1}"

STATES: tuple[RuleRow, ...] = (
    # --- how something is done ---
    ("attribute", "procedure", "", "steps",
         (r"(?:in order )?to (?P<e>(?!be\b|me\b|my\b|sum\b|top\b|make matters|answer|clarify|start with|name|say|"
         rf"all|no\b|that|each|your|us\b|the (?:best|new))[a-z][^,:]{{3,70}}?)(?:,|:)? (?P<v>(?:you (?:just |"
         r"simply "
         r"|first |can |need to |have to |must |always )*|we (?:just |simply |first |always )*|one "
         rf")?{DO}\b.{{6,}})")),
    ("attribute", "procedure", "", "steps",
         (rf"(?:for (?:anyone|anybody|those|everyone|whoever) .{{4,60}}|order of (?:business|play|"
         rf"operations)[^:]{{0,50}}|(?:the )?(?:steps?|recipe|routine|ritual|drill|procedure|process|workflow|"
         rf"checklist|runbook|sequence|way we|how we|how to|how you|what (?:we|you) do|what to do)\b[^:]{{0,60}}|"
         rf"\w+ing [^:,]{{3,50}}(?: goes like this| works like this| in \w+ steps?| step by step|, the short "
         rf"version)?)(?::| goes(?::| like)| -| –) ?(?P<v>{DO}\b.{{4,}}(?:,| then |;|->|and ).{{3,}})")),
    ("attribute", "procedure", "", "steps",
         (
         rf"(?P<v>(?:you (?:first )?|we (?:first |always )?|first,? |step 1:? )?{DO}\b [^,;]{{3,70}}(?:,|;| ->| "
         r"→) "
         rf"(?:and )?(?:then |after that |next |wait |finally )?{DO}\b [^,;]{{2,70}}(?:,|;| ->| →| and) ?(?:and "
         rf")?(?:then |only then |finally |last )?{DO}\b.{{2,}})")),
    ("attribute", "procedure", "", "steps",
         (r"(?!.*\b(?:i|i'm|i'll|i've|my|me|feel|love)\b)(?:when(?:ever)?|if|once|as soon as|every time|each time) "
         r"(?:an? |the |any |some)[^,]{4,70}, (?:always |please )?(?P<v>(?:the [\w ]{2,30} (?:goes|gets|is|must|"
         r"has)|\w+ (?:gets|goes|signs|approves|handles|takes)|we (?:\w+ )?\w+|it (?:goes|gets|is)|page|ask|call|"
         r"open|send|run|restart|forward|assign|file|notify|tell|check)\b.{3,})")),
    ("attribute", "procedure", "", "steps",
         (r"(?!.*\b(?:i|i'm|i've|my)\b)(?P<v>[\w' ]{4,60} (?:is|are) (?:needed|required|necessary|mandatory|done|"
         r"issued|handled|approved|reviewed|requested|ordered|booked|paid|processed|granted|released|assigned|"
         r"created|generated|signed|published|announced|triaged) (?:before|by (?:hand|\w+ing|the \w+|mail|email|"
         r"opening|filling)|via|through|only (?:after|by|via|through|once)|in (?:two|three) steps|on request|"
         r"after)\b.*)")),
    ("attribute", "procedure", "", "steps",
         (r"(?!.*\b(?:i|i'm|i've|my)\b)(?:every|each|all|no|any|new|new \w+|changes to|nothing) [\w' ]{3,50} "
         r"(?P<v>(?:goes|go|gets|get|needs?|passes|pass|has to (?:be|go|pass|have)|must (?:be|go|pass|have)|is "
         r"(?:first|reviewed|approved|checked|signed))\b.{3,60}(?:before|first|through|until|via|approval|review|"
         r"sign|then|by)\b.*)")),
    ("attribute", "procedure", "", "steps",
         (
         r"(?:before|after) (?:you|any|an?|each|every|\w+ing) [^,]{3,60}, (?P<v>(?:dump|back up|run|check|tell|ask|"
         r"drain|stop|always|first|we|make|take|create|notify|announce|update|post|lock|pause|disable|snapshot|export|"
         r"save|wait|open|put)\b.{3,})")),
    # --- what is so of somebody ---
    ("attribute", "person", "", "",
         (
         rf"(?P<e>{_MY} {KIN}(?:'s|s') [\w -]{{3,30}}?) (?P<v>(?:is|are|was)\b(?! (?:so|very|really|great|good|"
         r"fine|"
         rf"ok|coming|going|not|doing))(?! a? ?\w+ing\b).{{2,}})")),
    ("attribute", "person", "name", "",
         (r"(?P<e>(?:Dr\.?|Mrs?\.?|Ms\.?|Prof(?:essor)?\.?|[A-Z]\w+)(?: [A-Z][\w-]+)?(?:['’]s)) (?P<a>birthday|"
         r"number|phone(?: number)?|mobile|e-?mail(?: address)?|extension|surname|last name|maiden name|nickname|"
         r"pronouns?|office|desk|room|shoe size|job|title|visa|hourly rate|working hours|name day|native language|"
         r"first language|wedding|due date|handle|middle name|wife|husband|partner|address)(?: is|:| =)(?P<v> "
         r".{2,})")),
    ("attribute", "person", "name", "",
         (
         r"(?:Nobody|No one|None of (?:us|them)|Everyone|Everybody|The only one)(?: [\w ]{2,40})? (?:but|"
         r"except(?: for)?|apart from|besides|other than|is) (?P<e>[A-Z]\w+)\b.*")),
    ("attribute", "person", "", "",
         (rf"{_MY} {KIN} (?P<v>(?:is|are|'s)(?: now| also| originally| still)? (?:an? (?!bit|lot|little|great|good|"
         r"mess|star|blast|huge|real|gem|angel|saint|hoot|pain)|the (?!best|worst)|allergic|vegan|vegetarian|deaf|"
         r"blind|colou?r-?blind|left-handed|diabetic|from|retired|\d|called|named|in charge|based|afraid of|scared "
         r"of|fluent|bilingual|married|divorced|pregnant)\b.*|(?:speaks|plays|teaches|runs|owns|works|lives|"
         r"studies|collects|hates|loves|can't (?:stand|eat|have)|doesn't (?:eat|drink|drive|like|speak)|has (?:an?|"
         r"two|three|type)|drives|keeps|breeds|restores|writes|coaches)\b (?!it\b|me\b|that\b|this\b|out\b|to\b(?! "
         rf"\w+ly)|a (?:lot|bit|cold|point|question|meeting)|around\b|in (?:on|to)|you\b).{{3,}})")),
    # --- projects ---
    ("attribute", "project", "name", "status",
         (rf"(?!I\b|We\b|My\b)(?:[Tt]he |[Oo]ur )?(?P<e>(?:[Pp]roject {_PNAME}|(?:{_PNAME} |[a-z]+ "
         rf"){{0,2}}{WORKNOUN}(?: \d+)?(?: (?:of|for|on) (?:the )?[\w -]{{2,30}}?)?|"
         rf"{_PNAME}(?:,[^,]{{3,40}},)))(?P<v>(?::|\?|,| -| –| —| {_SHIPS})(?! (?:a|an|my|your) (?:great|good|fun|"
         rf"nice|lot)).{{3,}})")),
    ("attribute", "project", "name", "status",
         (r"(?!I\b|We\b|My\b|The\b|It\b|This\b|That\b|He\b|She\b|They\b|You\b|There\b|Here\b|What\b|Just\b|So\b|"
         rf"Just\b|Not\b|No\b|Done\b|Fixed\b|Build\b)(?P<e>{_PNAME})(?P<v>(?:,[^,:]{{3,50}},)?(?:['’]s [\w "
         rf"]{{3,30}})?(?: (?:is|are|has been|was|remains|stays|'s)|:|['’]s|\?)(?: now| currently| still| "
         rf"officially| only| about| already| finally)* {_STAGE}(?![\w-]).*)")),
    ("attribute", "project", "name", "status",
         (r"(?!I\b|We\b|My\b|The\b|It\b|This\b|That\b|He\b|She\b|They\b|You\b|There\b|Here\b|What\b|Just\b|So\b|"
         r"Node\b|Python\b|Java\b|Postgres\b|CI\b|Grafana\b|Redis\b|Docker\b)(?P<e>[A-Z][\w-]+(?:['’]s (?:tests|"
         r"docs|API|backlog|build|CI|team|roadmap|frontend|backend|codebase|budget|launch|scope|[a-z]+ "
         r"phase))?)(?P<v> (?:uses? the \w+ licen[cs]e|needs? (?:[A-Z]|at least|\w+ \d|two|three|four|more)|"
         r"requires? (?:[A-Z]|at least|\w+ \d)|slipped|slips|ships (?:in|on|with|next)|shipped|targets|supports "
         r"(?:only )?[A-Z]|depends on|builds with|has (?:\d|two|three|four|five|six|no (?:tests|docs|budget|owner)|"
         r"shipped|been (?:renamed|parked|frozen|paused|open-sourced|handed))|launches|goes (?:live|into|GA)|went "
         r"live|enters|entered|reached|hit (?:beta|GA|1\.0|its)|moved (?:to (?:phase|beta|maintenance)|into)|went "
         r"into|lost its|dropped support|got (?:its|cancelled|postponed|pushed|funding))\b.*)")),
    # --- software and machines ---
    ("attribute", "tool", "", "",
         (
         r"(?:chore|refactor|build|ci|config|ops|deps|infra|docs)(?:\([\w-]+\))?: (?P<v>(?:move|bump|rename|switch|"
         r"upgrade|pin|set|raise|lower|relocate|point|change|increase|reduce)\b.{6,})")),
    ("attribute", "tool", "", "", r"(?P<e>[\w./ -]{2,50}?) ?(?:->|→|=>|=|:=) ?(?P<v>\S*[\d./:_-]\S*.*)"),
    ("attribute", "tool", "", "",
         (r"(?!i\b|i'|we\b|we'|you\b|it\b|that\b|this\b|he\b|she\b|they\b|please|if\b|when\b|my\b(?! (?:laptop|nas|"
         r"router|server|vps|pi|homelab|desktop|workstation))|failed|passed|error|"
         rf"warning)(?=.{{0,70}}{TECH})(?P<e>(?:the |our |all |any |every |as of \w+,? (?:the )?)?[\w'./()& "
         rf"-]{{2,60}}?) (?P<v>{_STATE}\b(?! (?:broken|down|slow|failing|running again|back|weird|odd|annoying|"
         r"great|nice|fine|green|red|flaky|acting|being|going to|about to|so\b|really|very|too|a (?:mess|pain|"
         rf"nightmare)))(?=.*(?:{EXACT}|\d|\bonly\b|\bdaily\b|\bnightly\b|\bweekly\b|\bhourly\b|\bbehind\b|"
         r"\bdisabled\b|\benabled\b|\bread-only\b|\bexposed\b|\bencrypted\b|\bover (?:ssh|vpn|https?|tcp|udp)\b|"
         r"\bon (?:the |our |an? )?[\w-]+ (?:machine|machines|box|host|server|node|cluster|vm|nas|rack)\b|\bevery "
         r"(?:\d|night|hour|day|sunday|monday|friday|week)|\bin the (?:basement|rack|cloud|vault)|\bwithout a\b|"
         rf"\bat (?:most|least)\b|\bper\b)).{{3,}})")),
    ("attribute", "tool", "", "",
         (r"(?!i\b|i'|we\b|we'|you\b|it\b|that\b|this\b|he\b|she\b|they\b|if\b|when\b|warn|error|info|debug|fatal|"
         rf"note|step|q:|a:|run\b|use\b|see\b|fixed|done|ok\b)(?=.{{0,60}}(?:{TECH}|/))(?P<e>[\w'/.()& "
         rf"-]{{2,50}}?): (?=.*(?:{EXACT}|\d))(?!.*\b(?:error|failed|exception|no such)\b)(?P<v>.{{2,110}})")),
    ("attribute", "tool", "", "",
         (r"(?!i\b|i'|we\b|we'|you\b|it\b|that\b|this\b|when\b|if\b|failed|error|[\w']+ing\b)(?P<e>[\w' "
         rf"-]{{2,40}}?) (?P<v>(?:lives?|runs?|listens?|sits|is|are|answers?|resides?|is (?:served|hosted|deployed|"
         r"exposed|reachable|available|mounted|installed|stored|written|kept|logged|pinned))(?: \w+)? (?:at|on|"
         rf"under|in|behind|to|from|via) (?:(?:port|udp|tcp|version) )*(?:{EXACT})(?!.*(?:error|failed)).*)")),
    # --- facts of the speaker, the house, the office ---
    ("attribute", "fact", "I", "",
         (
         r"(?P<e>my (?:blood (?:group|type)|(?:first|native|second|main|mother) (?:language|tongue)|shoe size|"
         r"ring "
         r"size|height|weight|birthday|birth(?: |-)?date|date of birth|star sign|middle name|surname|last name|"
         r"maiden name|full name|nickname|handle|username|user name|desk|office|locker|parking (?:spot|space)|"
         r"licen[cs]e plate|number plate|car|bike|phone(?: number)?|mobile|extension|e-?mail(?: address)?|address|"
         r"postcode|zip(?: code)?|time ?zone|pronouns|hometown|home town|birthplace|passport|visa|insurance(?: "
         r"number)?|policy|account(?: number)?|iban|employee (?:id|number)|badge(?: number)?|member(?:ship)? "
         r"(?:number|id)|contract|salary|rent|landline|flat|apartment|house|studio|garden|allotment|commute|"
         r"working hours|office hours|day off|days off|job title|role|employer|company|degree|major|thesis|russian|"
         r"english|german|french|spanish|italian|japanese|mandarin|portuguese|dutch|glasses|prescription|laptop|"
         r"keyboard|monitor|instrument|roots|family|surgery|pension|notice period|wi-?fi \w+|locker \w+|gate code|"
         r"door code|spare key)) (?P<v>(?:is|are|'s|has|have|takes|runs|ends|expires|sits|stands|was|costs|comes "
         r"from|reads|lies)\b (?!(?:so|very|really|killing|great|good|fine|not (?:working|great|good)|driving|"
         r"broken|dead|acting|a (?:mess|disaster$|wreck))\b).{2,})")),
    ("attribute", "fact", "I", "",
         (r"i (?P<v>(?:go by|was (?:born|raised|christened) (?:in|on|and raised)|grew up (?:in|on|with)|come from|"
         r"hail from|hold (?:an?|the|two|dual|both)|speak (?!to\b|with\b|up\b|for\b|about\b)|weigh \d|stand \d|"
         r"wear (?:a size|size|contacts|glasses|hearing)|bank with|commute (?:by|from|to|an?|\d)|rent (?:an?|the|"
         r"out|my)|own (?:an?|the|two|three|\d)|drive (?:an?|the) |ride (?:an?|the|my) |run (?:an?|the|my own) "
         r"(?!race|marathon|mile|lap|risk|errand)|keep (?:\w+ )?(?:bees|chickens|hens|goats|sheep|ducks|pigeons|"
         r"koi|horses|rabbits|alpacas)|moonlight as|freelance|teach (?!you|him|her|them|me)|volunteer (?:at|as|"
         r"with|for)|sing in|play (?:the|in|for|in an?|bass|drums|cello|violin|piano|viola|oboe) (?!game|role|part|"
         r"with)|study|work (?:at|for|as|in|from|part|full|nights|shifts|remotely|\w+ (?:percent|days|hours))|live "
         r"(?:in|at|on|with|near|above|alone|next)|sit (?:on|in) the|serve (?:on|as)|belong to|share (?:an?|my) "
         r"(?:flat|house|office|apartment|room))\b(?! (?:it|that|this|them|you)\b).{3,})")),
    ("attribute", "fact", "I", "",
         (
         r"i(?:'m| am)(?: originally| actually| currently| also| now| still| officially| technically| "
         r"originally)* "
         r"(?P<v>(?:an? (?!bit|lot|little|huge|big|fan|mess|sucker|person|people|total|morning|night|believer|firm|"
         r"strong|happy|proud|terrible|bad|good|great|nervous|fool|picky|real|star|wreck|tad|complete|\w+ person|"
         r"(?:\w+ )?(?:fan|lover|eater|drinker|addict|owl|bird)\b)(?:[\w-]+ ){0,4}?[\w-]{4,}|the (?:eldest|oldest|"
         r"youngest|middle|second|third|only|treasurer|chair|head|lead|owner|founder|captain|secretary|president|"
         r"father|mother|parent|son|daughter)|from |based (?:in|at|out)|left-handed|ambidextrous|colou?r-?blind|"
         r"short-?sighted|deaf|diabetic|dyslexic|\d{2}(?: years old)?$|\d{2},|\d{2} years|self-employed|retired|"
         r"half[- ]|registered|enrolled|employed|insured|married|divorced|widowed|an only|one of (?:two|three|four|"
         r"five|six|seven)|on (?:a|the) (?:visa|committee|board)|in my (?:first|second|third|fourth|final|last) "
         r"(?:year|semester)|in (?:the|my) \w+ (?:year|semester|grade)|responsible for|in charge of)\b.*)")),
    ("attribute", "fact", "I", "",
         (
         r"(?:since [^,]{3,25},? |for (?:the past |the last |over |almost |about )?(?:\w+|\d+) (?:years|"
         r"months)(?: "
         r"now)?,? )?i(?:'ve| have) (?P<v>(?:been (?:an? (?!bit|fan)|in |with |at |on |vegan|vegetarian|married|"
         r"sober|living|working|teaching|studying|playing|renting|running|learning|freelancing|self-employed|"
         r"retired|diabetic|single|together)|lived|worked|had (?:an?|the|my|two|this|diabetes|asthma|epilepsy) "
         r"(?!chance|lot|great|good|blast|hard|rough|long|busy|time|feeling|few|bit)|owned|kept|held|known|taught|"
         r"(?:got )?(?:an?|two|three|four|five|six|\d+) (?:\w+ ){0,3}(?:sisters?|brothers?|siblings|kids|children|"
         r"daughters?|sons?|dogs?|cats?|grandchildren|nieces|nephews|allotment|licen[cs]e|degree|diploma|"
         r"certificate))\b(?=.*(?:since|for \w+ (?:years|months|decades)|for (?:the past|the last|over|almost|"
         r"about|more)|for (?:\d+|a decade|ages|years)|years|\d{4}|got|two|three)\b)(?!.* (?:sick|ill|busy|swamped|"
         r"waiting|stuck|meaning|thinking|trying|there for|on it|ups and downs)\b).*)")),
    ("attribute", "fact", "", "",
         (r"(?:we're|we are) (?P<v>(?:an? (?:family|household|team|band|couple|shop|company|group|trio|quartet|duo|"
         r"co-?op|charity|non-?profit|startup|start-up|crew|club|village) .{3,}|(?:two|three|four|five|six|seven|"
         r"eight|nine|ten|\d+) (?:people|siblings|partners|developers|engineers|kids|of us|in (?:the|our|my) "
         r".{3,}).*|based (?:in|at|out) .{3,}|closed (?:on|every|between) .{3,}|open (?:on|from|until|every) .{3,}|"
         r"paid .{4,}|on the (?:\w+) floor.*|in the (?:same|old|former|building) .{4,}))")),
    ("attribute", "fact", "", "",
         (r"(?P<v>(?=.*(?:\d|\b(?:two|three|four|five|six|seven|twins)\b|,)).{8,90})[,:]? (?:that's|that is|that "
         r"makes|those are|this is) (?:our|my) (?:household|family|home|team|crew|office|band|lot|clan|week|daily "
         r"\w+|commute|kids|pets?)\b.*|(?P<e>.{8,90})[,:] that's how (?:we|our|my|i) [\w ]{3,40}")),
    ("attribute", "fact", "", "",
         (r"(?!.*\b(?:i|i'm|you|feel|feels|love|lovely|beautiful|amazing|project)\b)(?P<e>(?:our|the) (?:\w+ "
         r"){0,3}(?:office|canteen|kitchen|building|reception|lift|elevator|garage|car ?park|parking|basement|"
         r"attic|key|keys|spare key|alarm|gate|door|locker|fuse box|boiler|meter|contract|lease|policy|insurance|"
         r"warranty|subscription|invoice|supplier|customer|client|landlord|accountant|bank|account|school|nursery|"
         r"kindergarten|library|gym|studio|flat|apartment|house|cottage|cabin|rehearsal room|practice room|meeting "
         r"room|room|warehouse|workshop|shop|store|garden|allotment|shed|fence|roof|heating|intercom|mailbox|post "
         r"box|bins?|rubbish|recycling|fridge|freezer|oven|washing machine|dishwasher|car|van|boat|trailer|budget|"
         r"rent|deposit|fee|membership|club|choir|band|team|company|firm|department|agency|practice|clinic|"
         r"pharmacy|surgery|headquarters|hq|branch|notice period|tax number|vat number|postcode|address|phone "
         r"number|number|extension|code|combination|password|cleaner|caretaker|janitor|bakery|market|bus|train|"
         r"tram|clinic)s?(?: (?:of|for|at|in|on|with|to) [\w' ]{2,40}?)?) (?P<v>(?:is|are|has|have|runs|opens|"
         r"closes|costs|moved|has moved|sits|lives|hangs|lies|expires|ends|runs out|belongs|needs|takes|holds|"
         r"seats|pays|charges|bills|employs|comes|stops|leaves|goes|renews|covers|includes|allows|accepts)\b "
         r"(?!(?:so|very|really|great|lovely|nice|good|fine|broken|cold|warm|hot|full|empty|down|late|delayed|"
         r"packed|noisy|busy|gone|dead|killing|being|not (?:here|yet)|a (?:mess|nightmare|joke|bit))\b)(?=.*(?:\d|"
         r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|monday|tuesday|wednesday|thursday|friday|"
         r"saturday|sunday|behind|under|next to|above|below|from|to|on the|in the|at the|until|with)\b)).{3,})")),
)  # fmt: skip
