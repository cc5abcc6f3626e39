"""The words and patterns of German."""

from __future__ import annotations

from commonplace.extract.languages import Grammar, RuleRow
from commonplace.extract.languages.german_colloquial import EARLY, KEYED, LATE

WORDS: dict[str, str] = {
    "lead": (
        r"(?:(?:ach|na|also|ja|und|aber|übrigens|ach übrigens|hallo|hi|hey|danke|vielen dank|gut|okay|ok|super|"
        r"nun|tja|oh|ach so|ehrlich gesagt|stimmt|genau|"
        r"kleine info|zur info|info|gute nachricht\w*|sorry|nebenbei|apropos|leider|zum glück|endlich|"
        r"heureka)\b(?:[,!:.…]+ *| - | – | (?=(?:ich|wir|mein|meine|der|die|das|am|seit|letzte)\b)))"
    ),
    "noise": (
        r"^(?:wenn|falls|stell dir vor|angenommen|was wäre|ob|irgendwann|vielleicht|eventuell|mal sehen|lass uns|"
        r"kannst|könntest|magst|soll)\b|"
        r"^(?:ich|wir|man) (?:wäre|hätte|würde|könnte|müsste|sollte|wünschte)\b|\birgendwann\b.*\bmüsste\b|"
        r"\b(?:steht|stand|heisst es|heißt es|sagt|sagte|schreibt|meinte)\b.{0,12}[\"„«“]|\b(?:wäre|hätte) ich\b|"
        r"\bglaub(?:e)?,? ich (?:werde|nehme|mach)|\bmerk dir (?:das|es|dies) (?:bitte )?nicht|\bnicht merken\b|"
        r"\bsoll(?:en)? .*(?:haben|sein)$|\bangeblich\b|\b(?:hat|haben) (?:\w+ )?(?:gesagt|gemeint|erzählt|behauptet|"
        r"gefragt)\b|^(?:hätten?|wären?|würden?|könnten?) |\b(?:würde|hätte) (?:ich )?(?:gerne?|so gern)\b|"
        r"^(?:warnung|info|debug|fehler): (?!gefunden)"
    ),
    "rel": (
        r"(?:schwieger|stief|groß|gross|ur|halb|zwillings|paten|ex-?)?(?:mutter|mama|mami|vater|papa|schwester|"
        r"bruder|sohn|tochter|frau|mann|partner(?:in)?|freund(?:in)?|tante|onkel|cousin(?:e)?|göttis?|gotte|götti|"
        r"patin|pate|stiefvater|cousins?|"
        r"nichte|neffe|oma|opa|enkel(?:in)?|kind|chef(?:in)?|kolleg(?:e|en|in)|nachbar(?:in|n)?|vermieter(?:in)?|"
        r"mitbewohner(?:in)?|ärztin|arzt|zahnarzt|hausarzt|lehrer(?:in)?|trainer(?:in)?|betreuer(?:in)?|"
        r"verlobte[r]?|schwager|schwägerin|patenkind|klassenlehrer(?:in)?|anwalt|anwältin|steuerberater(?:in)?)"
    ),
    "pet": r"(?:hund|hündin|katze|kater|kaninchen|hamster|pferd|wellensittich|papagei|schildkröte|meerschweinchen)",
    "tech": (
        r"\b(?:\w*server|\w*datenbank|db|host|port|api|schnittstelle|repo|repository|cluster|runner|cache|logs?|"
        r"\w*dienst|\w*service|bucket|queue|pipeline|build|version|backups?|sicherung\w*|wlan|router|kopierer|scanner|switch|vlan|beamer|firewall|kamera|\w*drucker|"
        r"vpn|ssh|"
        r"domain|vm|container|docker|nginx|proxy|gateway|knoten|token|zertifikat|branch|cron\w*|app|frontend|"
        r"backend|laptop|nas|staging|prod|produktion|testsystem|testumgebung|rechner|redis|postgres|mysql|python|"
        r"node|timeout|endpunkt|pfad|ip|url|limit|passwort|jenkins|gitlab|grafana|konfiguration)\b"
    ),
    "when": (
        r"\b(?:bis|spätestens|morgen|übermorgen|heute abend|nächste[nrs]?|kommende[nrs]?|diese[nrs]? (?:woche|"
        r"monat|jahr|freitag|montag|wochenende)|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|"
        r"sonntag|wochenende|\d)|"
        r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|ende (?:der|des|monat|jahr|januar|"
        r"februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|im (?:januar|februar|märz|"
        r"april|mai|juni|juli|august|september|oktober|november|dezember|frühling|sommer|herbst|winter)|in "
        r"(?:einer|zwei|drei|vier|\d+) (?:woche|wochen|tagen|monaten)|ab (?:januar|februar|märz|april|mai|juni|"
        r"juli|august|september|oktober|november|dezember|nächst\w+))\b"
    ),
    "plan": r"\b(?:frist|abgabe\w*|termin|sitzung|meeting|treffen|deadline|fällig|besprechung)\b",
    "person": r"\b(?:geburtstag|telefonnummer|handynummer|nummer von|\w+s nummer|handynummer)\b",
    "tool": (r"\b(?:\w*server|\w*datenbank|port|host|api|cluster|repo|domain|ip|url|dienst|router|version)\b"),
    "procedure": (
        r"\bbevor (?:man|du|ihr)\b|\blässt sich\b.*\bmit\b|\b(?:startet|öffnet|aktiviert|entsperrt|schaltet) man\b"
    ),
    "did": (
        r"(?:\w*gezogen|gekauft|verkauft|bekommen|gekriegt|geheiratet|verlobt|verheiratet|getrennt|scheiden lassen|"
        r"geschieden|geboren|zur welt gekommen|gestorben|verstorben|bestanden|durchgefallen|abgeschlossen|gekündigt|"
        r"angefangen|begonnen|gestartet|gebrochen|verstaucht|operiert|gewonnen|verloren|adoptiert|befördert|besucht|"
        r"geflogen|gereist|eröffnet|gegründet|gelaufen|gebaut|renoviert|unterschrieben|verletzt|gewechselt|beendet|"
        r"teilgenommen|aufgehört|entlassen|eingestellt|gepflanzt|gespendet|gemietet|gebucht|veröffentlicht|promoviert|"
        r"pensioniert|angenommen|zugesagt|gestohlen|geklaut|übernommen|bestiegen|geschafft|abgegeben|eingereicht|"
        r"eingeschult|diagnostiziert|gewählt|ausgezeichnet|angemeldet|pensionieren lassen|gestürzt)"
    ),
}

_TAIL = r"(?=$|[,;:.!?]| weil | und | aber | – )"

RULES: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:bitte )?(?:merke?n? (?:dir|sie sich|wir uns|euch)|denke? (?:bitte )?(?:dran|daran)|vergiss (?:bitte "
        r")?nicht|nicht vergessen|vergesst nicht|notiere?(?: dir)?|behalte?(?: bitte)? im (?:kopf|hinterkopf)|"
        r"zur erinnerung|wichtig|merke|erinnere? (?:dich|mich)|vermerke?|halte?(?: bitte)? fest|schreib(?: dir)? "
        r"auf|fürs protokoll|gut zu wissen|nb)(?: bitte| mal| noch| auch| dran| daran)*"
        r"(?:: | - |, dass |, |,? daran, dass )(?P<q>.{6,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?P<e>.*?)(?P<v>\b(?:(?:hat|haben|hatte) (?:\w+ ){0,3}?(?:nichts gebracht|nicht geholfen|nicht "
        r"funktioniert|nicht geklappt|nichts geändert|nichts genützt|keinen unterschied\w*|keine wirkung\w*)|"
        r"brachte nichts|bringt (?:auch )?nichts|"
        r"hilft (?:auch )?nicht|half (?:auch )?nicht|nützt(?:e)? nichts|ohne erfolg|vergeblich|erfolglos|eine "
        r"sackgasse|keine besserung|kein unterschied|änderte nichts|ändert nichts|war (?:reine "
        r")?zeitverschwendung|(?:probiert|versucht|getestet)[,:]? .{0,40}?(?:geht nicht|ging nicht|klappt nicht|"
        r"nichts|immer noch|trotzdem|gleiche))\b.*)")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:fehler|problem|abst[uü]rz|bug|kaputt|timeout|h[iä]ng|fehlgeschlagen|falsch|gecrasht|crash|defekt|"
        r"störung|ausfall|langsam|brach|ging nicht|lief nicht|scheiter|leck|exception|warnung|"
        r"\b[45]\d\d\b))(?P<e>.*?)(?P<v>\b(?:behoben|gelöst|lag (?:an|am|daran)|liegt (?:an|am|daran)|ursache|"
        r"(?:der )?grund (?:war|dafür)|seit ?dem|geholfen hat|hat geholfen|repariert|korrigiert|jetzt (?:geht|läuft|"
        r"klappt)|läuft (?:es |er |sie |alles )?wieder|geht (?:es |er |sie |alles |nun |jetzt )?wieder|lösung|wieder$|"
        r"kam (?:von|vom|daher|durch)|schuld war|nun (?:geht|läuft)|stimm\w+ .*wieder|weg(?:en)? )\b.*)")),
    ("correction", "", "", "", (
        r"(?:(?:nein|nee|nö|falsch|korrektur|stimmt nicht|das stimmt nicht|das ist falsch|moment|sorry|pardon|"
        r"entschuldigung|halt|quatsch|doch nicht|irrtum|ich habe mich geirrt|mein fehler)\b[^\w]{1,3})+"
        r"(?P<q>(?!danke|alles|kein problem|schon gut|ist (?:schon )?gut|macht nichts|ich (?:weiss|weiß|glaube|"
        r"komme|bin)|du\b)(?:.{3,}? (?:ist|sind|war|heisst|heißt|lautet|läuft|findet|beginnt|kommt|wohnt|"
        r"arbeitet|hat)\b|es |das |die |der |am |um ).{2,})")),
    ("correction", "", "", "", (
        r"(?P<q>.{4,90}? (?:und )?nicht (?:mehr )?(?:am |um |in |bei |der |die |das "
        r")?(?P<c>[\w:.-]{1,30}))$(?<!nicht so)(?<!nicht mehr)(?<!nicht da)")),
    ("correction", "", "", "", (
        r"(?:ich meinte|gemeint war|gemeint ist|ich wollte sagen|richtig ist|es (?:muss|müsste) heissen):? "
        r"(?P<q>.{3,})")),
    ("correction", "", "", "", (
        r"(?P<q>.{3,60}? (?:hat sich geändert|ist falsch|war falsch|stimmt nicht mehr|ist veraltet)[,;:.] .{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,60}\b)?(?:wir|ich|das team|der vorstand|man) (?:haben?|hat|hab|sind|ist)(?: uns| mich| sich)? "
        r".*\b(?:entschieden|beschlossen|geeinigt|festgelegt|ausgewählt|vereinbart|verständigt|durchgerungen|"
        r"abgemacht)\b(?P<v>.*)")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,50}?[,:] )?(?:es bleibt (?:also )?bei|(?:wir|ich) (?:bleiben?|nehmen?|setzen?|steigen?|"
        r"wechseln?|verwenden?|nutzen?|verzichten?|entscheiden?|stellen?)(?: uns| mich| also| jetzt| künftig| "
        r"nun)*(?: bei| auf| um| für| zu| von| statt)?|beschluss|beschlossen|entscheidung|entschieden|die wahl "
        r"fiel auf|die entscheidung fiel|abgemacht)\b(?= .*\b(?:statt|anstatt|anstelle|weil|da|künftig|ab sofort|"
        r"von nun an|nicht|bei|für|auf|um|wird)\b|:)(?P<v>.{4,})")),
    ("preference", "preference", "I", "allergy", (
        r"(?:.{0,30}, )?ich (?:bin|reagiere)\b.{0,40}?\b(?:gegen |auf )?(?P<v>.{0,40}?)\b(?:allergisch|intolerant|"
        r"unverträglich)|ich (?:habe|hab) eine (?P<a>\w+)(?:allergie|intoleranz|unverträglichkeit)|ich vertrage "
        r"(?:keine?n?|\w+ nicht)")),
    ("preference", "preference", "I", "dislikes", (
        r"ich (?:mag|esse|trinke|nehme|kaufe|trage|will|möchte|benutze)\b(?: \w+){0,2}? (?P<v>(?:keine?n?|nie|"
        r"niemals|überhaupt|gar) .{3,})|ich (?:hasse|verabscheue) (?!es\b|das\b)(?P<e>.{3,})|ich kann .{3,50} "
        r"nicht (?:leiden|ausstehen|ab|riechen)|(?:.{3,40}) (?:kann|mag) ich (?:gar |überhaupt )?nicht(?: leiden| "
        r"ausstehen)?") + _TAIL),
    ("preference", "preference", "I", "likes", (
        r"ich (?:mag|liebe|bevorzuge|schwärme|stehe? (?:total )?auf|bin (?:ein )?(?:grosser |großer |riesiger "
        r")?(?:fan|liebhaber|freund)(?:in)? |esse (?:am liebsten|gern|sehr gern|lieber)|trinke (?:am liebsten|"
        r"gern|lieber)|\w+e (?:\w+ )?(?:am liebsten|lieber|sehr gerne?|besonders gerne?)) ?(?!es\b|das\b|"
        r"dich\b)(?P<v>.{3,})|ich bin (?P<a>veganer|vegetarier|vegan|vegetarisch|nichtraucher|frühaufsteher|"
        r"nachteule)|am liebsten (?P<e>.{4,})|(?:.{3,40}) (?:mag|liebe|esse|trinke) ich (?:am liebsten|sehr|"
        r"besonders|lieber|total)")),
    ("preference", "preference", "I", "favorite", (
        r"mein(?:e|er|en|em)? (?:absolute[rs]? )?(?P<a>lieblings\w+) (?:ist|sind|war|bleibt|heisst|"
        r"heißt)(?P<v>.+)|(?P<e>.{2,40}) ist mein(?:e|er)? (?:absolute[rs]? )?lieblings\w+")),
    ("preference", "preference", "", "instruction", (
        r"(?:ab jetzt|ab sofort|in zukunft|künftig|von nun an|zukünftig|ab heute|grundsätzlich)[, "
        r"](?!.*\b(?:wohne|arbeite) )(?P<v>.{6,})|(?:bitte )(?:immer|nie|niemals|keine?|nicht mehr|auf deutsch|"
        r"nur) (?P<e>.{5,})|(?:bitte )?(?:antworte|schreib|sprich|nenn|duz|verwende|benutze|nutze|formuliere|"
        r"schick|sag|mach|frag|lösche|nimm)e?(?: \w+){0,3}? (?:bitte )?(?:immer|nie|niemals|keine?n?|stets|nur|"
        r"auf deutsch|per du)\b.*|(?:bitte )?(?:duze|sieze) mich.*|wenn du .{4,60}, (?:dann )?(?:bitte|immer|nie|"
        r"lass|nimm|schreib|gib|frag|mach) .{4,}")),
    ("opinion", "preference", "I", "thinks", (
        r"(?:ich (?:persönlich )?(?:finde|glaube|denke|meine|halte|fand)|meiner (?:meinung|ansicht) nach|meines "
        r"erachtens|aus meiner sicht|für mich|persönlich finde ich|m\. ?e\.)(?: ja| halt| einfach| ehrlich "
        r"gesagt|, dass|,)? (?!(?:ich|wir|du|ihr|es|das|er|sie|schon|nicht|mal|so|dass? (?:wir|ich|"
        r"du))\b)(?P<e>[\w-]+(?: [\w-]+){0,4}?) (?P<v>.{5,})|(?P<a>.{3,40}) (?:finde|fand|halte) ich (?:.{4,})")),
    ("attribute", "person", "", "birthday", (
        r"(?:mein|unser)(?:e|er)? (?P<e><rel>(?: [\w-]+)?) (?:ist|wurde) (?P<v>(?:am|im) .{3,30}) geboren\b.*")),
    ("commitment", "plan", "I", "plan", (
        r"(?=.*<when>)(?!.*\b(?:habe|bin|war|hatte|hat|ist) .*(?:ge\w+[tn]|\w+iert)\b)(?:.{0,60}\b(?:ich|"
        r"wir)\b.*\b(?:werden?|schicke\w*|sende\w*|mache\w*|liefere\w*|reiche\w*|bringe\w*|gebe\w*|rufe\w*|muss|"
        r"müssen|plane\w*|vor|wollen?|will|fliege\w*|ziehe\w*|fahre\w*|fange\w*|beginne\w*|starte\w*|heirate\w*|"
        r"schreibe\w*|überweise\w*|bezahle\w*|zahle\w*|erledige\w*|besorge\w*|hole\w*|komme\w*|melde\w*|"
        r"kümmere\w*|trete\w*|kündige\w*|stelle\w*|lade\w*|buche\w*|organisiere\w*|kaufe\w*|verspreche\w*|"
        r"versprochen|nehme\w*|gehe\w*|bereite\w*|prüfe\w*|aktualisiere\w*|laufe\w*)\b.*|.*\b(?:versprochen|"
        r"zugesagt)\b.*)")),
    ("commitment", "plan", "", "deadline", (
        r"(?=.*(?:<when>|\d))(?:die |der |das )?(?P<e>.{3,50}?)\b(?:ist fällig|muss .{0,40}?(?:sein|abgegeben|"
        r"fertig|eingereicht|raus|geschickt|werden)|(?:frist|deadline|abgabe\w*|termin)\b).*")),
    ("commitment", "plan", "I", "plan", (
        r"(?=.*<when>)(?:ich|wir) (?:habe|haben|hab)\b.{0,40}\b\w*(?:termin|prüfung|flug|gespräch|sitzung|"
        r"meeting)\b.*|(?:ich|wir) (?:habe|haben|hab) (?:vor|versprochen|geplant|zugesagt)\b.{6,}|(?:ich|wir) "
        r"(?:plane|planen|trainiere|trainieren|spare|sparen|bereite) .{6,}")),
    ("event", "event", "I", "event", (
        r"(?!.*\bnicht\b)(?=.*\b<did>\b)(?:.{0,30}\b)?(?:ich|wir)\b.{0,30}?\b(?:bin|habe|hab|haben|sind|wurde|"
        r"wurden)\b.*|(?!.*\bnicht\b)(?=.*\b<did>\b)(?:.{0,30}\b)?(?:habe?|bin|sind|haben|wurde)\b.{0,12}\b(?:ich|"
        r"wir|mir|mich|uns)\b.*")),
    ("event", "event", "", "event", (
        r"(?!.*\bnicht\b)(?=.*\b<did>\b)(?:.{0,40}\b)?(?:(?:mein|unser)(?:e|er|en)? (?P<e><rel>)\b|(?!der |die |"
        r"das |es |er |sie )[\w-]+ )(?:[\w-]+ )?(?:hat|ist|wurde|haben)\b.*")),
    ("attribute", "fact", "I", "lives_in", (
        r"(?:.{0,30}\b)?(?:ich|wir) (?:wohnen?|leben?)(?: (?:seit|jetzt|noch|derzeit|immer)\b.{0,20}?)? "
        r"(?P<v>(?:in|bei|im|auf|mit|am)\b.{3,})|seit .{3,25} (?:wohne|lebe) ich .{3,}")),
    ("attribute", "fact", "I", "employer", (
        r"(?:.{0,30}\b)?ich (?:arbeite|jobbe|unterrichte|leite|studiere|lerne|spiele|spreche|fahre|besitze|"
        r"trainiere|heisse|heiße|komme aus|stamme|sammle|züchte|singe|führe|mache eine (?:ausbildung|"
        r"lehre))\b(?P<v> (?!gerade am\b|noch\b|nicht\b|ich\b).{4,})|seit .{3,25} (?:arbeite|studiere|lerne|"
        r"spiele) ich .{3,}")),
    ("attribute", "fact", "I", "occupation", (
        r"ich bin (?:von beruf |gelernte[rs]? |seit .{3,20} )?(?P<v>\w+(?:in|er|arzt|ärztin|eur|ist|istin|mann|"
        r"frau|loge|login|ant|wirt|pfleger)|\d+ jahre alt|linkshänder\w*|schwanger|geschieden|verheiratet|"
        r"farbenblind|rentner\w*)\b(?: (?:bei|in|am|an|für|von|im)\b.*|$|,.*)")),
    ("attribute", "fact", "I", "has", (
        r"(?:ich|wir) (?:habe|haben|hab) (?:seit .{3,20} )?(?P<v>(?:eine?n?|zwei|drei|vier|fünf|\d+) (?:\w+ "
        r")?(?:<pet>\w*|kinder|söhne|töchter|brüder|geschwister|schwestern|auto|motorrad|garten|schrebergarten|"
        r"haus|hunde|katzen|diabetes|asthma|abo|boot|klavier)\b.*)|mein(?:e)? (?P<e><pet>) .{4,}")),
    ("attribute", "person", "", "", (
        r"(?:mein|unser|sein|ihr)(?:e|er)? (?P<e><rel>(?: [\w-]+)?) (?P<v>(?:ist|wohnt|lebt|arbeitet|studiert|"
        r"spielt|hat|heisst|heißt|kommt|leitet|spricht|mag|hasst|liebt|fährt|geht)\b(?! (?:heute|gerade|krank|"
        r"müde|nett|lieb|so|sehr|total|halt|immer noch))(?! (?:mir|mich) ).{4,})|(?P<a>[\w-]+)s? (?:geburtstag|"
        r"telefonnummer|handynummer|nummer|adresse) (?:ist|lautet).{4,}|(?:der )?geburtstag von .{2,30} ist .{4,}|"
        r"[\w-]+ hat am .{2,20} geburtstag.*")),
    ("attribute", "project", "", "status", (
        r"(?:das |unser )?projekt (?P<e>[\w„\"»«“-]+) (?P<v>(?:ist|läuft|startet|steht|hat|wird|liegt|endet|geht|"
        r"pausiert)\b.{3,})|(?:.{0,40})\b(?:im|beim|vom|das) projekt [\w„\"-]+ (?:leitet|ist|läuft|hat|macht|"
        r"übernimmt)?.{3,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+|[\w-]+-\w+))(?!ich |wir |du |es |wenn |kannst |bitte )(?:der "
        r"|die |das |unser(?:e|er)? |auf dem |im )?(?P<e>.{2,50}?) (?P<v>(?:ist|läuft|laufen|hat|heisst|heißt|"
        r"liegt|liegen|steht|stehen|hört|lauscht|nutzt|verwendet|zeigt|braucht|lautet|speichert|schreibt|startet|"
        r"sind|werden|wird|befindet|wurde|zieht|wohnt|kostet)\b.{2,})|(?=.*<tech>)(?P<a>[\w -]{2,30}): ?\S*\d.*")),
    ("attribute", "procedure", "", "steps", (
        r"(?=.{20,})(?:um .{4,60} zu \w+[,:] .{8,}|(?P<e>.{3,50}) (?:geht|macht|beantragt|startet|erstellt|"
        r"installiert|bekommt|bestellt|meldet)(?: man| sich)* (?:so|wie folgt|folgendermassen)\b.{6,}|so (?:geht|"
        r"macht|startet|installiert) .{3,50}: .{6,}|erst .{4,60}, dann .{6,}|zuerst .{4,80} dann .{6,})")),
)  # fmt: skip

GRAMMAR = Grammar(
    WORDS,
    EARLY[:1] + KEYED + EARLY[1:] + RULES + LATE,
    relations=(
        (
            r"(?i:\b(?:mein|unser)(?:e|en|em|er)? (?:\w+e[nr]? )?(?P<rel><rel>)),? (?P<name>[A-ZÄÖÜ][\wäöüß-]+(?: "
            r"[A-ZÄÖÜ][\wäöüß-]+)?)"
        ),
        (
            r"(?i:\b(?:mein|unser)(?:e|er)? (?:\w+e[nr]? )?(?P<rel><rel>) (?:heisst|heißt|ist)) "
            r"(?P<name>[A-ZÄÖÜ][\wäöüß-]+(?: [A-ZÄÖÜ][\wäöüß-]+)?)(?=$|[ ,.])"
        ),
        (
            r"(?P<name>(?:Frau |Herr |Dr\. )?[A-ZÄÖÜ][\wäöüß-]+(?: [A-ZÄÖÜ][\wäöüß-]+)?) (?i:ist|,) (?i:(?:mein|"
            r"unser|die|der)(?:e|er)? (?:\w+e[nr]? )?(?P<rel><rel>)(?: von mein\w*)?)\b"
        ),
    ),
)
