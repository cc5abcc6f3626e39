"""Colloquial, elliptical and topic-first sentences of German, as rules beside the plain ones."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

_TOPIC = r"(?!das |es |so |was |wenn |dass |ob |wer |wie |man |du |ich |wir )"
_NOT = r"(?:gar |überhaupt |leider |so |wirklich )*(?:nicht|nie|niemals|kein\w*)"
_WISHED = r"(?:wäre|hätte|würde|könnte|möchte|sollte|müsste|dürfte)"
_PAST = r"(?:habe|hab|bin|war|hatte|hat|ist|sind|haben|wurde|wurden|waren|gestern|letzte\w*|vorgestern)"
_NOW = (
    r"(?:wohn|arbeit|leb|heiss|heiß|find|glaub|denk|hoff|freu|mag|kenn|versteh|studier|mein|lieb|hass|fürcht|"
    r"vermut|frag|brauch|sprech)"
)
_WEEKLY = r"(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|werktags|täglich|jeden|jede)"

KEYED: tuple[RuleRow, ...] = (
    ("attribute", "tool", "", "", (
        r"(?!.*\b(?:nicht|geändert|seit \w+ nicht|wenn)\b)(?:der |die |das )?(?P<a>port|host|hostname|ip|ip-adresse|"
        r"pfad|version|url|domain|region|branch) (?:von|vom|der|des|für|unser\w*|auf) (?:der |die |das |den |dem |"
        r"unser\w* )?(?P<e>[^,:]{2,40}?) (?:ist|lautet|heisst|heißt|wurde|bleibt)(?: jetzt| nun| auf| neu| die|"
        r" der)* (?P<v>[^ ]*[\d./-].*)")),
    ("attribute", "person", "", "", (
        r"(?!.*\b(?:nicht|geändert)\b|mein|der |die |"
        r"das )(?P<e>[a-zäöüß-]{3,15}?)s? (?:hat (?P<v>am .{2,20}) )?(?P<a>geburtstag|"
        r"telefonnummer|handynummer|adresse)(?:$|(?: ist| lautet| fällt)(?: der| die| auf| den| am)* .{3,})")),
)  # fmt: skip

EARLY: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:für später|fürs protokoll|(?:kleine )?notiz(?: an mich)?|für die akten|"
        r"speicher\w*(?: bitte)?(?: dir)?"
        r"(?: ab)?|fürs nächste mal|präg dir (?:bitte )?ein|schreib dir (?:bitte )?(?:auf|hinter die ohren)|"
        r"damit (?:du|ihr|wir)(?: es| das)? .{0,15}(?:weisst|weißt|wisst|wissen|vergisst|vergessen)|"
        r"vergiss (?:bitte )?(?:auch )?nicht)(?:: |, dass |, )(?P<q>.{6,})")),
    ("correction", "", "", "", (
        r"(?:korrektur|berichtigung|nachtrag|ich korrigiere|da habe ich mich (?:vertan|geirrt)|ich habe mich (?:vertan|"
        r"geirrt|verschrieben|versprochen)|verschrieben|mein irrtum|nicht ganz|ups|hoppla)[,:;.!] ?(?P<q>(?=.*(?:\d|"
        r"\bnicht\b|\bstatt\b|\bsondern\b)).{6,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?:auch|selbst|nicht einmal) (?P<e>.{3,50}?) (?P<v>(?:hat|haben|half|halfen|brachte|brachten|konnte|löste|"
        r"behob|änderte)\b.{0,60}\b(?:nicht|nichts|kein\w*)\b.*)|(?:an|am) .{3,40} (?:lag|liegt|"
        r"hat) es (?:\w+ )?nicht\b.*|.{3,60} (?:hat|haben|hatte) .{3,60}\bnicht (?:behoben|gelöst|beseitigt|verbessert|"
        r"verhindert|beschleunigt|repariert)\b.*|trotz .{4,60}\b(?:immer noch|weiterhin|nach wie vor|unverändert|"
        r"bleibt|weiter|erneut)\b.*|.{3,60} (?:war (?:auch )?(?:ein )?(?:holzweg|fehlschlag|irrweg|schuss in den ofen)|"
        r"führte? (?:zu nichts|nicht weiter|in die sackgasse)|bringt uns nicht weiter|ohne jeden? \w+|"
        r"blieb (?:\w+ )?(?:wirkungslos|folgenlos|erfolglos)|ist keine lösung).*")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:fehl|schlug|streikt|spinn|blockier|\bhing\b|stürz|fror|schlägt|hakt|klemm|nicht (?:erreichbar|"
        r"gefunden|gestartet|geladen|mehr)|problem|defekt|kaputt|weil|leer))(?!ich |wir haben uns)"
        r"(?P<e>.{5,}?)[,;:.–] ?(?P<v>(?:(?:mit|nach|seit) (?!dir|mir).{2,50}\b(?:läuft|geht|klappt|lief|ging|stimmt|"
        r"funktioniert|startet|bleibt|ist (?:ruhe|es weg|er weg|alles))\b|es (?:fehlte|reichte|genügte|half)\b|"
        r"(?:ein|eine) .{3,30} (?:half|hilft|hat geholfen)|geholfen hat\b|abhilfe\b).*)")),
    ("opinion", "preference", "I", "thinks", (
        rf"{_TOPIC}(?P<e>.{{3,50}}?) (?P<v>(?:ist|sind|wirkt|wirken|bringt|bringen|taugt|hat|haben|macht|kostet|"
        r"lohnt sich) (?:\w+ )?(?:meiner (?:meinung|ansicht) nach|meines erachtens|in meinen augen|für meinen "
        r"geschmack|aus meiner sicht|finde ich|m\. ?e\.) .{3,})|"
        r"von (?P<a>.{3,40}?) halte ich .{3,}|ich halte .{3,60} für .{3,}|"
        r"(?:ich bin (?:der (?:meinung|ansicht)|überzeugt|dagegen|dafür)|wenn du mich fragst|mein eindruck|"
        r"mein fazit|ich bleibe dabei)\b.{8,}|.{5,60}, finde ich$")),
    ("preference", "preference", "I", "allergy", (
        r"(?:von|bei|auf|nach) (?P<v>.{3,30}?) (?:bekomm|krieg|reagier|hab)e? ich .{0,20}(?:ausschlag|atemnot|"
        r"quaddeln|bauch\w+|kopf\w+|migräne|pickel|allergisch|durchfall|juckreiz|pusteln|krämpfe)\b.*|"
        r"(?:gegen|auf) (?P<e>.{3,30}?) (?:bin|reagiere) ich .{0,20}allergisch.*|"
        r"(?P<a>[\w -]{3,30}) vertrag\w* ich (?:gar |überhaupt |leider )*nicht.*|ich vertrage .{3,40}")),
    ("preference", "preference", "I", "dislikes", (
        rf"{_TOPIC}(?P<v>[\w -]{{3,40}}?),? (?:(?:das|den|die) )?(?:kannst du mir .{{4,30}}|können mir .{{4,30}}|"
        rf"kann "
        rf"mir gestohlen bleiben|(?:geht|gehen) (?:bei mir|für mich) (?:gar|überhaupt) nicht|(?:ist|sind) "
        rf"(?:so )?(?:gar |überhaupt )?nicht mein(?:e|s)?(?: ding| fall| sache)?|(?:ekelt|ekeln|widert|nervt|"
        rf"nerven|stört) mich(?: .{{2,20}})?|bekommt mir nicht.*|(?:mag|ess|trink|nehm|kauf|benutz|verwend|rühr|"
        rf"ertrag|hass|verabscheu|meid)e? ich (?:\w+ )?(?:{_NOT}(?: an| mehr)?|wie die pest)|"
        rf"kommt mir nicht .{{3,}}|krieg\w* ich nicht runter|find\w* ich (?:eklig|furchtbar|scheusslich|widerlich|"
        rf"grässlich))(?=$|[,;.!]| weil ).*|ich (?:meide|verzichte auf|lasse die finger von) .{{3,}}|um .{{3,30}} "
        r"mache ich einen .{0,10}bogen")),
    ("preference", "preference", "I", "likes", (
        r"mir (?:ist|sind|schmeckt|schmecken|gefällt|gefallen) (?!es |das |nicht)(?P<v>.{3,60}\b(?:lieber|am "
        r"liebsten|am besten|besser)\b.*)|auf .{2,40} (?:steh|schwör)e? ich\b.*|"
        rf"{_TOPIC}(?P<e>[\w -]{{3,40}}?) (?:könnte ich (?:jeden tag|täglich|dauernd|immer|ständig|stundenlang) "
        r"\w+.*|(?:ist|sind) mir (?:viel |deutlich )?lieber\b.*|(?:ist|sind) (?:genau |voll |total )?mein ding.*|"
        r"geht (?:bei mir )?immer|(?:mag|lieb|ess|trink|nehm|hör|les)e? ich (?:am liebsten|sehr|besonders|lieber|"
        r"total|immer|nur|für mein leben)\b.*)|ohne .{3,30} (?:geht bei mir nichts|komme ich nicht .*)|(?:es|"
        r"nichts) "
        r"geht (?:mir )?(?:nichts )?über .{3,40}|ich (?:schwöre auf|bin (?:total |ganz |völlig )?(?:verrückt|"
        r"süchtig) "
        r"nach|bin eher (?:der|die|ein|eine)|bin (?:ein )?\w+(?:mensch|typ)\b|habe? (?:eine )?(?:vorliebe|schwäche) "
        r"für|habe? es (?:gern|lieber)|(?:trinke|esse|nehme|bestelle|mag) mein\w* ).{2,}|"
        rf"(?:mein|den|die|das)\w* (?P<a>[\w -]{{3,30}}?) (?:trink|ess|nehm|bestell|mag)e? ich (?!heute|jetzt|"
        rf"gerade).{{3,}}"
    )),
    ("preference", "preference", "I", "instruction", (
        rf"ich (?!bin|hab|war|vergess|komm|{_NOW}|weiss|weiß|muss|kann){_TOPIC}\w+e? (?:\w+ )?(?:immer|nie|niemals|"
        r"grundsätzlich|prinzipiell|ausschliesslich|ausschließlich|nur noch|stets) (?P<v>(?!noch|wieder).{4,})|"
        r"(?:bitte )?(?:immer|nie|niemals|nie wieder|keinesfalls|auf keinen fall) (?P<e>.{5,}(?:en|ern|eln))$|"
        r"(?:bitte )?(?:antwort|schreib|sprich|nenn|verwend|benutz|nutz|formulier|schick|sag|mach|frag|lösch|nimm|"
        r"gib|zeig|bau|erstell|leg|speicher|commit\w*|push|prüf|test|lass|setz|halt|acht|füg|führ|kürz|rechn|"
        r"übersetz|erklär|red|lies|meld|start|rund)e?\b (?:[\w-]+,? ){0,5}?(?:immer|nie|niemals|stets|"
        r"grundsätzlich|ausnahmslos|künftig|in zukunft|nur noch|keine?n?)\b.*|"
        r"(?:bitte )?(?:verzichte|achte|vermeide|halte dich) .{0,20}?(?:auf|immer|kurz|an|\w+) .{4,}|"
        r"(?:ich (?:will|möchte|wünsche mir)|mir (?:reicht|reichen|genügen)) (?:nur |bitte |immer )*(?:keine?n?|"
        r"kurze|"
        r"knappe|ausführliche|antworten|erklärungen|stichworte|dass du)\b.{4,}|"
        r"(?:für|in|bei) (?:mein|dein|all|unser|jed)\w* .{3,40}\b(?:bitte|gilt) .{3,}|"
        r".{5,60}(?:antworte|schreib|verwende|nutze|frag)e? (?:mir |mich )?(?:bitte )?(?:immer|nie|nur|stets) .{4,}|"
        r"(?:bitte )?(?:keine?n?|nur|mehr|weniger) .{3,40}(?:in (?:den|deinen|der) (?:antwort|commit|text|code|"
        r"kommentar)\w*.*|bitte$)|so (?:halten|machen) wir es immer.*|(?:abgemacht|regel|grundregel): .{6,}")),
    ("decision", "decision", "", "decision", (
        r"wir (?:nehmen|bleiben|setzen|machen|lassen|behalten|streichen|verwerfen|kaufen|stellen|wechseln|steigen|"
        r"führen|verkaufen|buchen|mieten)(?: es| das| uns)?(?: also| jetzt| nun| dann)?(?: doch| definitiv| endgültig|"
        r" also| künftig| fortan| auf jeden fall)+ (?P<v>.{4,})|.{0,60}\b(?:fiel|fällt) die (?:wahl|"
        r"entscheidung) .{4,}|(?:den zuschlag|das rennen) (?:bekommt|bekam|erhält|erhielt|macht|machte|hat|"
        r"geht an) .{3,}|(?:beschlossen|entschieden|abgemacht|beschluss|entscheidung|festgelegt|ausgemacht|gebongt|"
        r"es steht fest|beschlossene sache)(?: ist| vom .{3,20}| gefallen)?[,:] .{5,}|(?:statt|anstelle|"
        r"anstatt) .{3,40} (?:nehmen|setzen|nutzen|verwenden|machen|kommt|kommen|benutzen|gibt|haben|läuft|tritt|"
        r"kaufen|verkaufen) .{3,}|.{8,}, (?:so|das|darauf|dabei|dafür) (?:haben|hat|ist|bleibt|"
        r"wurde).{0,20}(?:geeinigt|verständigt|beschlossen|entschieden|vereinbart|abgemacht|es)$|wir (?:haben|"
        r"sind) .{2,40}\b(?:verworfen|gestrichen|abgewählt|abgelehnt|ausgesucht|festgelegt|gewechselt|umgestellt|"
        r"umgestiegen|abgelöst|abgeschafft|zugunsten)\b.*|wir (?:verzichten|verabschieden uns|trennen uns|steigen um|"
        r"stellen um)\b.{4,}|.{3,60} (?:wird|werden) (?:nun |doch |also )*(?:nicht weiter(?:verfolgt| verfolgt)|"
        r"gestrichen|abgeschafft|durch .{3,40} ersetzt|nicht umgesetzt|verworfen).*")),
    ("event", "event", "I", "event", (
        r"(?!.*\bnicht\b)(?:seit .{3,20} |jetzt |nun |heute )?(?:bin ich|ich bin|sind wir|wir sind|"
        r"meine frau ist) (?:jetzt |nun |seit .{3,15} |offiziell |frisch |endlich |wieder |im \w+ monat "
        r")*(?:geschieden|verheiratet|verlobt|schwanger|in rente|im ruhestand|arbeitslos|single|getrennt|papa|mama|"
        r"vater|mutter|eltern|oma|opa|selbst\w*ndig|rauchfrei|umgezogen|gesund|krebsfrei)\b(?! (?:mit|"
        r"seit \w+ jahren)).*|(?:wir|meine \w+|mein \w+) (?:erwarten|erwartet|kriegen|bekommen|bekommt|"
        r"kriegt) .{0,20}(?:kind|baby|nachwuchs|zwillinge|mädchen|jungen|sohn|tochter)\b.*|"
        r"(?!.*\bnicht\b)(?=.*\b(?:ich|wir|mein\w*|unser\w*|uns|mir)\b)(?=.*\b(?:starb|zur welt|heiratete\w*|gewann\w*|"
        r"verlor|kaufte\w*|verkaufte\w*|kündigte\w*|zog(?:en)? .*(?:nach|um|ein|aus|zusammen)|eröffnete\w*|gründete\w*|"
        r"adoptierte\w*|bestand .*(?:prüfung|abschluss|abitur|examen)|(?:bekam|kriegte|erhielt)\w* .*(?:kind|stelle|"
        r"job|zusage|stipendium|diagnose|preis|visum))\b).*|(?!.*\bnicht\b).{0,30}\b(?:ich|wir) (?:habe|hab|"
        r"haben) .{3,60}\b(?:stelle|job|wohnung|stipendium|studienplatz|visum|pass|diplom|führerschein|preis|zusage|"
        r"haus)\b.{0,20}\b(?:gefunden|ergattert|erhalten|gemacht|bekommen|geerbt|gewonnen)\b.*")),
    ("commitment", "plan", "", "appointment", (
        r"(?=.*(?:<when>|\d))(?!.*\b(?:war|hatte|verpasst|gestern)\b)(?:der |die |das |mein\w* |"
        r"unser\w* )?(?P<e>[\w -]{0,25}(?:termin|prüfung|sitzung|besprechung|treffen|meeting|flug|flieger|hochzeit|"
        r"abgabe|umzug|gespräch|konzert|elternabend|lieferung|demo|workshop|konferenz|klausur|operation|feier|übergabe|"
        r"seminar|premiere|wartung|deadline|vernissage|beerdigung|taufe|kickoff|release|messe|impfung|"
        r"untersuchung)[\w ]{0,25}?),? (?P<v>(?:ist|findet|beginnt|startet|geht|steht|wurde|sind|endet|fällt|liegt|"
        r"wird)\b(?! (?:vorbei|durch|gut|schon)).{0,40}\b(?:am|um|bis|ab|im|in|auf|nächste\w*|kommende\w*|morgen|"
        r"übermorgen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b.*)|(?=.*<when>)(?!ich |wir |man |"
        r".*\bwar\b|.*\bwenn\b).{2,60}\b(?:muss|müssen)\b.{3,}|(?=.*\b\d{1,2}(?:[:.]\d\d)? ?uhr\b)(?!.*\b(?:war|ist|"
        r"hat|hatte|öffnet|schliesst|schließt|nicht|läuft|startet|wird)\b)(?:am |nächsten |kommenden |"
        r"diesen )?(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|übermorgen|"
        r"\d{1,2}\.).{6,60}$")),
    ("commitment", "plan", "I", "plan", (
        rf"(?=.*<when>)(?!.*\b{_PAST}\b)(?!.*\b{_WISHED}\b)(?!wenn |falls |ob |dass |seit )"
        r"(?!.*\b(?:immer|jeden|jede|meistens|normalerweise|oft|vielleicht|nicht|irgendwann|heute)\b)(?:.{3,60}?\b"
        rf"(?!{_NOW})(?:\w*(?<!t)e|\w*(?:trete|starte|halte|biete|richte|miete|arbeite)|muss|will) ich\b.{{4,}}|"
        rf".{{3,60}}?\b(?!{_NOW})\w+(?<!t)en wir\b.{{4,}}|ich (?!{_NOW})\w*(?<!t)e\b .{{4,}}|"
        rf"wir (?!{_NOW})\w+(?<!t)en\b .{{4,}}|.{{3,60}}, (?:versprochen|ehrenwort|fest zugesagt))")),
    ("attribute", "fact", "I", "from", (
        r"(?:aufgewachsen|geboren|gross geworden|groß geworden) (?:bin|wurde) ich (?P<v>(?:in|auf|am|bei|im)\b.{3,})|"
        r"ich (?:bin|wurde) (?P<e>(?:in|auf|im|am) .{3,40}?) (?:aufgewachsen|geboren).*|ich (?:komme|stamme|"
        r"bin) (?:ursprünglich |eigentlich |gebürtig )+(?P<a>aus .{3,})")),
    ("attribute", "fact", "I", "occupation", (
        r"(?:beruflich|hauptberuflich|nebenberuflich|von beruf|von haus aus|im hauptberuf) (?:bin|mache|arbeite|"
        r"unterrichte|leite) ich (?P<v>.{4,})|ich verdiene mein(?:e|en)? (?:geld|brötchen|lebensunterhalt) "
        r"(?P<e>.{4,})|(?:ich|wir) (?:betreibe|betreiben|besitze|besitzen|vermiete|bewohne|bewohnen|engagiere mich|"
        r"pendle|gehöre|belege|absolviere) .{4,}|ich mache (?:seit .{3,15} )?(?:eine|ein|meine) (?:lehre|ausbildung|"
        r"master|bachelor|doktorat|praktikum|studium|fernstudium|umschulung)\b.*")),
    ("attribute", "fact", "I", "", (
        r"mein(?:e|em)? (?P<a>auto|büro|arbeitsplatz|konto|vorname|nachname|zweitname|mädchenname|kennzeichen|hobby|"
        r"schuhgrösse|schuhgröße|blutgruppe|sternzeichen|muttersprache|studium|studienfach|studiengang|beruf|"
        r"spitzname|geburtstag|arbeitsweg|verein|instrument|wohnung|haus|garten|velo|motorrad|kater|katze|hund|"
        r"konfession|heimatstadt|heimatort|grösse|größe|iban)\w*,? (?:das |der |die )?(?:ist|sind|heisst|heißt|"
        r"liegt|steht|"
        r"dauert|lautet|hat|wiegt) (?P<v>(?!kaputt|weg|leer|voll|müde|krank|gerade|heute|mir|so|zu|nicht|schon)"
        r".{3,})")),
    ("attribute", "person", "", "", (
        r"(?:die |der |das )?(?P<a>handynummer|telefonnummer|nummer|mailadresse|e-mail|adresse|geburtstag|"
        r"geburtsdatum) (?:von|der|des|mein\w*) (?P<e>(?:<rel> )?[\w ]{2,25}?) (?:ist|lautet|hat sich|endet|geht) "
        r"(?P<v>.{3,})")),
    ("attribute", "person", "", "", (
        r"(?!der |die |das |es |er |sie |man |wer |was |ich |wir |du |ihr |mein|unser|dies|jeder|niemand|keiner|"
        r"alle |"
        r"heute |jetzt |hier |da |so )(?P<e>(?:tante |onkel |oma |opa |frau |herr |dr\. |kollege |kollegin )?"
        r"[a-zäöüß-]{3,15}) (?P<v>(?:verträgt (?:kein|nicht)|mag (?:kein|lieber|am|nur|nicht|gern|sehr)|isst "
        r"(?:kein|nur|nie|vegan|vegetarisch|gern)|trinkt (?:kein|nur|nie|gern)|hasst|liebt|ist (?:allergisch|"
        r"vegetarier|vegetarisch|veganer|vegan|gegen .{3,30} allergisch|linkshänder|von beruf|gelernte|hebamme|"
        r"zuständig)|hat (?:eine \w+(?:allergie|intoleranz)|zwei kinder|drei kinder|ein kind|am .{2,20}geburtstag)|"
        r"wohnt (?:in|bei|jetzt|seit|neben|im)|lebt (?:in|seit|jetzt)|arbeitet (?:bei|als|in|seit|jetzt|im|für)|"
        r"studiert|unterrichtet|spricht (?:fliessend|fließend|kein|\w+isch)|spielt (?:seit|in|bei|klavier|geige|"
        r"gitarre|handball|fussball|fußball)|bevorzugt|reagiert allergisch|fürchtet|leitet|kommt aus|stammt aus)"
        r"\w*\b.*)")),
    ("attribute", "person", "", "", (
        r"(?:mein|unser)(?:e|er)? (?P<e><rel>(?: [\w-]+)?),? (?:(?:der|die) )?(?P<v>(?:studiert|arbeitet|wohnt|lebt|"
        r"unterrichtet|verträgt|bevorzugt|isst|trinkt|besitzt|züchtet|sammelt|betreibt|führt|lernt|macht (?:eine|"
        r"ihr|sein)|stammt|reagiert|wird (?:am|im) .{3,20} \d+|redet|findet|raucht|ist (?:allergisch|von beruf|"
        r"gegen))\b.{3,})")),
    ("attribute", "project", "", "status", (
        r"(?:das |unser |beim |im |am )?projekt (?P<e>[\w„“\"»«-]+),? (?P<v>(?:[a-zäöüß]+t|soll|wird|wurde|"
        r"geht)\b.{2,})|"
        r".{0,40}\bprojekt\b.{0,25}?\b(?:leitet|verantwortet|übernimmt|betreut|koordiniert|steuert)\b.{3,}")),
)  # fmt: skip

LATE: tuple[RuleRow, ...] = (
    ("attribute", "fact", "I", "does", r"seit .{3,25} (?!habe|bin|warte|suche)\w+e ich (?P<v>.{3,})"),
    ("decision", "decision", "", "decision", r"wir \w+en (?:ab sofort|künftig|in zukunft|fortan|ab \w+) (?P<v>.{4,})"),
    ("attribute", "procedure", "", "steps", r"wer (?P<e>.{3,40}) (?:will|möchte|braucht|hat|muss), .{6,}"),
    ("attribute", "project", "", "status", r"projekt (?P<e>[\w-]+): (?P<v>.{5,})"),
    ("attribute", "procedure", "", "steps", (
        r"(?:zum|um|für) .{4,60}?,? (?:\w+t|muss|müssen|kann|reicht) (?:man|es|ein|der|die|das) .{5,}|"
        r"(?:will|möchte) man .{4,60}, .{6,}|man \w+t .{4,60}\b(?:mit|über|per|indem|via|unter) .{3,}|"
        r".{3,40}: (?:erst|zuerst|zunächst|als erstes) .{5,}|(?!ich|wir).{0,40}\b(?:erst|zuerst|zunächst) .{4,60}"
        r"(?:, |; | und )(?:dann|danach|anschliessend|anschließend|zuletzt) .{4,}|"
        r"(?!.*<tech>)(?P<e>.{4,40}) (?:läuft|laufen|erfolgt|erfolgen|bestellt man|meldet man|beantragt man|"
        r"bekommt man) (?:immer |nur )?(?:über|per|via|mit|beim|bei|am)\b.{3,}|.{3,30}: [^,]{3,40}, [^,]{3,40}, "
        r"(?:dann |danach |und |zuletzt |fertig).*|vor (?:jedem|jeder) .{3,40}\b(?:muss|müssen|wird|"
        r"werden)\b .{4,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+))(?!ich |wir |du |es |wenn |kannst |bitte |warum )(?:der |die |"
        r"das |unser\w* |alle )?(?P<e>.{2,50}?) (?P<v>(?:landen|landet|laufen|lauten|hören|erlaubt|akzeptiert|"
        r"unterstützt|antwortet|verlangt|erreicht man|erreichst du|gibt es|hängt|rotieren|rotiert|bleiben|bleibt|rennt|"
        r"sitzt|bietet|lauschen|nimmt|verfällt|verfallen|erwartet|kommt|geht|gilt|haben wir)\b.{2,})|"
        r"(?=.*<tech>)(?P<a>[\w -]{2,40}): .{0,20}\b(?:port|version|v)\b ?\d.*")),
    ("attribute", "fact", "", "", (
        rf"(?:der|die|das|unser\w*) (?P<e>[\w -]{{3,40}}?) (?P<v>(?:öffnet|schliesst|schließt)\b.{{3,}}|(?:hat|ist|"
        rf"wird) {_WEEKLY}\b.{{3,}}|(?:kostet|beträgt|fasst|misst)\b.*\d.*)")),
    ("attribute", "fact", "I", "has", (
        r"(?:ich|wir) (?:habe|haben|fahre|fahren) (?:eine?n?|zwei|drei|vier|fünf) (?:\w+ )*?(?P<v>\w*(?:<pet>|dackel|"
        r"welpe\w*|hühner|bienen\w*|pudel|kind|kinder|töchter|söhne|enkel|geschwister|zwillinge|auto|wagen|volvo|vw|"
        r"bmw|audi|tesla|fiat|golf|skoda|toyota|opel|kombi|camper|wohnmobil|velo|fahrrad|e-bike|roller|ferienhaus|"
        r"ferienwohnung|werkstatt|balkon|boot|gitarre|geige|klavier|hypothek|firma|laden|hof)\b.*)")),
)  # fmt: skip
