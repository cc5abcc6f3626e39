"""The words and patterns of French."""

from __future__ import annotations

from commonplace.extract.languages import Grammar, RuleRow
from commonplace.extract.languages.french_colloquial import EARLY, KEYED, LATE

WORDS: dict[str, str] = {
    "lead": (
        r"(?:(?:ah|oh|bon|allez|figure-toi que|perso|moi|tu sais|dis|écoute|génial|youpi|hourra|alors|donc|et|"
        r"mais|oui|au fait|sinon|tiens|salut|bonjour|merci|super|d'accord|ok|ben|"
        r"bah|eh bien|tout compte fait|finalement|en fait|pour info|bref|voilà|franchement|bonne nouvelle|ça y "
        r"est|"
        r"du coup|petite info|désolé\w*|enfin|honnêtement)\b(?: ?[,!:.…]+ *| - | – | (?=(?:je|j'|nous|on|mon|ma|"
        r"mes|notre|le|la|l')))) ?"
    ),
    "noise": (
        r"^(?:si|imagine|imaginons|supposons|peut-être|j'aimerais bien|je voudrais|il paraît|est-ce|tu te souviens|"
        r"pourrais-tu|peux-tu|laisse|et si|je me demande|ouvre|corrige|traduis|écris-moi|raconte)\b(?!-toi que)|^si |"
        r"\bj'aurais\b|\bje serais\b|\bil m'a demandé si\b|\b(?:dit|écrit|indique|lit)\b.{0,12}[«\"“]|\bje (?:crois|"
        r"pense) que je (?:vais|devrais)\b|\bje ne sais pas\b|^(?:j'aimerais|je voudrais|j'adorerais) (?!que tu)|"
        r"\bun (?:de ces jours|jour),|\bil faudra(?:it)?\b|\ba (?:dit|demandé|raconté|prétendu)\b|\bpersonne n'|^(?:ne|"
        r"n') ?(?:retiens|note|enregistre|mémorise) pas|^je vais (?:lire|regarder|vérifier|ouvrir|lancer|voir)\b|"
        r"^autant dire"
    ),
    "rel": (
        r"(?:beau-|belle-|demi-|grand-|petit[e]?-|ex-|arrière-)?(?:mère|maman|père|papa|sœur|soeur|frère|fils|fille|"
        r"femme|mari|compagnon|compagne|copain|copine|conjoint|conjointe|tante|oncle|cousine?|nièce|neveu|mamie|papi|"
        r"chef|cheffe|patron|patronne|collègue|voisine?|ami|amie|meilleure? amie?|médecin|dentiste|propriétaire|"
        r"colocataire|avocate?|prof|professeure?|entraîneur|comptable|fiancée?|marraine|parrain|filleule?|bébé)"
    ),
    "pet": r"(?:chien|chienne|chat|chatte|lapin|cheval|perroquet|hamster|tortue|chiot|chaton)",
    "tech": (
        r"\b(?:serveur|base|bdd|base de données|hôte|port|api|dépôt|repo|cluster|runner|cache|journaux|logs?|"
        r"service|bucket|file|pipeline|build|version|sauvegardes?|wifi|routeur|scanner|pare-feu|switch|copieur|caméra|imprimante|vpn|ssh|domaine|vm|"
        r"conteneur|docker|nginx|proxy|"
        r"passerelle|nœud|jeton|certificat|branche|cron|appli|application|front|backend|portable|nas|staging|"
        r"prod|production|préprod|redis|postgres|mysql|python|node|timeout|chemin|ip|url|limite|mot de passe|"
        r"jenkins|gitlab|grafana|machine|instance)\b"
    ),
    "when": (
        r"\b(?:avant|d'ici|jusqu'|demain|après-demain|ce soir|la semaine prochaine|le mois prochain|l'année "
        r"prochaine|l'an prochain|prochaine?|cette semaine|ce week-end|(?:lundi|mardi|mercredi|jeudi|vendredi|"
        r"samedi|dimanche)|"
        r"le \d{1,2}|en (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|"
        r"\d{4})|fin (?:du|de|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|"
        r"décembre)|au plus tard|dans (?:une|deux|trois|quatre|\d+) (?:jours?|semaines?|mois)|cet été|cet hiver|"
        r"à (?:noël|pâques|la rentrée))"
    ),
    "plan": r"\b(?:réunion|rendez-vous|rdv|échéance|date limite|à rendre|entretien)\b",
    "person": r"\b(?:anniversaire|numéro d[e'’] ?\w+|téléphone)\b",
    "tool": r"\b(?:serveur|base de données|port|hôte|api|cluster|dépôt|domaine|ip|url|routeur|version)\b",
    "procedure": (
        r"\b(?:se|s'|s’) ?(?:dés)?(?:active|ouvre|ferme|fait|lance|démarre|réinitialise|installe)\b|\bavant de "
        r"\w+(?:er|ir|re)\b|\bpour \w+er,"
    ),
    "not": r"(?:ne |n')(?:\w+ )?\w+ (?:pas|plus|jamais|rien)",
    "did": (
        r"(?:déménagé|emménagé|acheté|vendu|reçue?|eu (?:un|une|mon|ma|notre)|épousé|mariée?s?|fiancée?s?|divorcé|"
        r"séparée?s?|née?|morte?|décédée?|réussi|raté|obtenu|terminé|fini|démissionné|commencé|cassé|foulé|opérée?|"
        r"gagné|perdu|adopté|promue?|visité|partie?s?|voyagé|ouvert|fondé|créé|couru|construit|rénové|signé|changé de|"
        r"arrêté|licenciée?|embauchée?|planté|loué|réservé|publié|soutenu|accouché|inscrite?|quitté|pris (?:ma|mon|"
        r"des cours|un)|participé|accepté|acceptée?|volé|installée?s?|appris (?:à|le|l'|que j'étais enceinte)|"
        r"passé (?:mon|le|l'|mes)|diplômée?)"
    ),
}

RULES: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:s'il te plaît,? |merci de )?(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|"
        r"n'oublie(?:z)? (?:pas|jamais)|ne pas oublier|ne l'oublie pas|note(?:z)?(?:-le)?(?: bien)?|garde(?:z)? "
        r"en (?:tête|mémoire)|pour mémoire|à noter|à retenir|rappel|important|mémorise)"
        r"(?: bien| s'il te plaît| aussi)*(?: que | qu'| ?: ?|, )(?P<q>.{6,})")),
    ("remember", "plan", "", "", (
        r"(?:n'oublie(?:z)? pas (?:de|d')|rappelle-moi (?:de|d')|pense(?:z)? à) ?(?P<v>.{6,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?P<e>.*?)(?P<v>\b(?:(?:n'a|n'ont|n'y a|ne) (?:\w+ )?(?:rien (?:donné|changé|fait|arrangé|résolu)|pas "
        r"(?:aidé|marché|fonctionné|suffi|résolu|servi)|servi à rien|change rien|marche pas|sert à rien|donne "
        r"rien)|sans succès|sans effet|en vain|aucun effet|aucune différence|aucun changement|"
        r"pareil(?:le)?|même (?:erreur|résultat|problème)|une impasse|peine perdue|toujours (?:la même|le même|"
        r"pareil)|rien n'y fait|(?:ça|cela) (?:n'a|ne) (?:rien|pas) .*)(?:\b|$).*)")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:erreur|problème|plant|bug|panne|timeout|échou|échec|bloqu|crash|fuite|cass|lent|incident|"
        r"exception|alerte|\b[45]\d\d\b))(?P<e>.*?)(?P<v>\b(?:venait|vient de|provenait|corrigé\w*|réglé\w*|"
        r"résolue?s?|à cause|causée?|la cause|dû à|due à|la solution|le correctif|il fallait|il faut|il "
        r"suffisait|"
        r"ça (?:re)?marche|tout (?:re)?marche|remarche|fonctionne à nouveau|réparée?|en (?:vidant|ajoutant|"
        r"passant|mettant|augmentant|supprimant|redémarrant|changeant|désactivant|activant|remplaçant)|a "
        r"(?:réglé|résolu|suffi))\b.*)")),
    ("correction", "", "", "", (
        r"(?:(?:non|pardon|erreur|correction|attends|ah non|désolée?|en fait non|pas du tout|c'est faux|faux|je "
        r"me suis trompée?|plutôt|au temps pour moi|autant pour moi)\b[^\w]{1,4})+(?P<q>(?!merci|ça va|pas de "
        r"souci|ce n'est (?:pas grave|rien)|c'est (?:bon|rien|pas grave)|tout va|je (?:ne )?(?:sais|crois|pense)|"
        r"tu\b)"
        r"(?:.{2,}? (?:est|sont|était|c'est|s'appelle|habite|travaille|commence|tourne|a)\b|c'est |le |la |"
        r"l').{2,})")),
    ("correction", "", "", "", (
        r"(?P<q>(?:.{2,60}?)(?:c'est|est|s'appelle|sont|sera) .{2,60}?,? (?:et )?(?:pas|non(?: pas)?) (?:le |la |"
        r"l'|à |en |au |un |une )?(?P<c>[\w:.-]{1,30}(?: \w+)?))(?:,.*)?$")),
    ("correction", "", "", "", (
        r"(?P<q>.{3,60}? (?:a changé|n'est plus (?:le bon|bon|bonne|valable)|était faux|était fausse|est faux|est "
        r"fausse)[,;:.] .{4,})")),
    ("correction", "", "", "", (r"(?:je voulais dire|il fallait lire|je parlais de|"
        r"c'était plutôt) ?:? ?(?P<q>.{3,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,60}\b)?(?:on|nous|l'équipe|le comité|j')(?: )?(?:a|avons|ai|ont)? ?(?:finalement |donc |enfin |"
        r"tous )*(?:décidé|choisi|opté|tranché|convenu|adopté|voté|retenu|arrêté notre choix)(?P<v>.{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,40}?, )?(?:on|nous|je) (?:part|partons|pars|reste|restons|garde|gardons|passe|passons|prend|"
        r"prenons|abandonne|abandonnons|migre|migrons|bascule|utilise|utilisons|va (?:utiliser|prendre|garder|"
        r"rester|partir|passer)|allons)(?: donc| finalement)? (?P<v>(?:sur|avec|à|chez|de|pour|le|la|l'|"
        r"les)\b.{3,}?(?:plutôt|au lieu|à la place|parce|car|pour|désormais|finalement|définitivement|sur|"
        r"comme).*)")),
    ("decision", "decision", "", "decision", (
        r"(?:la )?(?:décision|choix)(?: est| a été)?(?: prise| finale?| retenue?)?(?: ?:| de| :|,) ?(?P<v>.{5,})|"
        r"c'est décidé ?[,:] ?(?P<e>.{5,})|(?:il a été|c'est) (?:décidé|convenu|acté) (?:que|de|qu').{5,}")),
    ("preference", "preference", "I", "allergy", (
        r"je (?:suis|fais une) (?:\w+ )?(?:allergi(?:que|e)|intoléran(?:te?|ce)) (?:à la |aux |au |à l'|à "
        r")?(?P<v>.{2,40})|je ne (?:supporte|digère) pas .{3,}")),
    ("preference", "preference", "I", "dislikes", (
        r"je (?:n'aime (?:pas|plus|guère)|déteste|hais|ne supporte pas|ne mange (?:pas|jamais|plus)|ne bois "
        r"(?:pas|jamais|plus)|ne veux (?:pas|plus|jamais)|ne prends jamais) (?!ça\b|que tu)(?P<v>.{3,})|j'ai "
        r"horreur (?:de|des|du) .{3,}")),
    ("preference", "preference", "I", "likes", (
        r"(?:moi,? )?(?:je préfère|j'adore|j'aime(?: bien| beaucoup| surtout| mieux)?|je raffole|je suis (?:fan|"
        r"accro|fou|folle|passionnée?|mordue?|amatrice?|plutôt)|je ne jure que par|je suis (?:végétarien|végan|"
        r"végétalien|vegan)\w*|je privilégie) ?(?!ça\b|bien ça|beaucoup ça|que tu|quand tu)(?P<v>.{0,80})")),
    ("preference", "preference", "I", "favorite", (
        r"mon? (?:a )?(?P<a>[\w ]{2,30}?) (?:préférée?s?|favorie?s?)(?: reste| est| c'est|,? c'est)(?P<v>.{2,})|"
        r"ma (?P<c>[\w ]{2,30}?) (?:préférée?|favorite)(?: reste| est|,? c'est) .{2,}")),
    ("preference", "preference", "", "instruction", (
        r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir|à partir d'aujourd'hui|par défaut|dès "
        r"maintenant)[, ](?!.*\bj'(?:habite|travaille))(?P<v>.{6,})|(?:s'il te plaît,? )?(?:réponds|écris|parle|"
        r"tutoie|vouvoie|appelle|utilise|mets|ne \w+|n'\w+)(?:-moi|-nous)?(?: \w+){0,3}? (?:toujours|jamais|pas "
        r"d'|plus de|plus jamais|uniquement|systématiquement|en français|en anglais|sans)\b.*|(?:quand|lorsque|"
        r"chaque fois que) tu .{4,60}, .{5,}")),
    ("opinion", "preference", "I", "thinks", (
        r"(?:à mon avis|selon moi|d'après moi|pour moi|personnellement|à mon sens|de mon point de vue|je "
        r"(?:trouve|pense|crois|considère|estime)(?: vraiment| franchement| que| qu')?|je suis convaincue? "
        r"qu(?:e|'))(?: que| qu')?[, ]+(?!(?:je|j'|tu|c'est|on|il faut|ça|nous|vous|il|elle|que je|oui|"
        r"non)\b)(?P<e>.{3,60}?) (?P<v>(?:est|sont|n'est|ne|devrait|vaut|a|ont|fait|font|\w+e|\w+ent|mérite|rend|"
        r"coûte|reste)\b.{3,})")),
    ("attribute", "person", "", "birthday", (
        r"(?:mon|ma|mes) (?P<e><rel>(?: [\w-]+)?) est née? (?P<v>(?:le|en) \S.*)")),
    ("commitment", "plan", "I", "plan", (
        r"(?=.*<when>)(?!.*\b(?:j'ai|je suis|j'étais|nous avons|on a) (?:\w+ )?(?:\w+é|\w+i|"
        r"\w+u)e?s?\b)(?:.{0,50}\b)?(?:je|nous|on|j') ?(?:vais|allons|va|dois|devons|doit|compte|comptons|prévois|"
        r"prévoyons|pars|partons|part|commence|commençons|passe|passons|rends|rendrai|envoie|t'envoie|vous envoie|"
        r"livre|\w*erai|\w*irai|\w*drai|\w*rons|\w*ra|déménage|déménageons|me marie|m'inscris|te rappelle|finis|"
        r"termine|dépose|paie|reprends|rembourse)\b.*")),
    ("commitment", "plan", "I", "plan", (
        r"j'ai promis .{6,}|je (?:promets|m'engage) .{6,}|(?:je|nous) (?:prévois|prévoyons|comptons|compte|"
        r"prépare|préparons|m'entraîne) .{8,}")),
    ("commitment", "plan", "", "deadline", (
        r"(?=.*(?:<when>|\d))(?:le |la |l'|les )?(?P<e>.{3,50}?) (?:est à rendre|doit être|doivent être|est dûe?|"
        r"est prévue?|sont à rendre|à rendre|est fixée?|a lieu|aura lieu) (?P<v>.{3,})|(?:date limite|échéance|"
        r"deadline|à rendre)\b.{4,}")),
    ("event", "event", "I", "event", (
        r"(?!.*<not>)(?:.{0,40}\b)?(?:j'ai|je (?:me |m')?suis|nous (?:nous )?(?:avons|sommes)|on (?:a|est|s'est)|"
        r"je viens de|nous venons de|j'ai été|je l'ai) ?(?:\w+ ){0,3}?(?:<did>|(?:acheter|vendre|déménager|"
        r"emménager|signer|finir|terminer|commencer|obtenir|adopter|recevoir|réussir|quitter))\b.*|on m'a (?:volé|"
        r"diagnostiqué|embauché|proposé|promue?|licencié|opéré).{3,}")),
    ("event", "event", "", "event", (
        r"(?!.*<not>)(?:.{0,30}\b)?(?:mon|ma|notre|mes) (?P<e><rel>(?: [\w-]+)?) (?:\w+ )?(?:a|est|s'est|vient de|"
        r"ont|sont|se marie|attend un) (?:\w+ ){0,3}?(?:<did>|partir|naître|mourir|bébé|accoucher|déménager|"
        r".{0,20}(?:ans|mois))\b.*")),
    ("attribute", "fact", "I", "lives_in", (
        r"(?:.{0,30}\b)?(?:j'habite|je vis|nous habitons|nous vivons|on habite|on vit|je loge|je réside)(?: \w+)? "
        r"(?P<v>(?:à|en|au|aux|chez|dans|avec|près|rue|depuis|sur)\b.{2,})")),
    ("attribute", "fact", "I", "employer", (
        r"(?:.{0,30}\b)?(?:je travaille|je bosse|j'enseigne|je dirige|j'étudie|j'apprends|je joue (?:du|de|au)|je "
        r"parle|je conduis|je possède|je m'appelle|je viens de|je gère|je tiens|je fais (?:du|de la|des|un|une|"
        r"partie)|je collectionne|je chante|je porte) ?(?P<v>(?!vite|bien|trop|encore|un tour|un effort|une pause|"
        r"trop de)\b.{3,})")),
    ("attribute", "fact", "I", "occupation", (
        r"je suis (?:une?|la|le|de|né[e]?|en|d'origine|originaire)? ?(?P<v>(?:\w+ (?:de métier|de formation|à "
        r"mi-temps|chez .*|à l'hôpital.*))|infirmi\w+|professeure?\w*|prof|médecin|avocate?|ingénieure?|"
        r"développeu\w+|étudiante?|comptable|architecte|retraitée?|enceinte|divorcée?|mariée? (?:à|avec|"
        r"depuis).*|"
        r"gauch\w+|boulang\w+|cuisini\w+|graphiste|vétérinaire|journaliste|traduct\w+|kiné\w*|à \d+.*|originaire "
        r".*|daltonien\w*|célibataire)\b.*|j'ai (?P<c>\d+ ans|(?:une?|deux|trois|quatre) (?:\w+ )?(?:<pet>s?|"
        r"enfants?|fils|filles?|frères?|sœurs?|voiture|vélo|maison|jardin|moto|abonnement)).*")),
    ("attribute", "person", "", "", (
        r"(?:mon|ma|mes|notre|son|sa) (?P<e><rel>(?: [\w-]+)?)(?:,? qui)? (?P<v>(?:est|habite|vit|travaille|"
        r"étudie|joue|a|s'appelle|vient|dirige|parle|adore|déteste|aime|fait|enseigne|tient)\b(?! (?:malade|"
        r"fatiguée?|gentille?|adorable|trop|très|content)).{3,})|(?:l')?anniversaire (?:de|d') ?(?P<a>.{2,30}?) "
        r"(?:est|tombe|c'est) .{4,}")),
    ("attribute", "project", "", "status", (
        r"(?:le |notre )?projet (?P<e>[\w«»\"-]+) (?P<v>(?:est|démarre|a|sera|avance|se|passe|reste|commence|"
        r"finit|dépend)\b.{3,})|.{2,30} (?:dirige|pilote|gère|est responsable du|est chargée? du) (?:le )?projet "
        r".{3,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+|[\w-]+-\w+))(?!je |j'|nous |tu |si |peux-tu |il faut )(?:le |"
        r"la |l'|les |notre |nos )?(?P<e>.{2,50}?) (?P<v>(?:est|sont|tourne|tournent|écoute|utilise|se trouve|se "
        r"trouvent|s'appelle|pointe|a|fonctionne|nécessite|vit|expire|redémarre|stocke|héberge|passe|répond|"
        r"accepte|coûte)\b.{2,})|(?=.*<tech>)(?P<a>[\w' -]{2,30}) ?: ?\S*\d.*")),
    ("attribute", "procedure", "", "steps", (
        r"(?:pour .{4,60}[,:] (?:il faut|on|lance|lancez|d'abord|exécute|fais|faites|cliquer|aller|va|ouvre|"
        r"utilise).{6,}|d'abord .{4,80}(?:puis|ensuite) .{6,}|(?P<e>.{3,50}) (?:se fait|se lance|s'installe|se "
        r"demande) (?:comme ça|ainsi|en|avec|via|par).{6,})")),
)  # fmt: skip

GRAMMAR = Grammar(
    WORDS,
    EARLY[:1] + KEYED + EARLY[1:] + RULES + LATE,
    relations=(
        r"(?i:\b(?:mon|ma|notre) (?:\w+ )?(?P<rel><rel>)),? (?P<name>[A-ZÉÈÀÂÇ][\w-]+(?: [A-ZÉÈÀÂÇ][\w-]+)?)",
        (
            r"(?i:\b(?:mon|ma|notre) (?:\w+ )?(?P<rel><rel>) (?:s'appelle|c'est|est)) (?P<name>[A-ZÉÈÀÂÇ][\w-]+(?: "
            r"[A-ZÉÈÀÂÇ][\w-]+)?)"
        ),
        (
            r"(?P<name>[A-ZÉÈÀÂÇ][\w-]+(?: [A-ZÉÈÀÂÇ][\w-]+)?)(?:,| est|, c'est) (?i:(?:mon|ma|notre) (?:\w+ "
            r")?(?P<rel><rel>))\b"
        ),
    ),
)
