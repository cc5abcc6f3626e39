"""The words and patterns of English."""

from __future__ import annotations

from commonplace.extract.languages import Grammar
from commonplace.extract.languages.english_families import FAMILIES
from commonplace.extract.languages.english_plain import NOISE, PLAIN
from commonplace.extract.languages.english_rules import CORRECTIONS, REMEMBER, RULES
from commonplace.extract.languages.english_states import STATES

WORDS: dict[str, str] = {
    "noise": NOISE,
    "lead": (
        r"(?:(?:oh|ah|well|yeah|yea|yes|yep|yup|also|so|and|but|btw|by the way|anyway|anyways|fyi|honestly|hmm?|umm?|"
        r"uh|haha|lol|wow|whoa|ugh|ok|okay|sure|right|true|cool|nice|awesome|great|sweet|aw+|man|guess what|"
        r"you know what|just so you know|for your information|in fact|you know|plus|then|thanks(?: again| so much|"
        r" a lot)?|thank you|sounds good|got it|long story short|turns out|it turns out|as it turns out|"
        r"between you and me|speaking of which|to be honest|tbh|unfortunately|luckily|fortunately|sadly|apparently|"
        r"funny enough|as you know|good news|bad news|big news|update|quick update|heads up|one more thing|besides|"
        r"lately|and yes|i mean|you see|look|listen|happy to say|i'm happy to say|i have to say|"
        r"believe it or not)(?:[,!:;.…]+ *(?:that )?| - | – | — | (?=(?:i|i'm|i've|i'll|we|we're|we've|my|our|the|that|"
        r"by|last|this|it|actually|just|and|but|so|also|btw)\b))|speaking of (?!which)[\w' -]{3,40}, |(?:hey|hi|hello|"
        r"dear|thanks|thank you|wow|oh|yeah|yes|congrats|cool|nice|awesome|sorry)[ ,]+\w+[,!:.]+ )"
    ),
    "adv": (
        r"(?: (?:just|recently|finally|also|really|actually|always|usually|still|already|only|even|currently|"
        r"officially|"
        r"once|often|sometimes|both|now|totally|absolutely|definitely|honestly|truly|especially|generally|typically|"
        r"mostly|mainly|normally|personally|probably|lately|eventually|initially|originally|first|then|much|kind of|"
        r"sort of|soon|again|together|successfully|accidentally|almost|nearly|ended up|managed to|got to|decided "
        r"to|started to|began to|did))*"
    ),
    "rel": (
        r"(?:(?:half|step|god|great|grand|twin|foster|ex)[ -]?)?(?:mother|mom|mum|father|dad|sister|brother|son|"
        r"daughter|wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|fiancé|fiancée|spouse|aunt|uncle|cousin|"
        r"niece|nephew|grandmother|grandma|granny|nana|grandfather|grandpa|grandad|granddad|grandson|granddaughter|"
        r"child|kid|baby|boss|manager|supervisor|mentor|colleague|coworker|co-worker|teammate|roommate|flatmate|"
        r"housemate|neighbour|neighbor|friend|best friend|doctor|dentist|therapist|landlord|landlady|lawyer|accountant|"
        r"assistant|coach|trainer|teacher|tutor|professor|advisor|client|business partner|co-founder|cofounder|godson|"
        r"goddaughter|auntie|nan|eldest|youngest|middle one|firstborn|goalkeeper|drummer|babysitter|nanny|physio|vet|"
        r"hairdresser|bandmate|team lead|successor|predecessor|mate|pen pal|godmother|godfather|twin)(?:-in-law)?"
    ),
    "pet": r"(?:dog|cat|puppy|pup|kitten|kitty|parrot|rabbit|bunny|hamster|horse|pony|turtle|tortoise|guinea pig|pet)",
    "like": r"(?:love|like|enjoy|adore|prefer|hate|dislike|detest|loathe|favou?r|fancy|dig|despise)",
    "hate": r"(?:can't stand|cannot stand|can't bear|cannot bear|don't (?:really )?(?:like|enjoy|eat|drink|care for)|"
    r"do not (?:like|eat|drink|want)|never (?:eat|drink|touch|buy|wear|use|take|fly|order)|won't (?:eat|drink|touch)|"
    r"can't (?:eat|drink|have|tolerate|handle)|cannot (?:eat|drink|have|tolerate))",
    "tech": (
        r"\b(?:server|servers|db|database|port|ports|host|hostname|ip|dns|api|apis|endpoint|repo|repository|staging|"
        r"prod|production|cluster|runner|runners|cache|redis|postgres|postgresql|mysql|sqlite|logs?|service|services|"
        r"bucket|queue|broker|ci|pipeline|deploy|deployment|build|builds|url|version|config|backup|backups|wifi|wi-fi|"
        r"router|printer|vpn|ssh|domain|subdomain|vm|container|docker|kubernetes|k8s|nginx|proxy|gateway|node|nodes|"
        r"python|token|certificate|cert|tls|webhook|branch|cron|cron job|cronjob|app|frontend|backend|laptop|nas|smtp|"
        r"imap|kafka|rabbitmq|grafana|prometheus|jenkins|gitlab|github|dashboard|schema|table|timeout|rate limit|quota|"
        r"sdk|cli|firmware|kernel|os|linux|ubuntu|debian|registry|index|scheduler|worker|workers|disk|mirror|instance|"
        r"load balancer|firewall|package|library|sandbox|test environment|environment)\b"
    ),
    "technical": (
        r"(?:^|[\s(\"'`])(?:/[\w.-]+/[\w./-]*|\w[\w-]*\.(?:internal|local|example|org|com|net|io|dev|ch|de|"
        r"lan)\b[\w./:-]*|\d{1,3}(?:\.\d{1,3}){3}|[\w.-]+:\d{2,5}\b|\d+ ?(?:kb|mb|gb|tb|KB|MB|GB|TB|ms|mbit|gbit|rps|"
        r"qps)\b|https?://\S+|v?\d+\.\d+(?:\.\d+)*\b|[a-z]+-\d+\b|[a-z]+_[a-z_]+\b)"
    ),
    "order": (
        r"use|write|run|commit|push|pull|ask|reply|answer|respond|send|check|add|put|include|call|format|test|"
        r"deploy|merge|start|sign|cc|bcc|book|schedule|delete|remove|edit|touch|change|quote|"
        r"cite|round|show(?: me)?|tell me|give me|send me|summari[sz]e|translate|address|make|create|open|close|"
        r"save|store|log|share|post|mention|suggest|recommend|order|buy|wait|confirm|double-check|verify|explain|"
        r"leave|set|convert|assume|keep|end|begin|wrap|indent|squash|rebase|tag|back up|backup|lock|invite|"
        r"forward|export|import|install|update|upgrade|restart|reboot|store|label|name|number|prefix|attach|"
        r"spell|capitali[sz]e|"
        r"bring up|speak|talk|message|text|email|ping|phone|interrupt|accept|pay|charge|bill|serve|feed|pack|"
        r"turn|switch|clean|sort|list|print|cut|quote|refer|link|review|approve|publish|discuss|reveal|disclose|"
        r"read|describe|disable|enable|skip|omit|wear|cook"
    ),
    "when": (
        r"\b(?:by|before|until|till|on|this|next|tomorrow|tonight|today|end of|in (?:a|an|one|two|three|four|five|six|"
        r"\d+|january|february|march|april|may|june|july|august|september|october|november|december)|at \d|(?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)day|due|deadline|no later than|latest|eod|eow|asap|\d{1,2}(?::\d\d)? ?[ap]m|"
        r"\d{4}-\d\d-\d\d)\b"
    ),
    "event": (
        r"\b(?:meeting|standup|stand-up|call|appointment|interview|party|wedding|exam|flight|dinner|lunch|deadline|"
        r"launch|release|demo|review|conference|trip|concert|game|match|race|checkup|check-up|class|rehearsal|kickoff|"
        r"kick-off|retro|workshop|webinar|delivery|inspection|audit|presentation|talk|funeral|ceremony|festival|"
        r"session)\b"
    ),
}

GRAMMAR = Grammar(WORDS, REMEMBER + CORRECTIONS + FAMILIES + RULES + STATES + PLAIN)
