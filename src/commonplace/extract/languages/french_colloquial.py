"""Colloquial, elliptical and topic-first sentences of French, as rules beside the plain ones."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

_PAST_MARKERS = r"\b(?:j'ai|j'étais|je suis|nous avons|nous étions|on a|on était|hier|dernière?|avait|a été)\b"
_ADV = (
    r"(?: donc| finalement| définitivement| plutôt| désormais| bien| quand même| tous| enfin| franchement| vraiment|"
    r" toujours| déjà| beaucoup| tous les deux)*"
)
_TOPIC = r"(?!ça |cela |ce |c'|il |elle |on |nous |tu |vous |si |quand |que |qui |je |j')"

KEYED: tuple[RuleRow, ...] = (
    ("attribute", "tool", "", "", (
        r"(?!.*\b(?:pas|non|changé|si)\b)(?:le |la |l')?(?P<a>port|hôte|ip|adresse ip|chemin|version|url|branche|"
        r"région) (?:de |d')(?:la |l'|notre )?(?P<e>[^,:]{2,40}?) (?:est|reste|devient)(?: maintenant| désormais| le|"
        r" la)* (?P<v>[^ ]*[\d./-].*)|(?!.*\b(?:pas|non|si)\b)(?:le |la |l')?port du (?P<c>[^,:]{2,40}?) (?:est|reste|"
        r"devient) .*\d.*")),
)  # fmt: skip

EARLY: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:pour (?:mémoire|plus tard|la prochaine fois|info, à retenir|le compte rendu)|(?:petite )?note(?: à "
        r"moi-même)?|à (?:ne pas oublier|savoir|garder en tête)|enregistre|mets-toi (?:bien )?dans la tête|"
        r"n'oublions pas|sache|inscris|tu peux (?:noter|retenir)|il faut (?:retenir|se souvenir)|"
        r"je te demande de retenir)(?: bien| aussi| s'il te plaît)*(?: ?: ?| que | qu'|, )(?P<q>.{6,})")),
    ("correction", "", "", "", (
        r"(?:erreur de ma part|je me suis (?:trompée?|emmêlée?)\b.{0,20}|petite correction|rectification|je corrige|"
        r"non non|oups|mea culpa|contrairement à ce que .{5,30}) ?[,:;.] ?(?P<q>.{6,}?(?:(?: et|,) (?:non pas|non|"
        r"pas) (?P<c>.{2,30}))?)$")),
    ("dead_end", "lesson", "", "result", (
        r"(?P<e>.{3,70}?)(?P<v>(?:\b(?:n'a|n'ont|n'aura|ne|n')\b.{0,15}\b(?:rien|pas) ?(?:servi|aidé|résolu|corrigé|"
        r"réglé|amélioré|arrangé|suffi|empêché|marché|fonctionné|supprimé|accéléré|abouti|suffit|résout|règle|corrige|"
        r"aide|mène|donné|changé)\b|\bsans (?:résultat|effet|amélioration|que ça change)|\b(?:est |était )?(?:une |"
        r"un )?(?:fausse piste|cul-de-sac|coup d'épée dans l'eau)|\bn'y (?:fait|change|a rien fait|a rien changé)|"
        r"\bça (?:plante|bloque|échoue|coince) (?:toujours|encore|quand même|pareil)|\bpersiste|\b(?:toujours|"
        r"encore) (?:la |le )?même|\bne (?:mène|sert) à rien|\bpour rien$).*)|(?:ce n'était|c'était|"
        r"ça ne venait) pas .{4,}")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:erreur|problème|souci|pépin|plant|bug|panne|échou|échec|bloqu|crash|fuite|cass|lent|refus|coinc|"
        r"déconn|perdu|corromp|ne (?:démarr|march|fonctionn|répond|compil|part|s'affich|charg)|saturé|"
        r"\b[45]\d\d\b))(?!.{0,80}\bn'a (?:rien|pas))(?P<e>.{3,}?)(?P<v>\b(?:ça (?:repart|remarche|passe|tourne|"
        r"refonctionne)|(?:c'est|tout est) (?:réglé|bon|reparti|rentré dans l'ordre|résolu)|c'était (?:un|une|le|la|l'|"
        r"dû)|(?:il )?manquait|(?:je|on|nous) (?:l'|les |l'a |l'ai |avons |ai |a )\w+|depuis, |a (?:tout )?(?:arrangé|"
        r"débloqué|corrigé|suffi|réglé)|grâce à|suffi(?:t|sait) de|parce que|était (?:dû|due)|provient|remplacé|"
        r"réécrit|recréé|vidé|passé à|remis|relancé)\b.*)")),
    ("opinion", "preference", "I", "thinks", (
        r"(?:selon moi|d'après moi|à mes yeux|à mon goût|de mon côté|pour ma part|je (?:reste|"
        r"suis) (?:convaincue?|"
        r"persuadée?|d'avis|sceptique)|si tu veux mon avis|mon avis|mon sentiment|j'ai l'impression|je doute)"
        r"(?: que| qu'|,| ?:| est)* ?(?P<v>(?!on part|je vais).{8,})|"
        rf"{_TOPIC}(?P<e>.{{3,50}}?),? (?P<a>(?:je trouve (?:ça|que)|c'est|ce n'est|à mon avis)\b (?:\w+ )*?(?:trop|"
        r"surestimé\w*|surfait\w*|inutile|nul|génial|moche|lourd|vraiment|surcoté\w*|bien mieux|une perte de "
        r"temps)\b.*)|.{5,60}, (?:à mon avis|selon moi|d'après moi|je trouve|à mon sens)$")),
    ("preference", "preference", "I", "allergy", (
        r"(?P<v>(?:les?|la|l'|du|des) ?.{2,30}?) (?:me (?:rend(?:ent)? malade|donne(?:nt)? (?:des|de|la|mal)|"
        r"file(?:nt)? (?:des|de|la)|fait gonfler)|ne me réussi\w+ pas|m'est interdit|m'est déconseillé)\b.*|(?:je|"
        r"moi, je) (?:ne (?:tolère|digère|supporte) (?:pas|plus|aucun)|fais une (?:réaction|allergie)|gonfle|"
        r"réagis mal)\b.{2,}|j'ai une (?:allergie|intolérance) .{3,}")),
    ("preference", "preference", "I", "dislikes", (
        rf"{_TOPIC}(?P<v>[\w' -]{{3,40}}?),? (?:(?:très peu pour|pas pour) moi|(?:je|j') ?(?:n'y touche|"
        rf"n'en (?:mange|"
        r"bois|veux|prends|mets)|ne (?:le |la |les |l')?(?:supporte|mange|bois|veux|prends|digère|utilise|regarde)|"
        r"n'aime|déteste|n'en peux|en ai horreur|évite|fuis|n'accroche)\b.*|(?:ce n'est|c'est) pas (?:mon truc|"
        r"ma tasse "
        r"de thé|pour moi|trop mon truc).*|me (?:dégoûte|répugne|sort par les yeux|gave|hérisse|"
        r"fait horreur)\w*.*|"
        r"ça me (?:dégoûte|répugne|gave|hérisse).*|non merci$)|"
        r"(?:je|j') ?(?:évite|fuis|ai horreur|ai une sainte horreur|ai du mal avec|ne suis pas (?:fan|très|"
        r"trop)|ne "
        r"(?:bois|mange|prends|porte|utilise|regarde|fume) (?:pas|jamais|plus|aucun)|n'ai jamais aimé|n'apprécie "
        r"pas|n'accroche pas|ai arrêté (?:la viande|le sucre|l'alcool|le café))\b.{2,}")),
    ("preference", "preference", "I", "likes", (
        rf"{_TOPIC}(?P<v>[\w' -]{{3,40}}?),? (?:je (?:pourrais|peux) (?:en|le|la|les|y|m'en|"
        rf"l')\b.{{3,}}(?:tous les jours|"
        r"des heures|à volonté|sans arrêt|toute la journée|matin|la nuit|jour|vie)|j'(?:adore|en raffole|"
        r"aime bien|"
        r"aime beaucoup|aime)|je (?:le|la|les|l')(?: prends| bois| mange| préfère|aime|adore)\b.*|c'est "
        r"(?:ma passion|mon péché mignon|toute ma vie|mon truc|sacré)|me (?:plaît|passionne|fascine)\w*.*|"
        r"passe avant "
        r"tout)\b.*|(?:rien|il n'y a rien) (?:ne vaut|de (?:mieux|tel)|de plus) .{3,}|"
        r"je (?:craque pour|prends toujours|bois (?:mon|toujours)|mange (?:toujours|bio|vegan|halal|casher)|"
        r"suis (?:plus|"
        r"davantage|plutôt|du genre|dingue|gourmande?|toujours|du matin|du soir|un grand|une grande)|fonctionne "
        r"mieux|lis surtout|écoute surtout|penche (?:pour|plutôt))\b.{2,}|"
        r"j'ai (?:une (?:préférence|passion|faiblesse|nette préférence)|un faible|un penchant) .{3,}|"
        r"j'opte toujours "
        r".{3,}|ce que (?:je préfère|j'aime) .{4,}")),
    ("preference", "preference", "", "instruction", (
        r"(?:plus (?:jamais )?d[e'] ?.{3,}|toujours (?:me |m'|nous )?\w+r\b .{3,}|(?:toujours|jamais|pas) d[e'] ?.{3,}|"
        r"ne (?:jamais|plus|pas) .{5,}|jamais \w+r .{4,})|(?:s'il te plaît,? )?(?:ne |n')(?:me |m'|nous )?\w+(?:s|e|"
        r"ez)(?:-\w+)? (?:pas|jamais|plus|aucun) (?:d'|de |dans |trop |l'|les |la |le |sur |en |sans |à ).{4,}|"
        r"(?:s'il te plaît,? )?(?:réponds|répondez|écris|parle|tutoie|vouvoie|appelle|utilise|emploie|mets|rédige|"
        r"demande|préviens|évite|garde|fais|donne|présente|cite|vérifie|lance|teste|signe)(?:-\w+)* (?:[\w'-]+ "
        r")*?(?:toujours|jamais|systématiquement|uniquement|en français|en anglais|à chaque fois|avant (?:de|chaque)|"
        r"par défaut|dans (?:tes|toutes) .*|court\w*|sans)\b.*|(?:pour|dans) (?:mes|tes|tous|toutes|chaque|"
        r"les) .{3,40}(?:, |: ?)(?:utilise|mets|écris|évite|toujours|jamais|pas de|je veux|ne )\b.{3,}|(?:je (?:veux|"
        r"souhaite|préfère|te demande) (?:des|que tu|une réponse|de ne)|j'aimerais que tu|il faut toujours|"
        r"on se tutoie)\b.*|(?:à chaque|chaque) .{3,40}, \w+.{4,}|tu (?:peux|dois) (?:toujours|me tutoyer|désormais|"
        r"systématiquement)\b.*|règle ?: .{5,}")),
    ("decision", "decision", "", "decision", (
        r"(?:c'est|voilà|décision|choix|verdict|conclusion)(?: \w+)? ?(?:acté|décidé|tranché|validé|"
        r"entendu|convenu|"
        r"réunion|entériné|officiel|finale?)?(?: ?:|,) (?!le port|la |pas )(?P<v>.{5,})|"
        r"(?:.{3,40}, )?(?:on|nous|je|l'équipe)(?: se| nous| me)? (?:part|partons|pars|reste|restons|garde|gardons|"
        r"passe|passons|passera|prend|prenons|prendra|abandonne|abandonnons|laisse tomber|migre|migrons|bascule|"
        r"basculons|arrête|arrêtons|renonce|renonçons|conserve|conservons|retient|retenons|adopte|adoptons|"
        r"remplace|"
        rf"remplaçons|fera|ferons|se rabat|mise|misons){_ADV} (?!vite|demain|la pause|une pause|en vacances|à table|"
        r"un café)(?P<e>(?:sur|avec|à|chez|de|pour|le|la|l'|les|au|en|sans|[a-z]\w+)\b.*)(?<!\?)|"
        r".{3,60} (?:a été|est|sera) (?:\w+ )?(?:retenue?|choisie?|abandonnée?|écartée?|adoptée?|actée?|"
        r"validée?)\b.*|"
        r"(?:le choix|notre choix|la décision) (?:s'est (?:porté|arrêté)|est tombée?|se porte) .{4,}|"
        r"(?:on|nous) (?:s'est mis|nous sommes mis|est tombés?|sommes tombés?) d'accord .{4,}|"
        r"(?:va|vont) (?:pour|finalement) .{4,}|.{3,40} (?:l'emporte|remporte).{0,40}")),
    ("commitment", "plan", "", "appointment", (
        rf"(?=.*(?:<when>|\d))(?!.*{_PAST_MARKERS})(?:le |la |l'|les |mon |ma |mes |notre |j'ai |on a )?"
        rf"(?P<e>[\w' -]{{0,20}}"
        r"(?:rendez-vous|rdv|réunion|entretien|examen|oral|soutenance|livraison|concert|mariage|vol|train|"
        r"opération|"
        r"audience|formation|atelier|conférence|démo|inauguration|visite|dîner|échéance|facture|dossier|rapport|"
        r"déclaration|loyer|mémoire|mise en (?:ligne|prod\w*)|sortie|vernissage|baptême|vaccin|"
        r"contrôle technique)\b"
        r"[\w' -]{0,40}?),?(?P<v> (?:est|sont|a lieu|aura lieu|commence|démarre|tombe|part|décolle|doi\w+|c'est|"
        r"aura|se "
        r"(?:tient|tiendra)|fixée?|prévue?|à (?:rendre|payer|envoyer|remettre)|chez|avec|(?:lundi|mardi|"
        r"mercredi|jeudi|"
        r"vendredi|samedi|dimanche|demain|le \d))\b.*)|"
        r"(?=.*<when>).{3,60}\b(?:est|sont)? ?à (?:payer|rendre|envoyer|remettre|renvoyer|régler|déposer|"
        r"livrer)\b.*")),
    ("commitment", "plan", "I", "plan", (
        rf"(?=.*<when>)(?!.*{_PAST_MARKERS})(?!si |.*\b(?:tous les|chaque|d'habitude|souvent|pas|peut-être|depuis)\b)"
        r"(?:.{0,40}, |.{3,25} )?(?:je (?:me |m'|te |t'|vous |lui |leur |le |la |les |l')?(?!travaille|habite|vis|"
        r"pense|"
        r"crois|trouve|suis|préfère|déteste|sais)\w+(?:e|s|ai|x)\b|j'(?!habite|aime|adore|étais|ai|apprends|"
        r"espère)\w+"
        r"(?:e|s|ai)\b|on (?:se |s'|te |vous |y )?\w+(?:e|t|a|d)\b|nous (?:nous |vous |te )?\w+ons\b) .{3,}|"
        r"(?:.{0,30})\b(?:je te (?:promets|jure)|c'est promis|promis,|parole)\b.{6,}")),
    ("event", "event", "I", "event", (
        r"(?!.*<not>)(?:.{0,40}\b)?(?:j'ai |on a |nous avons |je l'ai |on vient (?:de |d')|je viens (?:de |d')|"
        r"nous venons (?:de |d'))(?:enfin |officiellement |finalement |tous |aussi |tout juste )*(?:(?:décroché|hérité|"
        r"remporté|récupéré|emporté|validé|passé (?:mon|le|la) (?:permis|bac|concours|examen)|intégré|rejoint|"
        r"lancé (?:ma|mon|notre)|eu (?:mon|ma|le|un|une|notre|des jumeaux)|été (?:licencié|embauché|reçu|opéré|promu|"
        r"muté|élu|admis|cambriolé|hospitalisé|naturalisé|nommé|augmenté|titularisé)e?s?|fêté|pris (?:ma retraite|"
        r"un nouveau)|perdu|accouché|cassé|trouvé (?:un|une|mon)|survécu|fait (?:un|une) (?:infarctus|avc|"
        r"fausse couche|chute|accident)|arrêté de fumer|couru|gravi|démissionné)\b|\w+(?:er|ir|re)\b (?:un|une|mon|ma|"
        r"notre|l'|la|le)).*|(?!.*<not>)(?:.{0,30}\b)?je me suis (?:\w+ )?(?:cassé|foulé|fracturé|tordu|mariée?|"
        r"fiancée?|pacsée?|installée?|inscrite?|fait (?:opérer|voler|licencier|cambrioler)|séparée?|blessée?|remise?|"
        r"reconvertie?)\b.*|(?:je suis|ma femme est|nous sommes) (?:enfin |officiellement |désormais |de nouveau |"
        r"à nouveau )*(?:enceinte|divorcée?|papa|maman|parents|grand-mère|grand-père|propriétaires?|à la retraite|"
        r"au chômage|admise?)\b.*|(?:on|nous) (?:attend|attendons|va avoir|allons avoir) (?:un|une|notre|"
        r"des) (?:\w+ )?(?:bébé|enfant|jumeaux|fille|garçon|deuxième)\b.*|on m'a (?:\w+ )?(?:annoncé|diagnostiqué|"
        r"confié|accordé|volé|opérée?|nommée?|promue?|acceptée?).{3,}|(?:ma|mon) (?:candidature|demande|contrat|visa|"
        r"bail|prêt) (?:a été|est) (?:\w+ )?(?:acceptée?|validée?|signée?|accordée?|retenue?).*")),
    ("event", "event", "", "event", (
        r"(?!.*<not>|.*\bnée? (?:le|en) )(?:.{0,30}\b)?(?:mon|ma|notre|mes|nos) (?P<e><rel>(?: [\w-]+)?),? (?:a eu "
        r"(?:son|un|une|le|sa)|a (?:\w+ )?(?:décroché|intégré|réussi|perdu|accouché|fêté|gagné|trouvé|pris sa retraite|"
        r"eu \d+ ans|passé son|été (?:opéré|admis|reçu|élu|promu|licencié|hospitalisé)e?)|s'est (?:\w+ )?(?:marié|"
        r"cassé|fiancé|installé|remis|séparé)\w*|vient (?:de |d')\w+|attend (?:un|une|des)|nous a quittés?|"
        r"est (?:\w+ )?(?:partie? (?:à la retraite|vivre)|décédée?|morte?|née?|enceinte|sortie? de l'hôpital))\b.*")),
    ("attribute", "fact", "I", "lives_in", (
        r"(?:.{0,30}\b)?(?:j'habite|nous habitons|on habite|j'ai (?:grandi|toujours vécu)|je suis née?|je loue|"
        r"nous louons|j'occupe|je viens d'un|je viens d'une) (?P<v>(?!encore|toujours).{3,})")),
    ("attribute", "fact", "I", "has", (
        r"(?:on|nous|j'|chez nous, on|à la maison, on) ?(?:a|avons|ai|possède|possédons|élève|élevons) (?P<v>(?:une?|"
        r"deux|trois|quatre|cinq|des) (?:\w+ )?(?:<pet>s?|enfants?|fils|filles?|frères?|sœurs?|jumea\w+|voiture|vélo|"
        r"maison|jardin|potager|poules|chats|chevaux|ruches|moto|bateau|camping-car|appartement|résidence|piscine|cave|"
        r"guitare|piano|violon|ferme|boutique|atelier|scooter|clio|peugeot|renault|citroën|diabète)\b.*)|"
        r"j'ai (?P<a>(?:un |une |du |de l')?(?:diabète|asthme|permis|double nationalité|licence|master|doctorat|crédit|"
        r"accent|tatouage)\b.*)")),
    ("attribute", "fact", "I", "occupation", (
        r"(?:(?:depuis|dans|à|en) .{3,30}, )?(?:je (?:bosse|travaille|suis en (?:poste|alternance|stage|thèse|deuxième|"
        r"troisième|première|fac|licence|master)|fais (?:mes études|ma thèse|un stage|un master|une licence|partie)|"
        r"prépare (?:un|une|le|l')|suis (?:\w+ )?(?:chez|au chu|à la tête|bénévole|fonctionnaire|intermittent\w*|"
        r"salariée?|freelance|indépendante?|au pair)|donne des cours|anime|élève|milite|pratique|pratiquais|roule en|"
        r"conduis|cultive|vends|exerce|encadre|siège|chausse|mesure|pèse))\b (?P<v>(?!trop|bien|encore|un tour).{3,})|"
        r"(?:mon métier|dans la vie|de profession|côté boulot|professionnellement)[, ].{6,}|je suis (?:une? "
        r")?(?P<a>(?:sage-femme|facteur|factrice|chauffeur|plombi\w+|menuisi\w+|électricien\w*|coiffeu\w+|pompier|"
        r"gendarme|polici\w+|institut\w+|pharmacien\w*|libraire|fleuriste|maçon\w*|dentiste|notaire|juriste|"
        r"chercheu\w+|technicien\w*|secrétaire|assistant\w*|commercial\w*|mécanicien\w*|paysagiste|agricult\w+|"
        r"éleveu\w+|viticult\w+|musicien\w*|comédien\w*|photographe|rédact\w+|consultant\w*|formateur|formatrice|"
        r"éducat\w+|pilote|hôtesse|caissi\w+|vendeu\w+|concierge|psychologue|orthophoniste|aide-soignant\w*|serveu\w+|"
        r"animat\w+|guide|data \w+|chef \w+|responsable|directeur|directrice|gérante?|artisan\w*|apprentie?|"
        r"doctorante?|lycéen\w*)\b.*)|(?:mon|ma|mes) (?P<c>(?:bureau|voiture|groupe sanguin|pointure|prénom|nom|"
        r"deuxième prénom|signe|langue maternelle|moto|jardin|appartement|immatriculation|ville natale|"
        r"taille)) .{4,}")),
    ("attribute", "person", "", "", (
        r"(?:le |l')?(?P<a>numéro|téléphone|portable|anniversaire|adresse|mail|e-mail|courriel)(?: de|"
        r" d') ?(?P<e>(?!la |l'api|serveur)[\w' -]{2,25}?),? (?:est|c'est|tombe|:) ?(?P<v>.{3,})")),
    ("attribute", "person", "", "", (
        r"(?!je |j'|tu |il |elle |on |nous |vous |ils |elles |ça |c'|ce |cela |qui |le |la |l'|les |un |une |des |mon |"
        r"ma |mes |notre |si |quand |tout |rien |personne |chacun )(?P<e>(?:tante |oncle |mamie |papi |madame |"
        r"monsieur |mme |m\. )?[a-zà-ÿ-]{3,15}) (?P<v>(?:déteste|adore|n'aime (?:pas|que)|est (?:allergique|"
        r"végétarien\w*|végane?|intolérante?|gauch\w+|née? (?:le|en|à)|diabétique|originaire)|habite (?:à|en|au|dans|"
        r"chez|rue)|travaille (?:à|chez|dans|pour|comme|au)|ne (?:mange|boit|supporte|parle) (?:pas|jamais|plus|que)|"
        r"fête son anniversaire|parle (?:couramment|très bien|\w+ langues)|joue (?:du|de la|de l'|au)|étudie|enseigne|"
        r"préfère|a (?:deux|trois|quatre|un) (?:enfants?|chats?|chiens?|fils|filles?)|a horreur|tient (?:un|une)|"
        r"dirige|vit (?:à|en|au|avec)|s'occupe (?:de la|du|des))\b.*)")),
    ("attribute", "person", "", "", (
        r"(?:[a-zà-ÿ-]{3,15}, )?(?:mon|ma|mes|notre) (?P<e><rel>(?: [\w-]+)?),? (?:qui )?(?P<v>(?:tient|gère|dirige|"
        r"élève|ne (?:mange|boit|supporte|parle)|préfère|n'aime|travaille|habite|est (?:allergique|\w*ienne|\w*teur|"
        r"\w*trice|\w*eur|\w*ière?|\w*iste)|fait (?:des études|du|de la)|vit|conduit|collectionne|mesure|fête|"
        r"a (?:deux|trois|quatre|un|une|\d+))\b.{3,})")),
    ("attribute", "project", "", "status", (
        r"(?:pour |sur )?(?:le |notre |au )?projet (?P<e>[\w«»\"-]+(?: »)?),? (?P<v>(?:n'est|ne |utilise|repose|pèse|"
        r"change|prend|coûte|emploie|mobilise|appartient|vise|tourne|a pris|s'appelle|doit|est|entre|part|vient|patine|"
        r"stagne|bloque|attend|s'appuie|sort|compte|porte|concerne|[a-zà-ÿ]+e)\b.{3,})")),
)  # fmt: skip

LATE: tuple[RuleRow, ...] = (
    ("decision", "decision", "", "decision", (
        r"(?:on|nous) \w+(?:ra|rons|e|ons) (?:désormais|dorénavant|à l'avenir|à partir de) (?P<v>.{3,})")),
    ("attribute", "procedure", "", "steps", r"(?:qui veut|ceux qui veulent|quiconque veut) (?P<e>.{3,40}) \S.{6,}"),
    ("attribute", "project", "", "status", r"projet (?P<e>[\w-]+) ?: (?P<v>.{5,})"),
    ("attribute", "procedure", "", "steps", (
        r"pour .{4,60}?, (?!moi|info|l'instant|ma part|nous)(?:on |il |tu |vous |\w+(?:er|ir|re|ez|e|s)\b).{6,}|"
        r"(?!.*<tech>.* \d)(?P<e>.{3,50}) (?:se|s') ?(?:demande|fait|font|lance|commande|réserve|déclare|effectue|"
        r"règle|paie|envoie|passe)(?:nt)? (?:via|par|sur|avec|en|auprès|depuis|dans|toujours|à)\b.{3,}|"
        r".{3,40} ?: (?:d'abord|on commence|commencer|premièrement) .{5,}|(?!j'|je|on a).{0,30}\b(?:d'abord|"
        r"commencer par) .{4,60}(?:, |; | et )(?:puis|ensuite|après|enfin)\b.{4,}|.{3,30} ?: [^,]{3,50}, (?:puis|"
        r"ensuite|et) .{4,}|avant (?:de|chaque|toute?) .{4,40}, (?:il faut|on|toujours|vérifier|penser) .{4,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+))(?!je |j'|tu |si |peux-tu |il |ça )(?:le |la |l'|les |notre |"
        r"nos |sur |on |côté )?(?P<e>.{2,50}?) (?P<v>(?:reste|restent|se trouvent?|dure|durent|atterrit|sort|vivent|"
        r"logent?|loge|limite|autorise|exige|utilisent|ferme|coupe|demande|pèse|plafonne|est passée?|sommes passés|"
        r"est passés|attend|gère|tient|affiche|conserve|garde|se connecte|supporte)\b.{2,})|(?=.*<tech>)(?P<a>[\w' "
        r"-]{2,40}) ?: .{0,30}\b(?:port|version|v) ?\d.*")),
    ("attribute", "fact", "", "", (
        r"(?:le |la |l'|les |notre )(?P<e>[\w' -]{3,40}?) (?P<v>(?:ouvre|ferme|ouvrent|ferment|coûte|est (?:ouverte?|"
        r"fermée?) (?:le|du|de|tous|jusqu')|se (?:trouve|situe)|mesure|court jusqu')\b.{3,})")),
)  # fmt: skip
