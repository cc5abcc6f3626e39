"""The gate's words of German."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "ack": (
        "ja, nein, jo, jep, nö, ok, okay, gut, alles klar, klar, genau, stimmt, richtig, danke, danke schön, "
        "dankeschön, vielen dank, danke sehr, besten dank, bitte, bitte schön, bitte sehr, gern, gerne, "
        "gern geschehen, gerne doch, kein problem, keine ursache, passt, passt so, verstanden, ich verstehe, "
        "einverstanden, super, prima, toll, perfekt, klasse, schön, sehr gut, sehr schön, wunderbar, hallo, hi, "
        "guten morgen, guten tag, guten abend, gute nacht, moin, servus, grüß gott, tschüss, tschüß, bis bald, "
        "bis später, bis morgen, auf wiedersehen, ciao, wie geht's, wie geht es dir, wie geht es ihnen, weiter, "
        "mach weiter, weiter so, nur zu, los, aha, ach so, hm, hmm, haha, entschuldigung, sorry, schade, "
        "glückwunsch, herzlichen glückwunsch, gut gemacht, erledigt, in ordnung, geht klar, mache ich, wird gemacht"
    ),
    "filler": (
        "so, sehr, das, die, der, es, ist, war, und, aber, dann, jetzt, nochmal, auch, dir, ihnen, für, deine, "
        "ihre, hilfe, antwort, alles, mir, mal, doch, schon, ich, dich, du, wir, na, nun, wieder, ganz, echt"
    ),
    "todo": (
        "zu erledigen, müssen noch, muss noch, müsste, müssten, sollten wir, wir müssen, wir sollten, ich muss, "
        "ich sollte, nicht vergessen zu, noch machen, man müsste"
    ),
    "explanation": (
        "weil, denn, da sonst, sonst, andernfalls, damit, um zu vermeiden, deshalb, deswegen, daher, wegen, "
        "aufgrund, der grund, nämlich"
    ),
    "transient": (
        "in arbeit, noch nicht, nächster schritt, nächsten schritt, nächste schritte, warte auf, warten auf, "
        "moment, einen moment, einen augenblick, augenblick, sekunde, ich schaue, ich prüfe, ich sehe nach, "
        "schaue gerade, prüfe gerade, läuft gerade, läuft noch, fast fertig, gleich fertig, vorerst, im moment, "
        "im augenblick, gerade dabei, bin dabei, versuche es erneut, ich bin müde, ich habe hunger, wird gerade"
    ),
    "rule": (
        "immer, nie, niemals, jedes mal, ab jetzt, ab sofort, künftig, in zukunft, regel, regeln, vorschrift, "
        "vorschriften, richtlinie, richtlinien, pflicht, verboten, verpflichtend, unter keinen umständen, "
        "auf keinen fall, standardmäßig, grundsätzlich, ausnahmslos, ohne ausnahme, unbedingt"
    ),
    "modal": "muss, müssen, soll, sollen, darf nicht, dürfen nicht, erforderlich, notwendig, wichtig",
    "preference": (
        "bevorzug*, am liebsten, lieber, lieblings*, vorliebe, vorlieben, ich mag, mag, mögen, ich liebe, liebt, "
        "gefällt, hasse, hasst, mag kein, mag keine, mag keinen, kann nicht leiden, statt, anstatt, schätzt"
    ),
    "decision": (
        "entschieden, entscheiden uns, entscheidung, entscheidungen, beschlossen, beschluss, gewählt, ausgewählt, "
        "uns geeinigt, haben uns auf, geeinigt, festgelegt, wir nehmen, wir verwenden künftig, vereinbart, "
        "umgestiegen auf"
    ),
    "relation": (
        "mutter, vater, mama, papa, eltern, schwester, schwestern, bruder, brüder, geschwister, ehefrau, "
        "meine frau, ehemann, mein mann, partner, partnerin, freund, freundin, freunde, sohn, söhne, tochter, "
        "töchter, kinder, oma, opa, großmutter, großvater, tante, onkel, cousin, cousine, neffe, nichte, chef, "
        "chefin, kollege, kollegin, kollegen, mitbewohner, mitbewohnerin, nachbar, nachbarin, vermieter, "
        "vermieterin, arzt, ärztin, zahnarzt, zahnärztin, anwalt, anwältin, schwiegermutter, schwiegervater, "
        "verlobte, verlobter, hund, katze"
    ),
    "life": (
        "geboren, geburtstag, hochzeitstag, jahrestag, verheiratet, geheiratet, verlobt, geschieden, wohnt, wohne, "
        "wohnen, lebt in, umgezogen, zieht nach, arbeitet, arbeite bei, arbeite als, beruf, angestellt, "
        "eingestellt, rente, studiert, studium, abschluss, spricht, stammt aus, kommt aus, aufgewachsen, "
        "gestorben, verstorben, adresse, telefonnummer, heißt, heiße, spitzname, hochzeit"
    ),
    "health": (
        "allergisch, allergie, allergien, unverträglichkeit, intoleranz, diagnos*, medikament, medikamente, "
        "insulin, blutgruppe, diabet*, asthma*, schwanger, schwangerschaft, operiert, operation, geimpft, impfung, "
        "rezept, vegetarier, vegetarierin, vegetarisch, vegan, veganer, veganerin, zöliakie, migräne*, chronisch"
    ),
    "money": (
        "gehalt, lohn, miete, budget, rechnung, preis, kostet, kosten, euro, kredit, darlehen, schulden, steuer, "
        "steuern, gebühr, gebühren, abo, abonnement, kontonummer"
    ),
    "lesson": (
        "ursache, behoben durch, gelöst durch, lösung, umgehung, workaround, lektion, gelernt dass, lag an, "
        "lag daran, verursacht durch, funktioniert nicht, hat nicht geholfen, half nicht, fehlerquelle, "
        "stolperfalle, vorsicht"
    ),
    "recurring": (
        "täglich, wöchentlich, monatlich, jährlich, jeden tag, jede woche, jeden monat, jedes jahr, jeden montag, "
        "jeden dienstag, jeden mittwoch, jeden donnerstag, jeden freitag, jeden samstag, jeden sonntag, montags, "
        "dienstags, mittwochs, donnerstags, freitags, samstags, sonntags, stündlich, nachts"
    ),
    "progress": (
        "erledigt, fertig, abgeschlossen, gepusht, gemergt, ausgerollt, hochgeladen, tests laufen durch, "
        "tests sind grün, datei erstellt, datei angelegt, neu gestartet"
    ),
    "laughter": "haha, hihi, hehe, lol",
    "strict negation": (
        "nicht, kein, keine, keinen, keinem, keiner, keines, nie, niemals, niemand, nichts, ohne, weder, nicht mehr"
    ),
    "strict limit": "außer, nur, kaum, ehemalig*, früher",
    "pole person 1": "ich, mich, mir, mein, meine, meinen, meinem, meiner, meines",
    "pole person 2": "du, dich, dir, dein, deine, deinen, deinem, deiner",
    "pole person he": "er, ihn, ihm, sein, seine, seinen, seinem, seiner",
    "pole person she": "ihr, ihre, ihren, ihrem, ihrer",
    "pole person we": "wir, uns, unser, unsere, unseren, unserem, unserer",
    "pole switch on": "an, ein",
    "pole switch off": "aus, ab",
    "pole when before": "vor, bis, bevor",
    "pole when after": "nach, seit, nachdem",
    "pole height up": "auf, über",
    "pole height down": "unter",
    "pole amount more": "mehr",
    "pole amount less": "weniger",
    "pole whole all": "alle, allen, alles, jeder, jede, jeden, beide, immer",
    "pole whole some": "einige, manche, wenige, manchmal, oft, selten",
    "pole way from": "von, vom",
    "pole way to": "zu, zum, zur, nach",
    "order": "als, statt, anstatt, vor, nach, von, zu, zum, zur, für, mit, gegen, über, unter, bis",
    "light": (
        "jetzt, nun, wirklich, auch, eigentlich, aktuell, derzeit, noch, heute, bitte, merke, merk, erinnere, "
        "nutzer, benutzer, ja, doch, mal, eben, halt, sehr, ganz, meistens, generell"
    ),
    "herald": (
        "eine lustige geschichte, gute nachrichten, gute neuigkeiten, eine frage, eine idee, eine überraschung, "
        "eine bitte"
    ),
    "steer": (
        "deine antwort, deine antworten, antworte, antworten sie, formuliere, formuliere um, ich meinte, der prompt"
    ),
    "reaction": (
        "gut zu wissen, schön zu hören, freut mich zu hören, tut mir leid zu hören, ich wusste nicht dass, "
        "das klingt, klingt nach, interessant dass"
    ),
    "praise": (
        "gute idee, tolle idee, gute wahl, gute option, guter punkt, guter vorschlag, guter plan, klingt gut, "
        "ergibt sinn"
    ),
    "offered": (
        "idee, ideen, vorschlag, vorschläge, tipp, tipps, rat, empfehlung, erklärung, antwort, thema, option, "
        "ansatz, titel"
    ),
    "hype": "fantastisch, unglaublich, grandios, wunderschön, genial",
    "truth": (
        "ist das beste, nichts geht über, geht nichts über, ist besser als, ist wichtig, ist das wichtigste, kann "
        "helfen"
    ),
    "supposed": "ich denke, ich glaube, ich finde, meiner meinung nach, ich meine, ich schätze",
}

POINTING: dict[str, str] = {
    "pointer": "er, sie, es, dies, dieser, diese, dieses, diesen, diesem, jener, jene, jenes, dort, ihn, ihm, ihnen",
    "pointer at times": "davon, damit, dafür, daran, darauf, darüber, deren, dessen",
    "introducer": "ein, eine, einen, einem, einer, mein, meine, meinen, unser, unsere",
    "preposition": "zu, von, in, mit, über, wie, bei, für, aus, an, auf, nach, vor, ohne, um",
    "conjunction": "und, aber, oder, denn, weil, wenn, ob, als, während, dass, wo, obwohl, bis, sodass",
    "empty": (
        "wirklich, auch, noch, schon, immer, oft, nie, kürzlich, endlich, sehr, viel, viele, mehr, etwas, sache, "
        "dinge, alles, mal, gut, toll, super, dann, jetzt, heute, gerade, habe, haben, hat, hatte, bin, ist, war, "
        "wird, werde, wurde, gemacht, machen, mache, angefangen, versucht, einfach, eigentlich, leider"
    ),
    "idle": "es",
    "being": "ist, war",
    "impersonal": "gibt, geht, regnet",
    "awaited": "dass, zu, wenn",
}

QUESTIONS: dict[str, str] = {
    "when": "Wann ist {attribute} von {entity}? | Welches Datum hat {attribute} von {entity}?",
    "what": "Was ist {attribute} von {entity}?",
    "which": "Welchen {attribute} nutzt {entity}? | Welchen {attribute} hat {entity}?",
    "attribute": "Was ist mein {attribute}?",
    "preference": "Was bevorzugt {entity}? | Was mag {entity}? | Welche Vorlieben hat {entity}?",
    "decision": "Was wurde zu {entity} entschieden? | Welcher Beschluss gilt für {entity}? | Was wurde aus {entity}?",
    "plan": "Was ist für {entity} geplant? | Was steht bei {entity} an?",
    "event": "Was geschah mit {entity}? | Wann war {entity}?",
    "person": "Wer ist {entity}?",
    "lesson": "Was ging bei {entity} schief? | Was haben wir bei {entity} gelernt?",
    "procedure": "Wie geht {entity}? | Wie macht man {entity}?",
    "about": "Was ist mit {entity}?",
}
