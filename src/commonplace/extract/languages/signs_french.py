"""Signs of what a French sentence is about: words by what they speak of, `*` for any ending, `_` for a blank."""

from __future__ import annotations

SIGNS: dict[str, str] = {
    "taste": """
        aime aimes aiment adore déteste préfère préféré* favori* allergi* intoléran* végan* végétari* supporte
        supportent raffole horreur goût mange_pas bois_pas boit mange fan_de dégoûte plaît délicieux gourmand*
        faible_pour ne_mange jamais_de digère
    """,
    "opinion": """
        trouve pense crois avis selon_moi à_mon_avis surestimé* surcoté* trop mieux meilleur* pire inutile* moche*
        beau ennuyeu* perte_de_temps franchement honnêtement personnellement lourd lourde convaincu* vaut estime
        usine_à_gaz
    """,
    "rule": """
        toujours jamais désormais dorénavant réponds répondez écris évite évitez utilise utilisez s'il_te_plaît stp
        à_partir_de_maintenant uniquement seulement pas_de ne sans_me_demander demande-moi préviens-moi tutoie*
        vouvoie* appelle-moi court concis résumé* émojis emojis format systématiquement veille merci_de
    """,
    "choice": """
        décidé décision choisi opté retenu tranché accord convenu voté plutôt_que au_lieu finalement abandonne*
        abandonné on_passe passer_à passons_à on_garde garde on_reste on_prend remplace* remplacé renonce* renoncé
        annulé reporté validé arrêté choix définitif laissons_tomber migrons
    """,
    "future": """
        vais va allons vont demain après-demain prochain* avant d'ici échéance délai rendez-vous réunion rdv
        date_limite promets promis prévu* compte envisage lundi mardi mercredi jeudi vendredi samedi dimanche envoie
        enverrai rendrai ferai serai terminerai finirai livrerai livre heures examen vol dentiste mariage m'occupe
        m'engage doit_être
    """,
    "life": """
        marié* mariage fiancé* divorcé* né née naissance mort morte décédé* déménagé enceinte promu* promotion
        embauché* licencié* retraite diplôm* adopté opéré* opération cassé accident volé gagné perdu acheté vendu
        ouvert fondé permis bébé jumeaux maison hôpital diagnosti* enfin emménagé séparé* signé obtenu reçu* réussi
        démissionné doctorat accouché
    """,
    "past": """
        hier avant-hier dernier dernière derniers ai a avons ont suis est étais était sommes il_y_a depuis vient_de
        viens_de passé passée semaine_dernière mois_dernier récemment
    """,
    "kin": """
        mère maman père papa parents sœur* soeur* frère* fils fille* femme mari conjoint* compagn* copine copain
        fiancé* tante oncle cousin* nièce neveu grand-mère grand-père mamie papi papy chef cheffe patron* collègue*
        colocataire voisin* ami amie médecin dentiste propriétaire avocat* prof comptable enfants beau-frère belle-*
        mme monsieur madame
    """,
    "other": "il elle son sa ses lui leur",
    "self": "je j' j'ai moi mon ma mes me m'",
    "us": "nous notre nos on",
    "being": """
        habite habitons vis vit travaille étudie possède conduis parle enseigne ans viens_de grandi né_à joue
        j'ai_deux j'ai_un j'ai_une métier profession m'appelle s'appelle groupe_sanguin pointure célibataire gaucher*
        anniversaire originaire
    """,
    "tech": """
        serveur* port ports hôte base_de_données base api endpoint dépôt staging prod production cluster cache redis
        postgres* mysql sqlite journaux logs service bucket file_d'attente ci pipeline déploiement* build url version
        config* sauvegarde* vpn ssh domaine vm conteneur docker kubernetes nginx proxy passerelle nœud python jeton
        token certificat* webhook branche cron appli frontend backend kafka grafana jenkins gitlab github schéma
        timeout limite quota noyau linux worker* disque pare-feu runner* routeur imprimante wifi wi-fi écoute tourne
        requêtes instance préprod mémoire
    """,
    "project": """
        projet* jalon* version_bêta lancement bêta feuille_de_route sprint phase backlog déploiement_pilote pilote
        prototype budget retard en_pause suspendu* gelé piloté* dirigé* dirige chef_de_projet pour_cent licence
        utilisateurs livrable* refonte livré avance chantier
    """,
    "fail": """
        erreur* échou* échec plant* bug* bogue* exception* timeout* fuite* bloqu* refusé* cassé corrompu* mauvais*
        problème* lent lente panne 401 403 404 429 500 502 503 504 conflit* manqu* marchait_pas impossible coupure
    """,
    "fix": """
        corrigé réglé résolu solution cause venait_de venait_du parce_que car à_cause grâce remarche refonctionne
        fonctionne_de_nouveau suffi suffisait il_fallait depuis marche coupable réparé en_vidant en_ajoutant
        en_passant en_supprimant supprimé ajouté vidé réinstallé disparu
    """,
    "vain": """
        rien_changé rien_donné n'a_rien ne_change_rien aucun_effet sans_effet sans_succès en_vain toujours pas_servi
        ne_sert_à_rien inutile essayé tenté même_erreur n'a_pas n'y_est_pour_rien fausse_piste impasse non_plus pareil
        n'aide
    """,
    "steps": """
        d'abord puis ensuite avant_de après_avoir pour_publier pour_réinitialiser pour cliqu* appuy* lanc* ouvr*
        il_faut faut on_doit validé_par signé_par passe_par passent_par formulaire procédure étape* enfin remplir
        demander vérifier saisir tagger fusionne* déposer exécut* deux_fois relit valide se_fait
    """,
    "place": """
        bureau* immeuble cuisine porte code clé clés contrat assurance loyer bail client* fournisseur* facture* banque
        compte école salle garage parking poubelles horaires ouvre ferme étage entrée adresse rue alarme compteur
        garantie abonnement cantine chaudière entreprise équipe tva société voiture local magasin pharmacie siège
    """,
    "note": """
        rappelle-toi souviens-toi note notez retiens n'oublie_pas à_noter garde_en_tête pour_info pour_mémoire mémo
        mémorise retenir
    """,
    "amend": """
        non pas correction erreur plutôt en_fait finalement trompé* au_temps_pour_moi changé nouveau nouvelle
        désormais je_voulais_dire rectification c'est confondu plus maintenant
    """,
    "habit": """
        chaque tous toutes toujours souvent d'habitude quotidien* hebdomadaire mensuel* lundis matins soirs jamais
    """,
    "passing": """
        aujourd'hui maintenant peut-être espère espérons souhaite fatigué* faim météo pluie pleut bouchons bientôt
        moment minute mdr merci pardon désolé* génial super cool ok blague drôle
    """,
}
