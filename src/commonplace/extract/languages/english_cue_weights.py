"""Weighted cues for each category, for English statements that no pattern matches; `<name>` stands for a word list."""

from __future__ import annotations

from commonplace.model import Category

_LIFE = (
    r"\b(?:job|house|flat|apartment|baby|twins|school|degree|exam|licen[cs]e|diploma|hospital|wedding|married|engaged|"
    r"divorced?|born|died|passed away|moved|pregnant|promotion|promoted|hired|fired|laid off|retired|graduat\w+|"
    r"adopted|surgery|broke|fractured|marathon|medal|prize|award|first|finally|sold|bought|car|dog|cat|puppy|kitten|"
    r"stolen|robbed|accident|burgled|diagnosed|quit|resigned|won|lost|joined|published|citizenship|visa|scholarship|"
    r"keys|mortgage|offer|accepted|admitted|funeral|buried|elected|turned \d+|birth|kilos?|sober|smoking|business|shop|"
    r"opened|founded|place|anniversary|fell|tore|sprained)\b"
)

# Category, weight, pattern on the statement in lower case; each pattern counts once.
WEIGHTS: tuple[tuple[Category, int, str], ...] = (
    ("lesson", 2, r"<fail>"), ("lesson", 2, r"<fixed>"), ("lesson", 4, r"<vain>"),
    ("lesson", 1,
         (r"\b(?:turns? out|turned out|because|caused|cause|after|until|once|tried|trying|\w+ing|only when|"
         r"unless)\b")),
    ("lesson", 2,
         (
         r"\b(?:bug|regression|stack ?trace|debug\w*|root cause|mystery|symptom|workaround|lesson|gotcha|fix|fixes|"
         r"fixed|culprit)\b")),
    ("decision", 4, r"\b<chose>\b"),
    ("decision", 2,
         (r"\b(?:instead|rather than|no longer|any ?more|over the|replaced? (?:by|with)|replacing|final|"
         r"unanimous\w*|majority|for good|from now|official\w*|signed off|in favou?r|settled|verdict|vote|from "
         r"(?:january|monday|now|next|the first)|as of|not worth|too (?:expensive|much|few|little))\b")),
    ("decision", 2,
         (r"^(?:so |ok |okay )?(?:we're|we are|we'll|we will|we|i'm|i'll|no more|out with|goodbye|farewell|"
         r"bye)\b(?=.*\b(?:go(?:ing)?|stay(?:ing)?|keep(?:ing)?|drop(?:ping)?|stop(?:ping)?|mov(?:e|ing)|"
         r"switch(?:ing)?|us(?:e|ing)|tak(?:e|ing)|buy(?:ing)?|cutt?(?:ing)?|end(?:ing)?|leav(?:e|ing)|"
         r"skip(?:ping)?|chang(?:e|ing)|start(?:ing)?)\b)")),
    ("plan", 3, r"<day>"), ("plan", 1, r"<occasion>"),
    ("plan", 2,
         (r"\b(?:will|'ll|going to|gonna|must|has to|have to|needs? to|due|deadline|latest|promise\w*|owe|booked|"
         r"scheduled|pencil\w*|appointment|no later|planning|plan to|intend|aim|goal|by the|in time for|until then|"
         r"remind|reserved)\b")),
    ("plan", -4,
         (r"\b(?:yesterday|ago|last (?:week|month|year|night|summer|\w+day)|was|were|had|every|daily|weekly|since|"
         r"each)\b")),
    ("plan", -3, r"<system>"),
    ("procedure", 2,
         (r"\b(?:goes (?:to|through|via|in|out|by)|go (?:to|through|via)|gets? (?:signed|approved|reviewed|sent|"
         r"filed|forwarded|checked)|is (?:signed|approved|reviewed|done|handled|sent|filed|stored|labelled|weighed|"
         r"counted)|are (?:signed|approved|reviewed|done|handled|sent|filed|stored|labelled|weighed|counted))\b")),
    ("procedure", 2,
         (r"\b(?:first|then|before|afterwards|beforehand|only after|only then|once|whenever|every time|step|steps|"
         r"approval|sign-?off|whoever|in this order|by hand|a second pair|two people|four eyes|checklist|twice|at "
         r"the end|in turn|in advance)\b")),
    ("procedure", 2,
         r"^(?:to [a-z]+|for (?:an? |every |each )|when(?:ever)? |before |after |you (?:<do>)|<do> [^,]+, )"),
    ("procedure", 1, r"\b<do>\b.*\b<do>\b"), ("procedure", -2, r"\b(?:i|i'm|i've|me|my)\b"), ("procedure", -2,
         r"\b(?:was|were|did|had)\b"),
    ("project", 3, r"\b<undertaking>\b"), ("project", 2, r"\b<release>\b"),
    ("project", 2,
         (r"\b(?:frozen|parked|paused|on hold|on ice|in (?:beta|alpha|review|production)|behind schedule|on "
         r"schedule|on track|over budget|percent|half done|finished|shipped|slipped|launch\w*|released|led by|"
         r"written in|open[- ]source\w*|licen[cs]ed?|maintained|funded|handed over|merged into|blocked|overdue|"
         r"deliverables?|stakeholders?|grant|proposal|users|downloads|stars|customers|features?|tests?|coverage|"
         r"contributors?|repo)\b")),
    ("tool", 3, r"<system>"), ("tool", 3, r"<exact>"),
    ("tool", 1,
         (r"\b(?:runs?|listens?|points?|uses?|requires?|expires?|defaults?|limit(?:ed)?|stores?|connects?|rotates?|"
         r"accepts?|returns?|behind|read-only|disabled|enabled|reachable|installed|mounted|per (?:second|minute|"
         r"hour|day|key|user)|max\w*|version)\b")),
    ("tool", -2, r"\b(?:i|i'm|i've|my|love|feel)\b"),
    ("person", 3, r"\b(?:(?:my|our|his|her|their|\w+'s) (?:\w+ )?<kin>|<kin> of (?:mine|ours))\b"),
    ("person", 2,
         (r"\b(?:mum|mom|dad|grandma|grandpa|granny|mrs?\.?|ms\.?|dr\.?|auntie|uncle|aunt|née|pronouns|surname|"
         r"nickname|birthday)\b")),
    ("person", 1,
         (
         r"\b(?:he|she|his|her|him|speaks|hates|prefers|drinks|works|teaches|plays|lives|allergic|vegan|vegetarian|"
         r"years old)\b")),
    ("event", 2, _LIFE), ("event", 2,
         (r"\b(?:yesterday|ago|last (?:week|month|year|night|summer|winter|spring|autumn|fall|weekend|\w+day)|this "
         r"morning|today|just|in \d{4}|back in)\b")),
    ("event", 2,
         (r"^(?:(?:today|yesterday|last \w+|finally|and|so),? )?(?:i|we|i've|we've|my \w+|our \w+|i'm) (?:\w+ly |"
         r"just |both |all |have |have been |got |have got )*(?:\w{2,}ed|[a-z]*(?:got|won|lost|sold|bought|broke|"
         r"left|quit|met|became|fell|flew|ran|went|had|made|gave|took|began|found|came|put|tore|built|wrote|drove|"
         r"moved|said yes))\b")),
    ("event", -3, r"<system>"), ("event", -2,
         r"\b(?:always|usually|every|never|often|walk|shower|nap|coffee|lunch|film|movie|chat|nice|lovely)\b"),
    ("preference", 3,
         (
         r"\b(?:i|me|my|for me|personally|please)\b(?=.*\b(?:love|loves|like|hate|prefer\w*|favou?rite|can't stand|"
         r"allergic|intolerant|fan|rather|dislike|enjoy|fond|detest|adore|no thanks|annoy\w*|bugs|taste|sweet tooth|"
         r"crave|overrated|boring|beautiful|ugly|better|worse|best|worst|too \w+)\b)")),
    ("preference", 3,
         (r"^(?:please |pls )?(?:always|never|no|only|don't|do not|stop|avoid|keep|use|prefer|less|more|"
         r"fewer)\b(?=.*\b(?:always|never|ever|please|all|every|any|replies|answers?|code|commits?|messages?|"
         r"emails?|reports?|dates?|when|unless|words|lines|tables?|emojis?|summar\w+|format\w*|tone|language|"
         r"comments?|lists?|names?|me|my)\b)")),
    ("preference", -2, r"\b(?:we|our|decided|yesterday|ago)\b"),
    ("fact", 2,
         (r"^(?:my|our|we have|we've got|we're|i have|i've got|i'm|i am|i live|i work|i study|i own|i drive|i was "
         r"born|i teach|i run)\b")),
    ("fact", 2,
         (r"\b(?:office|building|kitchen|door|lift|key|keys|code|contract|policy|insurance|rent|lease|customer|"
         r"supplier|invoice|bank|account|school|gym|shop|garage|parking|bins|hours|opens?|closes?|floor|entrance|"
         r"car|bike|flat|house|garden|kids|cats?|dogs?|degree|language|blood|number|size|address|street|alarm|"
         r"meter|landlord|tenant|cabin|fiscal|tax|vat|warranty|subscription|membership|studio|club|choir|canteen|"
         r"boiler|intercom)\b")),
    ("fact", 1, r"\b(?:is|are|has|have|costs?|ends|lives|sits|stands|takes|belongs)\b"),
)  # fmt: skip

# What keeps a statement from being kept by its weight alone.
PASSING = (
    r"^(?:it|it's|that|that's|this|these|those|they|they're|he|he's|she|she's|you|you're|you'll|there|there's|here|"
    r"here's|what|which|who|how|why|where|so|then|ok|okay|yes|no worries|not|nothing|nobody knows|anyone|i think|"
    r"i guess|i know|i don't|i didn't|i can|i need|i want|i just|i'm (?:so|not|really|just|very|off|on|in|at|still|"
    r"going|back|here|sorry|glad|happy)|is|are|do|does|did|can|could|should|would|will|may|let|let's|see|thanks|sorry|"
    r"good|great|nice|cool|check|show|rename|add|fix|write|explain|translate|open|find|tell|help|undo|paste|try|look|"
    r"compare|list|generate|summari[sz]e|refactor|delete|remind|read|make|run|create|move|get|put|give|send|update|"
    r"change|remove|print|commit|push|pull|revert|skip|wait|ignore|forget|looks?|sounds?|seems?|guess|reading|looking|"
    r"checking)\b|\b(?:maybe|perhaps|might|probably|would|could|should|if|almost|nearly|wish|hope|hopefully|whatever|"
    r"anyway|lol|haha|ugh|argh|hungry|tired|weather|rain\w*|traffic|delayed|cold|minutes?|asleep|joke|funny|somebody|"
    r"someone|something|some guy|said|told|says|supposedly|apparently|i think|not sure|tonight|later|a bit|today was|"
    r"again)\b|\.\.\.$|…$|[\"“].*[\"”]$"
)
