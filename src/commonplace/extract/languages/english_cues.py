"""Patterns that classify an English verb, object or time, by name; `<name>` stands for a word list."""

from __future__ import annotations

import re
from functools import cache

from commonplace.extract.languages import load_grammar

CUES: dict[str, str] = {
    "dangling": r"[,;]? (?:and|but|so|because|that|which|or|then|where|so annoying because)[, ]*$",
    "blocked": (
        r"\b(?:if|unless|whether|wish|wishes|imagine|suppose|supposing|pretend|hopefully|what if|as though|in "
        r"case|would|could|should|might|asked|asks|how|what|why|where|who|do you|did you|can you|are you|have you|"
        r"maybe|perhaps|when|while|like|than|say|said|says|the way|the time|glad|hope|think|guess|feel "
        r"like)\b[^,;]*$|\b(?:if|suppose|imagine|unless|what if)\b"
    ),
    "chat": (
        r"\b(?:some (?:awesome|great|cool|amazing|new|other|nice|good|incredible)|someone|something|(?:tried|tries|got|"
        r"made|took|found|organi[sz]ing|planning|having|bought) (?:one|there)|whole (?:team|group|gang)|met (?:some|"
        r"one|the|lots)|got an? (?:great|good|cool|nice|awesome)|great (?:memories|tips|shot|time)|memories|moments|"
        r"tips|lots of|reflect|balance|making progress|getting into|focus\w* (?:more )?on|stuff|turned out to be|"
        r"check it out|no big|haven't|(?:don't|doesn't|didn't) have|hesitate|when you can|let me know|it's frustrating|"
        r"intense|this (?:genre|jam|game|one|song|show|place|year's)|like (?:that|these|this|those)|a bit too much|"
        r"most important|started (?:when|a few|out|getting)|(?:have|has|i've) started|really upset|the other day|"
        r"the most|helping people|positive impact|making a difference|like-minded|lifting our|learning curve|"
        r"a trip there|have a picture|screenshot|whenever i hear|when i(?:'m| am) (?:stressed|feeling|there)|"
        r"better myself|over ?whelmed|perfect my|my next|your|yourself|you'll)\b|\b(?:is (?:so |very |"
        r"really )?important|it's important|an event and|new things|good amount|got the win|working on (?:this|myself)|"
        r"thinking about|ways to|caring|understanding|motivation|making sure|see if|our spirits|makes? a (?:big|"
        r"huge) difference|nothing beats|making it a better|for our|introducing|looking into|small things|"
        r"keep(?:s)? me going|stay in shape|reach their potential|had a great|hung out|good food|played (?:one|"
        r"games))\b|\b(?:always there for|been there for|'s rock\b|(?:huge|big|total|massive)(?: \w+)? fan$|h(?:im|"
        r"er) happy|which was (?:amazing|awesome|great)|taking it|keeping it|decent amount|a few of them|"
        r"favou?rite was|worked together|getting active|true selves|help causes)\b|\bwhich was (?:amazing|awesome|"
        r"great|fun)|^started\b|\b(?:too|that|this|it|one|these|there)$"
    ),
    "hedge": (
        r"\b(?:would have|would've|could have|could've|should have|should've|might|maybe|perhaps|if only|almost|"
        r"nearly|kidding|joking|just kidding|dream(?:t|ed)|in theory|pretend|wondering|wonder)\b"
    ),
    "new_home": r" (?:back |out )?to (?P<place>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)",
    "transient": (
        r"\b(?:tired|sleepy|hungry|thirsty|bored|in a minute|in a sec|right back|brb|running the|checking the|"
        r"stuck in traffic|on my way|gotta go|have to go|later today|a minute ago|an hour ago)\b"
    ),
    "specific": r"\"[^\"]{2,}|\d|\$|\b(?:called|named)\b",
    "dated": (
        r"\b(?:yesterday|today|tomorrow|tonight|last (?:\w+ )?(?:week|month|year|night|summer|winter|spring|fall|"
        r"autumn|weekend|\w+day|january|february|march|april|may|june|july|august|september|october|november|"
        r"december)|(?:this|next|coming|past|upcoming) (?:past |coming )?(?:week|month|year|summer|winter|spring|"
        r"fall|autumn|weekend|morning|afternoon|evening|\w+day|january|february|march|april|may|june|july|august|"
        r"september|october|november|december|semester|term)|(?:\w+|\d+) (?:days?|weeks?|months?|years?) (?:ago|"
        r"back|later)|the other (?:day|week|night)|(?:in|on|by|since|until|before|from|around|of|early|late|end "
        r"of|mid) ?-?(?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|"
        r"december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
        r"\d{4}|\d{1,2}(?:st|nd|rd|th)|summer|winter|spring|fall|autumn)|(?:january|february|march|april|june|"
        r"july|august|september|october|november|december) \d|\d{1,2} (?:january|february|march|april|may|june|"
        r"july|august|september|october|november|december)|(?:by|before|until|at|around) (?:\d|noon|midnight|"
        r"lunch|end|the end|eod|close)|in (?:a|an|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?|"
        r"hours?)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|end of (?:the )?(?:day|week|month|year|quarter)|eod|"
        r"eow|\d{4}-\d\d-\d\d|when i was|at age|this (?:time|year)|recently|just|christmas|easter|thanksgiving|"
        r"new year|halloween|hanukkah|ramadan|eid)\b"
    ),
    "habit": (
        r"\b(?:every (?:\w+ )?(?:day|week|month|year|morning|evening|night|weekend|summer|winter|\w+day)|usually|"
        r"always|never|(?:once|twice|three times|\d times) a (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|"
        r"fri|satur|sun)days|on weekends|daily|weekly)\b"
    ),
    "owned": (
        r"\b(?:car|bike|bicycle|motorcycle|motorbike|boat|house|apartment|flat|cabin|cottage|garden|piano|guitar|"
        r"violin|drum|collection|degree|phd|master's|diploma|licen[cs]e|certificate|tattoo|scar|business|shop|"
        r"company|bakery|cafe|restaurant|studio|blog|podcast|channel|farm|allotment|camera|telescope|console|pc|"
        r"computer|laptop|van|truck|caravan|pool|subscription|membership|condition|disorder|allergy|disease|"
        r"asthma|diabetes|migraines?|scholarship|contract|mortgage|visa|passport|citizenship|bookshelf|greenhouse|"
        r"workshop|tank|aquarium|beehives?|hives|chickens|goats|sheep|horses|cows|volvo|toyota|honda|bmw|tesla|"
        r"ford|vw|type [12])\b"
    ),
    "vague_having": (
        r" an? (?:\w+ )?(?:question|idea|feeling|problem|issue|hunch|thought|lot|bit|few|couple|chance|good|great|"
        r"nice|blast|point|favor|favour|look|try|think|plan|minute|second|moment|hard time|tough time|rough|ton|"
        r"bunch|day|week|weekend|request|story|suggestion|concern|doubt|sense|break|cold|headache|fever)\b"
    ),
    "occupation": (
        r"^ ?(?:an?|the|my|our) (?:[\w-]+ ){0,3}?(?:\w+(?:ist|eer|ician|ologist|grapher|wright|smith|tant|tect)|"
        r"(?:soft|hard)ware \w+|developer|designer|teacher|nurse|doctor|student|lawyer|manager|director|writer|"
        r"author|artist|painter|musician|singer|dancer|actor|actress|chef|cook|baker|driver|pilot|farmer|gardener|"
        r"carpenter|plumber|mechanic|builder|professor|lecturer|researcher|analyst|consultant|programmer|coder|"
        r"tester|translator|interpreter|editor|photographer|librarian|firefighter|officer|soldier|sailor|veteran|"
        r"paramedic|surgeon|midwife|vet|veterinarian|social worker|caregiver|carer|nanny|barista|waiter|waitress|"
        r"bartender|secretary|clerk|cashier|banker|broker|agent|entrepreneur|founder|ceo|cto|owner|freelancer|"
        r"contractor|intern|apprentice|trainee|postdoc|phd|freshman|sophomore|junior|senior|coach|trainer|tutor|"
        r"instructor|guide|monk|priest|pastor|rabbi|judge|attorney|accountant|auditor|biologist|chemist|twin|"
        r"widow|widower|single (?:mom|mother|dad|father|parent)|mother of|father of|mom of|dad of|native|citizen|"
        r"immigrant|refugee|member|volunteer|captain|goalkeeper|referee|physiotherapist|pharmacist|electrician|"
        r"stay-at-home \w+|head of|lead|vp|president|chair|treasurer)s?\b"
    ),
    "end_of_value": r"(?:,? (?:and|but|so|because|since|which|who|while|as)\b|[,;:] | [-–—] | which )",
    "no_time": r" (?:an? )?(?:[\w-]+ ){0,2}time\b",
    "a_picture": r" (?:this|that|these|those|a) (?:pic|photo|picture|shot|selfie)",
    "takes_up": r" up \w{4,}",
    "gets": (
        r" (?:a|an|the|my|our|two|three|some|myself|her|his|into|back from|another|this|new|tickets|back "
        r"together)\b"
    ),
    "gets_not": (
        r" (?:the right|a (?:surge|bit|feeling|lot|kick|chance|break|chuckle|sense|glimpse|call|message|text)|"
        r"the (?:chance|hang|feeling|point|idea|opportunity|message|vibe|gist)|my (?:point|hopes)|into (?:trouble|it)|"
        r"some (?:rest|sleep|time|air|help)|back from (?:my|the|a) (?:morning |evening )?(?:walk|run|work|gym))\b"
    ),
    "goes": (
        r" (?:to|on|hiking|camping|skiing|fishing|kayaking|surfing|biking|swimming|climbing|snowboarding|back to|"
        r"for|sailing|up|down|out|there|shopping|through|vegan|vegetarian)\b"
    ),
    "goes_not": (
        r" (?:through (?:a lot|a similar)|to the (?:store|shop|supermarket)\b|on and on|to (?:bed|sleep|say|show|"
        r"great)|for it|up to (?:him|her|them)|out of)"
    ),
    "makes": r" (?:a|an|the|my|our|some|this|these|it to|two|three|\d)\b",
    "makes_not": (
        r" (?:a (?:mistake|difference|big|huge|fool|joke|mess|point|list|note|lot|plan|living)|the (?:most|best|"
        r"decision|effort|mistake)|my (?:day|mind))"
    ),
    "does": r" (?:a|an|some|my|the|our|two|three)\b",
    "does_not": (
        r" (?:a (?:great|good|lot|bit)|my best|the (?:same|best|right|math|trick|job)|some (?:thinking|good|more))"
    ),
    "thin": (
        r" (?:a lot|so much|a ton|that|how much|in\b|up\b|last|across|to terms|out\b|about\b|for it|my keys|the "
        r"keys|busy)"
    ),
    "left_home": r" (?:through|away|home)\b",
    "on_me": r" me (?:on|in)\b",
    "somewhere": r"\b(?:in|at|for|as) (?:\w+ )*\w{3,}",
    "somehow": r" (?:out|hard|on|with|through)\b",
    "while_long": (
        r"\b(?:since|for (?:\d|a|an|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|over|almost|about|"
        r"the (?:past|last)|many|years|months)|lately|recently|every)\b"
    ),
    "lasting_at_once": r" (?:for|since)\b",
    "works_how": r" (?:\w+ )?(at|for|in|as|on)\b",
    "lasting": r"\b(?:for|since)\b",
    "place": (
        r" (?:\w+ )?(?:in|at|on|near|with|alone|outside|by|just|about|here|next|above|off|close|across|downtown|"
        r"abroad)\b"
    ),
    "post": (
        r" (?:\w+ )?(?:at|for|as|in|with|nights|days|from|part|full|shifts|remotely|mornings|weekends|near)\b(?! "
        r"(?:this|that|it)\b)"
    ),
    "definite": (
        r" (?:a|an|the|my|our|two|three|four|five|\d|his|her|size|marathons|bees|chickens|goats|sheep|hens|ducks|"
        r"rabbits|horses|pigeons)\b"
    ),
    "adverbial": (
        r" (?:up|out|well|hard|for (?:me|us)|like|on it|a role|a (?:big|huge|key|part)|it|with it|on improving|"
        r"busy|going|up with)\b"
    ),
    "stays": r" (?:\w+ )?(?:in|at|with|near)\b",
    "counted": (
        r" (?:a|an|two|three|four|five|six|\d+|twins|twin|type|asthma|diabetes|adhd|arthritis|epilepsy|celiac|"
        r"coeliac|migraines|dyslexia|(?:the|our|my)(?=.{3,60} on ))\b"
    ),
    "kin": r" (?:\w+ ){1,2}<rel>s?\b| (?:\w+ ){1,3}(?:children|kids|brothers|sisters|siblings)\b",
    "animal": r" (?:\w+ ){1,4}<pet>s?\b",
    "being": (
        r" ?(?P<what>in charge of|responsible for|from|based in|originally from|born|on call|pregnant|expecting|"
        r"colou?r-?blind|left-handed|diabetic|dyslexic|deaf|asthmatic|autistic|bilingual|retired|engaged|married|"
        r"divorced|single|widowed|self-employed|unemployed|an only child|on (?:medication|parental|maternity|"
        r"paternity|sabbatical))\b"
    ),
    "aged": r" ?\d{1,3}(?: years old| now|$| and| this| today)",
    "allergic": r" ?allergic",
    "diet": r" ?(?:vegan|vegetarian|lactose)",
    "article": r" ?(?:an?|the|my|our) ",
    "condition": (
        r" ?(?:in (?:a |the )?(?:wheelchair|hospital|care home|rehab|year \d|\w+ grade)|blind|deaf|(?:his|her) "
        r"own)"
    ),
    "bound": (r" (?:to (?:a|an|the|my|see)|on (?:a|an|vacation|holiday)|(?:back )?to|camping|hiking|skiing|away)\b"),
    "wedding": r" (?:married|divorced|engaged|promoted|a divorce)",
    "toward": r" (?:a|an|the|my|our|for|to|in|out|up)\b",
    "practises": r" (?:a|an|the|my|on (?:a|an|the|my)|to (?:play|code|cook|sail|speak|become|be)|how to)\b",
    "idle_future": (
        r" (?:it|that|this|there|able to|you|around|back|fine|ok|great|good|fun|here)?[^\w]*(?:soon|later|then|"
        r"now)?$"
    ),
    "intends": r"\b(?:going to|planning (?:on|to)|plan (?:on|to)|intend to)\b",
    "cannot": r"\b(?:can't|cannot|won't)\b",
    "can": r"\bcan\b",
    "no_longer": r"\bno longer\b",
    "event": r"<event>",
    "is": r" is ",
    "have_got": r"'ve|'s",
    "stage": (
        r"\b(?:in (?:open |closed |public |private )?(?:beta|alpha)|on hold|(?:mile|road)\w+|phase \w+|"
        r"licen[cs]e[: ]+(?:mit|apache|gpl|bsd)\b|testers|feature freeze|kick-?off|go-?live|is live|went live|mvp|"
        r"sprint \d+|paused|archived|feature-complete|code freeze|budget of|behind schedule|ahead of schedule)\b"
    ),
    "acquaintance": (
        r"<name>,? (?:an?|my|our) (?:[\w-]+ ){0,3}<rel>\b|\b(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){0,2}(?:[\w]+-)?<rel>,? [A-Z]|"
        r"\breports? to [A-Z]"
    ),
    "over": r"\b(?:former|previous|late)(?= )",
    "preference": (
        r"\b(?:lov(?:e|es|ed|ing)|i(?:'d)? (?:\w+ )?like|lik(?:es|ed)|hat(?:e|es|ed)|prefer\w*|favou?rites?|faves?|"
        r"enjoy\w*|dislik\w+|can't (?:stand|eat|drink|have|tolerate)|don't (?:\w+ )?(?:like|eat|drink)|never (?:eat|"
        r"drink|wear)|allerg\w+|intoleran\w+|vegan|vegetarian|fan of|fond of|keen on|into|never again|passion\w*|"
        r"rather|only|person)\b"
    ),
    "decision": (
        r"\b(?:decid\w+|decision|cho(?:se|sen|osing)|agreed|opt(?:ed|ing)|settl(?:ed|ing)|resolved|voted|"
        r"committed|picked (?!up\b)|go(?:ing)? with|went with|stick\w*|instead|rather than|switch\w*|no longer|"
        r"dropp\w+|ditch\w+|cancel\w*|quit\w*|replac\w+|turned down|reject\w+|accept\w+|gave up|adopt\w*|over the|"
        r"final)\b"
    ),
    "pronoun": (
        r" *(?:(?:doing|using|seeing|making|having|to do|to see) )?(?:it|that|this|them|these|those|you|him|her|"
        r"me|us|so|how|what|why|if|your|yours|like|to it|at it|about it|on it|with it|with that|for you|to you|"
        r"about that|on this|on that|the taste of (?:this|these|that))(?![\w-])(?! \w+(?:ed|er)? (?:to|for|in|"
        r"from|at|as)\b)"
    ),
    "intent": (
        r"(?P<lead>going to|planning (?:on|to)|hoping to|aiming to|supposed to|have to|has to|need to|needs to|"
        r"must|used to|about to|scheduled to|set to|due to|plan (?:on|to)|plans (?:on|to)|intend to|want to|wants "
        r"to|hope to|got to|expected to) (?:be )?(?!the\b|a\b|my\b|an\b|our\b|see how)(?P<verb>[a-z]+)"
    ),
}

# Words that stand capitalised at the head of a sentence and name nobody.
_NOT_NAMES_WORDS = """
    the this that these those it he she they we you i my our your his her their its there here what who how why
    where when if and but or so yes no not hey hi hello thanks thank oh wow well ok okay please just also maybe
    sure sorry great good nice cool awesome amazing congrats everyone everybody someone somebody anyone nobody
    nothing something everything people life today tomorrow yesterday tonight now then in on at by for from with
    to as is are was were do does did can could would should will may might must have has had be been one two some
    any all both each every many much most more another other such mom's monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november december let let's
    don't i'm i've i'll i'd it's that's there's he's she's we're being having seeing getting going looking taking
    making learning trying god damn lol haha hopefully glad happy excited congratulations bet nope mmm lots looks
    sounds feels seems love loved hate got had did been finally recently totally absolutely definitely gotta gonna
    wanna catch keep take let's have enjoy please successfully lesson listening lead version todo done already
    never using always first next step steps good hope wait actually speaking after before since because moments fingers
    prob such while learning those although though
    while until unless than like even only still especially"""
NOT_NAMES = frozenset(_NOT_NAMES_WORDS.split())

NAME = r"(?:(?:Dr|Mrs?|Ms)\.? )?(?:[OD]['’])?[A-Z][\w-]*(?: (?:(?:de|da|van|von|der|la|di) )?[A-Z][\w’'-]+){0,2}"

# What may stand before the subject of a clause: a time or place, or a subordinate clause with its comma.
FRONT = (
    r"(?P<front>(?:(?:[Ll]ast|[Oo]n|[Ii]n|[Aa]t|[Tt]his|[Yy]esterday|[Tt]oday|[Tt]omorrow|[Tt]onight|[Nn]ext|[Dd]uring|"
    r"[Ff]or|[Bb]ack|[Bb]y|[Oo]ver|[Ee]very|[Ww]ith|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Aa]|[Oo]ne|[Ee]arlier|[Ff]rom|"
    r"[Dd]ue|[Tt]hanks|[Bb]ecause of|[Aa]part|\d+)\b[^.;:?!]{0,58}?,? |(?:[Ss]ince|[Aa]fter|[Aa]s|[Oo]nce|[Bb]efore|"
    r"[Uu]ntil|[Ww]hen|[Ww]hile)\b[^.;:?!,]{3,58}, )?)"
)
BOUNDARY = (
    r"(?:^|(?<=, )|(?<=; )|(?<=[–—] )|(?<= - )|(?<=\. )|(?<=! )|(?<=: )|(?<=\() ?|(?<= and )|(?<= but )|(?<= so )|"
    r"(?<= because )|(?<= that )|(?<=[Ii] think )|(?<=[Ss]ays )|(?<=[Tt]hat's )|(?<= which )|(?<= then )|(?<= where )|"
    r"(?<= though )|(?<= now ))"
)
SUBJECT = (
    r"(?P<sub>(?P<drop>(?:[Jj]ust|[Ff]inally|[Rr]ecently|[Ee]nded up|[Oo]nly|[Jj]ust recently)? ?(?<![\w,] "
    r")(?=(?:<dropped>)\b))|(?P<i>[Ii](?=['’ ]))|(?P<we>[Ww]e(?=['’ ])|(?:[Mm]y (?:\w+ )?<rel>|[A-Z]\w+) and I(?= ))|"
    r"(?P<pro>(?:[Hh]e|[Ss]he)(?=['’ ]))|(?P<two>[A-Z]\w+ and [A-Z]\w+(?= [a-z]))|(?P<life>(?:[Tt]he|[Oo]ur|"
    r"[Mm]y) (?:divorce|wedding|surgery|operation|baby|twins|dog|cat|puppy|kitten|adoption|mortgage|visa|move|kids?|"
    r"children|parents|grandparents|in-laws|folks|house|flat|apartment|car|bike|laptop|phone|wallet|passport|hamster|"
    r"rabbit|horse|hip|knee|back|application|offer|paper|thesis|book|team)(?= ))|(?:[Mm]y|[Oo]ur) (?:\w+ "
    r")?(?P<rel><rel>(?:,? <name>)?),?(?= )|(?P<name><name>)(?= (?:\w+ )?[a-z]))"
)
# Verbs that open a sentence whose subject, the speaker, is left out.
DROPPED = """
    got gotten started bought sold selling buying moved moving joined adopted quit finished passed won lost broke
    signed booked took went had visited graduated married became ran met saw made attended hiked ordered published
    launched split inherited retired switched enrolled learned learnt baked hiring fell flew drove been painted
    planted built volunteered completed
"""

_OLD = (
    r"(?:(?:older|younger|elder|little|big|twin|eldest|oldest|youngest|new|dear|good|best|old|late|other|first|second|"
    r"former|ex|five|beloved|direct|girl|boy)[ -])*"
)
RELATIONS = (
    rf"\b(?:[Mm]y|[Oo]ur) {_OLD}(?P<rel>(?:<rel>|<pet>)),? (?P<name><name>)(?=$|[\s,.;:!?’'])"
    rf"|\b(?:[Mm]y|[Oo]ur) {_OLD}(?P<rel2>(?:<rel>|<pet>))(?:'s name is| is (?:called|named)|, named| "
    r"named| called|"
    r"'s called) (?P<name2><name>)"
    rf"|\b(?:[Mm]y|[Oo]ur) {_OLD}(?P<rel5>(?:<rel>|<pet>)) (?:across|from|in|at|next|down|on|of) [\w "
    rf"]{{2,25}}, (?P<name5><name>)(?=[,.])"
    r"|(?:^|(?<=[.,;!] ))(?P<rel6>(?:[Uu]ncle|[Aa]unt|[Aa]untie|[Gg]randma|[Gg]randpa|[Cc]ousin)) "
    r"(?P<name6><name>)(?= (?:is|was|has|and|[a-z]+ed|got|died|moved|lives|works|turns|turned|came|went))"
    r"|(?P<name3><name>)(?: is|’s|'s|,|, that's| [-–—] (?:that's|he's|she's)|, who is|, who's) (?:my|our) "
    rf"{_OLD}(?P<rel3>(?:<rel>|<pet>))\b(?!['’])"
    rf"|\b(?P<of><name>)['’]s {_OLD}(?P<rel7><rel>)(?: is|,)? (?P<name7><name>)(?=$|[\s,.;:!])"
    rf"|(?P<name4><name>) and I (?:are|have been|were) (?P<rel4>{_OLD}(?:<rel>s|engaged|married|cousins|siblings|"
    rf"neighbou?rs))\b"
)

# What is said of a thing: subject, attribute, verb, value; `<does>` is the verb, `<its>` an article before a name.
DOES = (
    r"(?:now |currently |actually |also |always |still |only |just )*(?P<verb>is|are|was moved to|were moved "
    r"to|moved to|moved from|has moved to|have moved to|lives?|runs?|listens?|points? to|uses?|requires?|"
    r"needs?|expires?|defaults? to|costs?|closes|opens|starts|ends|belongs? to|supports?|has|have|stores?|"
    r"connects? to|depends? on|weighs?|measures?|takes?|leaves?|arrives?|restarts?|reboots?|rotates?|is "
    r"called|is named|is hosted|is deployed|sits|resides?|serves?|speaks?|writes? to|keeps?|goes through|go "
    r"through|lands? in|gets?|holds?|reads? from|pulls? from|pushes to|ships? with|ships?|allows?|accepts?|"
    r"returns?|answers? on|sends? to|goes to|go to|comes? from|talks? to|rejects?|caps? at|is capped at|maxes "
    r"out at|bills?|charges?|times? out|happens?|expires?|drops?|fails over|prefers?|wants?|insists? on|pays?|"
    r"ends up in|logs to|got upgraded to|was upgraded to|got renamed to|was renamed to)"
)
ITS = r"(?:[Tt]he |[Oo]ur |[Mm]y |[Aa]ll (?:the )?)?"
SHAPES: tuple[str, ...] = (
    r"<its>(?P<e>[\w][\w .&/-]{1,40}?)(?:'s|’s) (?P<a>[\w][\w -]{1,30}?) <does>(?P<v>(?: |:).+)",
    (
        r"[Tt]he (?P<a>[\w][\w -]{1,30}?) (?:of|for|on|in|to) <its>(?P<e>[\w][\w .&/-]{1,40}?) "
        r"<does>(?P<v>(?: |:).+)"
    ),
    r"<its>(?P<e>[\w][\w .&/()-]{1,50}?) <does>(?P<v>(?: |:).+)",
    (
        r"(?P<a>[\w][\w -]{1,30}?) (?:on|of|for) (?:the |our |all )?(?P<e>[\w .-]{2,40}?)(?: project)?(?: is|:)"
        r"(?P<v> .+)"
    ),
    (
        r"(?P<e>[\w][\w ./-]{1,40}?)(?: (?P<a>port|host|url|ip|address|version|path|user|branch|region|timezone|status|"
        r"owner|deadline|budget|email|phone|birthday))?: ?(?P<v>\S.{0,120})"
    ),
    r"(?P<v>[A-Z][\w.+#-]* v?\d[\w.]*) on (?P<e>(?:all |the )[\w .-]{2,40}?)(?: as of .*| now| from .*)?$",
)


@cache
def cue_regex(name: str) -> re.Pattern[str]:
    """A pattern of the list by its name, compiled at first use."""
    return re.compile(expand_english_lists(CUES[name]))


def expand_english_lists(pattern: str) -> str:
    """A pattern with the lists it names written out: `<name>`; group names stay."""
    dropped = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in DROPPED.split())
    lists = load_grammar("en").words | {"name": NAME, "dropped": dropped, "does": DOES, "its": ITS}
    for _ in range(2):  # a list may name another
        pattern = re.sub(r"(?<!\?P)<([a-z]+)>", lambda match: lists[match[1]], pattern)
    return pattern
