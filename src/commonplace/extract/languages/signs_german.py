"""Signs of what a German sentence is about: words by what they speak of, `*` for any ending, `_` for a blank."""

from __future__ import annotations

SIGNS: dict[str, str] = {
    "taste": """
        mag magst mögen liebe liebt liebsten hasse hasst bevorzug* lieblings* gern gerne lieber allergi* unverträgl*
        intoleran* vertrag* verträgt ausstehen leiden vegan* vegetari* schmeckt esse isst trinke trinkt stehe_auf
        nervt ekel* lecker geht_gar_nicht kann_nicht_ab süss süß fan_von
    """,
    "opinion": """
        finde findet glaube denke halte meinung meiner_meinung überbewertet überschätzt zu besser schlechter beste
        schlimm unnötig sinnlos hässlich schön langweilig überzeugt ehrlich persönlich überflüssig lohnt wert mühsam
        umständlich ansicht meines_erachtens
    """,
    "rule": """
        immer nie niemals bitte ab_sofort künftig nur keine kein antworte* schreib* verwende nutze benutze vermeide
        frag mich frage duze sieze grundsätzlich in_zukunft stets ohne_rückfrage kurz knapp zusammenfass* emojis
        stichpunkte format von_nun_an ausnahmslos nenn nenne
    """,
    "choice": """
        entschieden entscheid* beschlossen beschluss geeinigt gewählt wahl ausgewählt statt stattdessen wechseln
        steigen steigen_um umsteig* doch bleiben_bei bleiben_wir nehmen verzichten abgelehnt verworfen gestrichen
        abgesagt abgestimmt festgelegt setzen_auf künftig ersetzen ersetzt zugunsten kündigen
    """,
    "future": """
        werde wird werden morgen übermorgen nächste* kommende* bis spätestens frist abgabe termin fällig steht_an
        verspreche versprochen vorhabe habe_vor plane geplant am_montag am_dienstag am_mittwoch am_donnerstag
        am_freitag am_samstag am_sonntag um_acht uhr treffen prüfung flug arzttermin zahnarzt* hochzeit schicke schick
        liefere kümmere deadline erinnere
    """,
    "life": """
        geheiratet verlobt geschieden geboren gestorben verstorben umgezogen gezogen schwanger befördert beförderung
        eingestellt gekündigt entlassen rente pensioniert abschluss bestanden adoptiert operiert operation gebrochen
        unfall gestohlen gewonnen verloren gekauft verkauft eröffnet gegründet führerschein diplom promoviert baby
        zwillinge haus krankenhaus spital diagnos* endlich eingezogen getrennt unterschrieben zusage
    """,
    "past": """
        gestern vorgestern letzte* vorige* vor_einem vor_zwei vor_drei habe hat haben bin ist war waren hatte wurde
        wurden gerade_erst damals heute_morgen frisch seit
    """,
    "kin": """
        mutter mama mami vater papa eltern schwester* bruder brüder sohn söhne tochter töchter frau mann partner*
        freundin freund* verlobte* tante onkel cousin* nichte neffe oma opa grossm* großm* grossv* großv* chef*
        kolleg* mitbewohner* nachbar* arzt ärztin therapeut* vermieter* anwält* anwalt lehrer* mentor* trainer* kinder
        schwager schwägerin schwieger* herr dr teamleiter*
    """,
    "other": "er sie sein seine ihr ihre ihn ihm",
    "self": "ich mein meine meinem meinen meiner mir mich",
    "us": "wir unser unsere unserem unseren uns",
    "being": """
        wohne wohnt lebe lebt arbeite arbeitet studiere studiert besitze fahre spreche spricht unterrichte jahre_alt
        komme_aus stamme aufgewachsen spiele spielt von_beruf beruflich habe_zwei habe_einen habe_eine heisse heiße
        blutgruppe schuhgröße verheiratet ledig geburtstag
    """,
    "tech": """
        server port ports host datenbank* api endpunkt repo repository staging prod* cluster cache redis postgres*
        mysql sqlite logs dienst* bucket queue ci pipeline deploy* build url version konfig* backup* sicherung* vpn
        ssh domain vm container docker kubernetes nginx proxy gateway node python token zertifikat* webhook branch
        cron* app frontend backend kafka grafana jenkins gitlab github schema timeout limit* kontingent kernel linux
        worker festplatte firewall runner router drucker* wlan nas mailserver speicher lauscht läuft_auf anfragen
        instanz
    """,
    "project": """
        projekt* meilenstein* release launch beta roadmap sprint phase backlog rollout pilot* prototyp* budget
        verzögert verzug im_plan auf_eis pausiert eingestellt gestartet leitet leitung federführ* prozent lizenz
        nutzer stakeholder umsetzung live relaunch
    """,
    "fail": """
        fehler* schlug_fehl fehlgeschlagen absturz abgestürzt stürzte bug* exception* timeout* leck hing hängt
        verweigert kaputt defekt* falsch problem* langsam flacker* 401 403 404 429 500 502 503 504 ausfall ging_nicht
        konnte_nicht liess_sich ließ_sich brach blockiert störung konflikt
    """,
    "fix": """
        behoben gelöst lösung ursache grund lag_an lag_daran weil wegen geholfen hat_geholfen seitdem jetzt_läuft
        läuft_wieder läuft_er funktioniert_wieder nach_dem nachdem neu_gestartet neu_installiert gelöscht korrigiert
        geändert hochgesetzt erhöht schuld verursacht repariert
    """,
    "vain": """
        nichts nicht_geholfen nichts_gebracht brachte_nichts bringt_nichts keine_wirkung keinen_unterschied
        ohne_erfolg vergeblich umsonst trotzdem weiterhin immer_noch auch nicht_behoben nicht_daran sackgasse probiert
        versucht hilft_nicht ändert_nichts erfolglos gleiche
    """,
    "steps": """
        zuerst erst dann danach anschliessend anschließend bevor vor_jedem nach_jedem um_den um_die um_das klick*
        drück* starte öffne* führt ausführen aufrufen muss_man man müssen genehmig* freigegeben freigabe antrag
        beantrag* formular über_das läuft_über geht_über verfahren ablauf vorgehen schritt* prüfen eintragen ausfüllen
        vier_augen taggen mergen einreichen
    """,
    "place": """
        büro gebäude küche tür türcode code schlüssel ersatzschlüssel vertrag versicherung miete mietvertrag kunde*
        kunden* lieferant* rechnung* bank konto schule laden garage parkplatz mülltonne* öffnungszeiten öffnet
        schliesst schließt etage stock eingang raum adresse strasse straße alarm zähler garantie abo mitgliedschaft
        kantine heizung firma team ust* steuer* sitz keller auto wagen
    """,
    "note": """
        merk merke notiz notiere denk_daran vergiss_nicht für_später zur_info fürs_protokoll halte_fest zu_beachten
        wichtig behalte erinnere
    """,
    "amend": """
        nein nicht sondern korrektur doch falsch eigentlich verwechselt vertan versprochen mittlerweile neue neuer neu
        geändert statt ich_meinte irrtum sorry jetzt
    """,
    "habit": """
        immer jeden jede jedes täglich wöchentlich monatlich meistens oft montags freitags sonntags morgens abends nie
    """,
    "passing": """
        heute jetzt gerade gleich vielleicht hoffe hoffentlich wünsche müde hunger wetter regen regnet stau später
        bald moment kurz danke entschuldigung toll super schön ok witz spass
    """,
}
