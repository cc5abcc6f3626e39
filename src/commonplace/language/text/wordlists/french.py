"""The gate's words of French."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "ack": (
        "oui, non, ouais, d'accord, ok, okay, merci, merci beaucoup, merci bien, de rien, je vous en prie, "
        "je t'en prie, parfait, super, génial, très bien, c'est bon, c'est bien, ça marche, ça va, compris, "
        "j'ai compris, entendu, bien sûr, exactement, tout à fait, bonjour, bonsoir, salut, coucou, au revoir, "
        "à bientôt, à plus, à plus tard, à demain, bonne nuit, bonne journée, bonne soirée, comment ça va, "
        "comment vas-tu, comment allez-vous, s'il te plaît, s'il vous plaît, svp, stp, vas-y, allez-y, continue, "
        "continuez, bravo, félicitations, pas de problème, pas de souci, pas de soucis, mdr, ptdr, haha, noté, "
        "c'est noté, désolé, désolée, pardon, cool, nickel, impeccable, top, voilà, bon, bien, bof"
    ),
    "filler": (
        "le, la, les, un, une, et, à, de, du, des, pour, tout, toute, tous, toi, vous, tu, je, moi, ton, votre, "
        "ta, aide, réponse, alors, donc, aussi, encore, très, beaucoup, bien, mais, c, est, ça, cela, l, j, ai, "
        "ce, avec"
    ),
    "todo": (
        "il faut, il faudrait, il va falloir, on doit, je dois, nous devons, on devrait, à faire, à corriger, "
        "penser à, ne pas oublier de, faut que, reste à faire"
    ),
    "explanation": (
        "parce que, parce qu, car, puisque, puisqu, afin de, afin que, pour que, pour éviter, sinon, autrement, "
        "à cause, donc, c'est pourquoi, grâce à"
    ),
    "transient": (
        "en cours, en train de, pas encore, prochaine étape, étape suivante, en attente, j'attends, un instant, "
        "un moment, une seconde, deux secondes, je regarde, je vérifie, je vais regarder, je vais vérifier, "
        "je suis en train, presque fini, presque terminé, pour l'instant, pour le moment, en ce moment, "
        "je réessaie, je relance, je suis fatigué, je suis fatiguée, j'ai faim, tout de suite"
    ),
    "rule": (
        "toujours, jamais, à chaque fois, chaque fois, désormais, dorénavant, à l'avenir, règle, règles, consigne, "
        "consignes, obligatoire, interdit, interdite, en aucun cas, sous aucun prétexte, par défaut, "
        "sans exception, impérativement"
    ),
    "modal": "doit, doivent, devons, il faut, obligé, ne pas, nécessaire, important, importante",
    "preference": (
        "préfère, préfères, préfèrent, préférons, préféré, préférée, préférence, préférences, j'aime, il aime, "
        "elle aime, aime bien, aiment, j'adore, adore, adorent, déteste, détestent, n'aime pas, plutôt que, "
        "au lieu de, raffole, favori, favorite"
    ),
    "decision": (
        "décidé, décidons, décide, décision, décisions, choisi, avons choisi, avons retenu, on a retenu, retenu, "
        "opté pour, convenu, tranché, on part sur, nous allons utiliser, on va utiliser, adopté"
    ),
    "relation": (
        "mère, père, maman, papa, parents, sœur, soeur, sœurs, frère, frères, femme, mari, épouse, époux, "
        "conjoint, conjointe, compagnon, compagne, fils, fille, filles, enfant, enfants, grand-mère, grand-père, "
        "tante, oncle, cousin, cousine, neveu, nièce, ami, amie, amis, patron, patronne, chef, collègue, "
        "collègues, colocataire, voisin, voisine, propriétaire, médecin, dentiste, avocat, avocate, belle-mère, "
        "beau-père, petit ami, petite amie, copain, copine, fiancé, fiancée, chien, chat"
    ),
    "life": (
        "né, née, naissance, anniversaire, marié, mariée, mariage, divorcé, divorcée, habite, habitons, vit à, "
        "vit en, déménagé, travaille, travaillons, emploi, embauché, embauchée, retraite, étudie, diplôme, "
        "diplômé, parle couramment, originaire, décédé, décédée, adresse, numéro de téléphone, s'appelle, "
        "m'appelle, prénom, surnom"
    ),
    "health": (
        "allergique, allergie, allergies, intolérant, intolérante, intolérance, diagnostiqu*, médicament, "
        "médicaments, insuline, groupe sanguin, diabét*, diabète, asthm*, enceinte, opération, opéré, opérée, "
        "vaccin*, ordonnance, végétarien, végétarienne, végan, cœliaque, migraine*, chronique"
    ),
    "money": (
        "salaire, loyer, budget, facture, prix, coûte, coûtent, euro, euros, prêt, dette, impôt, impôts, abonnement"
    ),
    "lesson": (
        "cause racine, corrigé en, résolu en, résolu par, solution, contournement, leçon, leçons, appris que, "
        "en fait c'était, provoqué par, causé par, ne marche pas, ne fonctionne pas, n'a pas marché, piège, "
        "erreur à éviter, attention à"
    ),
    "recurring": (
        "tous les jours, toutes les semaines, tous les mois, tous les ans, chaque jour, chaque semaine, "
        "chaque mois, chaque année, chaque lundi, chaque mardi, chaque mercredi, chaque jeudi, chaque vendredi, "
        "chaque samedi, chaque dimanche, tous les lundis, tous les mardis, tous les mercredis, tous les jeudis, "
        "tous les vendredis, tous les samedis, tous les dimanches, quotidien, hebdomadaire, mensuel, annuel"
    ),
    "progress": (
        "terminé, terminée, fini, c'est fait, poussé, fusionné, déployé, les tests passent, fichier créé, "
        "fichier modifié, relancé"
    ),
    "laughter": "mdr, ptdr, haha, hihi",
    "strict negation": "ne, n, pas, jamais, plus, aucun, aucune, rien, personne, sans, ni",
    "strict limit": "sauf, seulement, uniquement, ancien, ancienne",
    "pole person 1": "je, j, me, m, mon, ma, mes, moi",
    "pole person 2": "tu, te, t, ton, ta, tes, toi, vous, votre, vos",
    "pole person he": "il, lui",
    "pole person she": "elle",
    "pole person we": "nous, notre, nos",
    "pole person they": "ils, elles, leur, leurs",
    "pole when before": "avant, jusqu",
    "pole when after": "après, depuis",
    "pole height up": "sur",
    "pole height down": "sous",
    "pole amount more": "plus de",
    "pole amount less": "moins, moins de",
    "pole whole all": "tous, toutes, tout, toute, toujours",
    "pole whole some": "quelques, certains, certaines, parfois, souvent, rarement",
    "pole way from": "de, depuis, du",
    "pole way to": "à, vers, jusqu",
    "pole with with": "avec",
    "pole with without": "sans",
    "order": "que, plutôt, avant, après, vers, par, pour, avec, contre, au lieu, à",
    "light": (
        "maintenant, vraiment, aussi, actuellement, encore, bien, aujourd'hui, note, rappelle, souviens, "
        "utilisateur, désormais, très, donc, en fait, généralement, habituellement"
    ),
    "herald": (
        "une histoire drôle, bonne nouvelle, bonnes nouvelles, une nouvelle, une question, une idée, une surprise"
    ),
    "steer": (
        "ta réponse, tes réponses, votre réponse, réponds, répondez, reformule, reformulez, je voulais dire, le prompt"
    ),
    "reaction": (
        "bon à savoir, content d'apprendre, contente d'apprendre, ravi d'apprendre, désolé d'apprendre, je ne "
        "savais pas que, "
        "j'ignorais que, on dirait que"
    ),
    "praise": (
        "bonne idée, excellente idée, bon choix, excellent choix, bonne option, bon point, bonne suggestion, ça a "
        "du sens"
    ),
    "offered": (
        "idée, idées, suggestion, suggestions, conseil, conseils, recommandation, explication, réponse, thème, "
        "option, approche"
    ),
    "hype": "génial, géniale, incroyable, fantastique, superbe, magnifique",
    "truth": (
        "est le meilleur, est la meilleure, rien ne vaut, rien de tel, vaut mieux que, est essentiel, est la clé, "
        "peut aider"
    ),
    "supposed": "je pense, je crois, je trouve, à mon avis, j'imagine",
}

POINTING: dict[str, str] = {
    "pointer": "il, ils, elle, elles, ça, cela, ceci, celui-ci, celle-ci, ceux-ci, celui-là, celle-là, c'est, là-bas",
    "pointer at times": "cet, cette, ces, ceux, celles, celui, celle, eux, leur, leurs",
    "introducer": "un, une, mon, ma, mes, notre, nos, chaque",
    "preposition": "à, de, dans, avec, pour, sur, chez, par, comme, sans, vers",
    "conjunction": "et, mais, ou, donc, car, que, qui, quand, si, parce, puisque, comme, où",
    "empty": (
        "vraiment, aussi, encore, déjà, toujours, souvent, jamais, récemment, enfin, très, trop, beaucoup, peu, "
        "plus, chose, choses, quelque, quelques, tout, tous, toute, fois, bien, super, génial, alors, maintenant, "
        "fait, fais, faire, avoir, être, est, était, sera, suis, avons, sommes, j'ai, c'était, commencé, commence, "
        "essayé"
    ),
    "idle": "il, c'est",
    "being": "est",
    "impersonal": "faut, y, s'agit",
    "awaited": "que, de",
}

QUESTIONS: dict[str, str] = {
    "when": "C'est quand, {attribute} de {entity} ? | Quelle date pour {attribute} de {entity} ?",
    "what": "Quel est {attribute} de {entity} ?",
    "which": "Quel {attribute} utilise {entity} ? | Quel {attribute} pour {entity} ?",
    "attribute": "Quel est mon {attribute} ?",
    "preference": "Que préfère {entity} ? | Qu'aime {entity} ? | Quels sont les goûts de {entity} ?",
    "decision": "Qu'a-t-on décidé pour {entity} ? | Quel choix pour {entity} ?",
    "plan": "Qu'est-ce qui est prévu pour {entity} ? | Quels projets pour {entity} ?",
    "event": "Que s'est-il passé avec {entity} ? | Quand était {entity} ?",
    "person": "Qui est {entity} ?",
    "lesson": "Quel problème avec {entity} ? | Qu'a-t-on appris de {entity} ?",
    "procedure": "Comment faire {entity} ? | Comment pour {entity} ?",
    "about": "Et {entity} ?",
}
