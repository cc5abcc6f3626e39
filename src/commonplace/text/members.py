"""Sorts of things and what is of them: a line that answers `which instrument?` says `violin`, and not `instrument`.

The lists hold what most people have to do with, and no more. Of a sort is what belongs to it: what is of its kind, as a
dog is a pet, and in some what has to do with it, as a doctor with health.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from commonplace.text.folding import strip_accents
from commonplace.text.tokenize import form
from commonplace.text.variants import irregular

# Names of a sort, a colon, what is of it. Every sort of place goes by `where` too.
_LISTS = {
    "en": """
        activity hobby pastime leisure recreation sport exercise workout: hiking camping swimming running jogging
            cycling biking climbing fishing sailing surfing skiing snowboarding skating kayaking canoeing rowing dancing
            yoga pilates boxing basketball football soccer tennis baseball volleyball golf hockey rugby cricket
            badminton marathon karate judo gymnastics|
        activity hobby pastime leisure recreation: painting drawing reading cooking baking gardening singing knitting
            sewing pottery photography chess puzzle picnic volunteering writing crafts guitar piano birdwatching
            meditation|
        food meal dish cuisine snack dessert recipe: pizza pasta lasagna salad soup sandwich burger chicken beef pork
            salmon steak rice noodles sushi taco curry bread cake cookie pie chocolate cheese egg bacon tofu pancake
            muffin stew potato fruit vegetable|
        meat: vegetarian vegan|
        change: stopped started began quit switched moved left joined cancelled canceled replaced became decided instead
            anymore|
        fruit: apple banana orange strawberry blueberry grape mango peach pear cherry lemon melon|
        nut: almond cashew hazelnut peanut pecan pistachio walnut|
        meat: beef pork chicken lamb turkey bacon ham sausage steak|
        seafood: salmon tuna cod shrimp prawn crab lobster mussels oyster|
        dairy: milk cheese yogurt butter cream|
        vegetable: tomato carrot potato broccoli spinach lettuce onion pepper cucumber bean pea cabbage|
        drink beverage: coffee tea beer wine juice water soda milk cocktail smoothie whiskey lemonade|
        pet animal: dog cat puppy kitten turtle fish bird hamster rabbit horse snake lizard parrot ferret goat|
        animal: cow sheep pig duck bear deer wolf fox elephant lion tiger monkey|
        book: novel story fiction memoir poetry biography trilogy|
        movie film: comedy thriller drama documentary cartoon western|
        music: song album concert band jazz rock pop classical blues opera guitar piano violin drums|
        instrument: guitar piano violin drums flute clarinet saxophone trumpet cello ukulele bass keyboard harp banjo|
        art: painting drawing sculpture pottery watercolor sketch mural portrait photography|
        country nation where: england britain uk scotland ireland wales france italy spain portugal germany austria
            switzerland netherlands belgium denmark sweden norway finland iceland poland russia ukraine greece turkey
            egypt morocco kenya israel india china japan korea thailand vietnam indonesia philippines australia zealand
            canada mexico brazil argentina chile peru usa america|
        state where: california texas florida oregon nevada arizona utah colorado minnesota michigan ohio illinois
            virginia carolina tennessee massachusetts vermont alaska hawaii|
        city town where: london paris rome tokyo boston chicago seattle francisco angeles york barcelona madrid lisbon
            berlin munich vienna zurich amsterdam brussels copenhagen stockholm oslo dublin prague budapest athens
            istanbul sydney melbourne toronto vancouver montreal miami dallas austin denver philadelphia atlanta beijing
            shanghai singapore mumbai delhi|
        place location where: park beach museum mountain lake forest cafe restaurant castle island river library|
        family relative: mother father sister brother son daughter kid child wife husband aunt uncle cousin
            grandmother grandfather parent nephew niece|
        friend: buddy pal colleague teammate neighbor classmate roommate|
        job career profession occupation: engineer teacher doctor nurse lawyer developer programmer designer manager
            writer artist chef counselor consultant accountant scientist journalist architect mechanic photographer|
        boss: manager supervisor|
        subject major degree: math physics chemistry biology history literature psychology economics engineering law
            medicine business|
        school education: class course exam teacher student college university lecture homework|
        illness disease condition injury: diabetes asthma allergy cancer flu cold fever headache migraine arthritis
            ulcer infection fracture sprain concussion surgery pain ankle knee|
        health: doctor hospital diet weight exercise medicine illness pain surgery checkup|
        vehicle: car truck van motorcycle bus bicycle|
        vehicle car: jeep suv toyota honda ford tesla bmw|
        travel trip vacation: flight hotel airport tour beach mountains road|
        clothes clothing outfit: dress shirt shoes hat jacket coat jeans skirt scarf sweater suit sneakers boots|
        gift present: necklace ring bracelet watch flowers book card toy|
        jewelry: necklace ring bracelet earrings pendant|
        device gadget: phone laptop computer tablet camera headphones console|
        game: chess poker monopoly scrabble nintendo playstation xbox minecraft tetris|
        flower plant: rose sunflower tulip daisy lily orchid succulent cactus fern basil|
        tree: oak maple pine birch willow cedar|
        nature outdoors: forest mountain lake river beach trail sunset hike|
        color: red blue green yellow purple orange pink black white brown gray|
        event celebration: wedding birthday party parade concert conference festival workshop ceremony tournament
            fundraiser gala race graduation anniversary|
        charity community: shelter fundraiser volunteer donate nonprofit homeless|
        achievement success: won award medal trophy record promotion graduated|
        challenge struggle problem setback: hard tough difficult lost broke failed stuck injury|
        trait: kind caring honest brave patient strong passionate determined generous funny|
        emotion: happy sad proud excited nervous anxious angry scared lonely grateful|
        marriage: wedding bride groom wife husband engaged married|
        religion: church god pray mosque temple synagogue buddhist christian jewish muslim catholic|
        politics: election vote president party government campaign|
        money finance: pay salary budget loan debt savings rent price|
        season: spring summer autumn winter|
        holiday: christmas thanksgiving easter halloween hanukkah|
        weather: rain snow sun storm wind cloud|
        language: english spanish french german italian japanese chinese portuguese korean arabic python javascript
            typescript java rust ruby kotlin php|
        furniture: chair table sofa couch bed desk dresser shelf|
        database: postgres postgresql mysql sqlite mongodb redis mariadb dynamodb|
        cloud: aws azure gcp heroku|
        editor: vim neovim emacs vscode|
        browser: firefox chrome safari|
        framework: django flask fastapi rails react vue angular svelte""",
    "de": """
        hobby freizeit sport sportart aktivität: wandern schwimmen laufen joggen radfahren klettern angeln segeln
            tanzen yoga fußball tennis basketball handball volleyball reiten malen zeichnen lesen kochen backen gärtnern
            singen stricken nähen töpfern fotografieren schach gitarre klavier|
        fleisch: vegetarier vegetarisch vegan|
        änderung veränderung geändert verändert: aufgehört angefangen begonnen gekündigt gewechselt umgezogen ersetzt
            entschieden beschlossen stattdessen|
        essen gericht speise mahlzeit rezept: pizza nudeln salat suppe brot kuchen käse ei schokolade reis kartoffel
            hähnchen rind lachs wurst gemüse obst|
        getränk: kaffee tee bier wein saft wasser milch limonade|
        haustier tier: hund katze welpe kätzchen schildkröte fisch vogel hamster kaninchen pferd schlange papagei|
        instrument: gitarre klavier geige schlagzeug flöte klarinette saxophon trompete cello bass harfe|
        land: england frankreich italien spanien portugal deutschland österreich schweiz niederlande belgien dänemark
            schweden norwegen finnland polen russland griechenland türkei indien china japan australien kanada mexiko
            brasilien|
        familie verwandte: mutter vater schwester bruder sohn tochter kind ehefrau ehemann tante onkel oma opa|
        beruf job: ingenieur lehrer arzt krankenschwester anwalt programmierer koch künstler wissenschaftler|
        krankheit verletzung: diabetes asthma allergie krebs grippe erkältung fieber migräne infektion schmerz|
        fahrzeug: auto lkw motorrad bus fahrrad|
        kleidung: kleid hemd schuhe hut jacke mantel jeans rock schal pullover anzug stiefel|
        farbe: rot blau grün gelb lila orange rosa schwarz weiß braun grau|
        feier fest veranstaltung: hochzeit geburtstag party konzert konferenz festival turnier abschluss|
        jahreszeit: frühling sommer herbst winter|
        sprache: englisch spanisch französisch deutsch italienisch japanisch chinesisch""",
    "fr": """
        loisir sport activité: randonnée natation course vélo escalade pêche voile danse yoga football tennis basket
            ski peinture dessin lecture cuisine jardinage chant couture poterie photographie échecs guitare piano|
        viande: végétarien végétarienne végane|
        changement changé: arrêté commencé quitté déménagé remplacé décidé annulé désormais|
        plat repas nourriture recette: pizza pâtes salade soupe pain gâteau fromage œuf chocolat riz poulet bœuf saumon|
        boisson: café thé bière vin jus eau lait limonade|
        animal: chien chat chiot chaton tortue poisson oiseau hamster lapin cheval serpent perroquet|
        instrument: guitare piano violon batterie flûte clarinette saxophone trompette violoncelle harpe|
        pays: angleterre france italie espagne portugal allemagne autriche suisse belgique danemark suède norvège
            pologne russie grèce turquie inde chine japon australie canada mexique brésil|
        famille parent: mère père sœur frère fils fille enfant femme mari tante oncle cousin|
        métier profession travail: ingénieur professeur médecin infirmier avocat développeur cuisinier artiste|
        maladie blessure: diabète asthme allergie cancer grippe rhume fièvre migraine infection douleur|
        véhicule: voiture camion moto bus vélo|
        vêtement: robe chemise chaussure chapeau veste manteau jean jupe écharpe pull costume botte|
        couleur: rouge bleu vert jaune violet orange rose noir blanc brun gris|
        fête événement: mariage anniversaire concert conférence festival tournoi|
        saison: printemps été automne hiver|
        langue: anglais espagnol français allemand italien japonais chinois""",
    "es": """
        afición pasatiempo deporte actividad: senderismo natación correr ciclismo escalada pesca vela baile yoga fútbol
            tenis baloncesto esquí pintura dibujo lectura cocina jardinería canto costura cerámica fotografía ajedrez
            guitarra piano|
        carne: vegetariano vegetariana vegano vegana|
        cambio cambiado: dejado empezado mudado decidido cancelado reemplazado|
        comida plato receta: pizza pasta ensalada sopa pan pastel queso huevo chocolate arroz pollo carne salmón|
        bebida: café té cerveza vino zumo jugo agua leche limonada|
        mascota animal: perro gato cachorro gatito tortuga pez pájaro hámster conejo caballo serpiente loro|
        instrumento: guitarra piano violín batería flauta clarinete saxofón trompeta violonchelo arpa|
        país: inglaterra francia italia españa portugal alemania austria suiza bélgica dinamarca suecia noruega polonia
            rusia grecia turquía india china japón australia canadá méxico brasil argentina chile perú|
        familia pariente: madre padre hermana hermano hijo hija niño esposa marido tía tío primo|
        profesión trabajo: ingeniero profesor médico enfermero abogado programador cocinero artista|
        enfermedad lesión: diabetes asma alergia cáncer gripe resfriado fiebre migraña infección dolor|
        vehículo: coche camión moto autobús bicicleta|
        ropa: vestido camisa zapato sombrero chaqueta abrigo falda bufanda suéter traje bota|
        color: rojo azul verde amarillo morado naranja rosa negro blanco marrón gris|
        fiesta evento: boda cumpleaños concierto conferencia festival torneo|
        estación: primavera verano otoño invierno|
        idioma: inglés español francés alemán italiano japonés chino""",
}


def members(word: str, language: str) -> tuple[str, ...]:
    """The tokens that lines may hold of the sort that a folded word names; none where it names none, and where there is
    no list of its language."""
    named = _sorts(language).get(form(word, language), ())
    return tuple(dict.fromkeys(token for words in named for token in _tokens(words, language)))


@cache
def _sorts(language: str) -> dict[str, tuple[str, ...]]:
    """By the stem of a name, what is of each sort that goes by it."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _LISTS.get(language, "").split("|"):
        names, _, words = entry.partition(":")
        for name in dict.fromkeys(form(spelt, language) for one in names.split() for spelt in _spelt(one)):
            found[name] = (*found.get(name, ()), words)
    return found


@cache
def _tokens(words: str, language: str) -> tuple[str, ...]:
    others = (other for word in words.split() for other in (irregular(word) if language == "en" else ()))
    return tuple(dict.fromkeys(form(spelt, language) for word in (*words.split(), *others) for spelt in _spelt(word)))


def _spelt(word: str) -> Iterator[str]:
    yield word
    yield strip_accents(word)
