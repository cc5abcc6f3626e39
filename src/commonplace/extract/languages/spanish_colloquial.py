"""Colloquial, elliptical and topic-first sentences of Spanish, as rules beside the plain ones."""

from __future__ import annotations

from commonplace.extract.languages import RuleRow

_PAST_MARKERS = r"\b(?:he|hemos|ha|han|fui|fuimos|fue|era|estuve|ayer|pasad[oa]|había|hicimos|hice)\b"
_TOPIC = r"(?!eso |esto |lo |que |qué |si |cuando |yo |tú |él |ella |me |no |nos |te )"

KEYED: tuple[RuleRow, ...] = (
    ("attribute", "tool", "", "", (
        r"(?!.*\b(?:no|cambi\w+|si)\b)(?:el |la )(?P<a>puerto|host|ip|ruta|versión|url|rama|región|dominio) (?:de la |"
        r"del |de los |de las |de )(?P<e>[^,:]{2,40}?) (?:es|está en|sigue siendo|será)(?: ahora| el|"
        r" la)* (?P<v>[^ ]*[\d./-].*)")),
    ("attribute", "tool", "", "", (
        r"(?!.*\b(?:no|cambi\w+|si)\b)(?:el |la |nuestr[oa] )(?P<e>[^,:]{2,40}?) (?:escucha|corre|está|responde|"
        r"funciona|atiende)(?: ahora)? (?:en|por) el (?P<a>puerto) (?P<v>\d+)\b.*")),
)  # fmt: skip

EARLY: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:para que (?:no se (?:te )?olvide|lo (?:sepas|tengas|recuerdes)|quede|lo apuntes)[\w ]{0,20}|para (?:luego|"
        r"más tarde|la próxima|el acta|futuras? \w+)|nota(?: mental| para mí)?|a tener en cuenta|que conste|"
        r"quédate con|grábate|métete en la cabeza|no (?:se te )?(?:olvides|olvide)|registra|deja apuntado|tomad nota|"
        r"ten presente|hay que recordar|conviene recordar|dato importante|dato)(?: bien| esto| también)*(?: ?: ?| que |"
        r", )(?P<q>.{6,})"
    )),
    ("correction", "", "", "", (
        r"(?:(?:perdona|perdón|ay|uy|huy|no|espera|ojo|error mío|fallo mío|culpa mía|corrijo|me equivoqué|"
        r"me he equivocado|me confundí|me he confundido|rectifico|corrección|aclaro|en realidad)\b[,:;. "
        r"]+){2,}(?P<q>(?!gracias|pasa|no |importa|tranquil).{8,})|(?:error mío|fallo mío|culpa mía|corrijo|rectifico|"
        r"me confundí|me he confundido)[,:;.] ?(?P<c>.{6,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?P<e>.{3,60}?) (?P<v>(?:tampoco|ni siquiera|no) (?:\w+ )?(?:resolvió|resuelve|arregl\w+|solucion\w+|sirv\w+|"
        r"ayud\w+|funcion\w+|cambi\w+|mejor\w+|evit\w+|quit\w+|corrig\w+|bast\w+|llev\w+ a ningun\w+|condu\w+)\b.*)|"
        r"(?:probamos|probé|probado|intentamos|intenté|intentado|hemos probado|he probado|aunque|a pesar de|pese a|"
        r"por más que|ni) .{4,70}(?:pero|y|,) .{0,20}(?:sigue|siguió|nada|igual|tampoco|mismo|misma|no |persiste|"
        r"en vano)\b.*|.{3,60} (?:fue|es|resultó(?: ser)?) (?:un callejón|perder el tiempo|una pista falsa|inútil|"
        r"en vano).*|no era (?:por |culpa |cosa |problema )(?:de |del )?.{4,}|.{3,60} (?:no era|no eran) (?:la causa|"
        r"el problema|el culpable).*"
    )),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:error|fallo|falla|fall[óa]|problema|caíd|se caía|bug|timeout|cuelg|colg|romp|rot[oa]|lent[oa]|"
        r"excepción|fuga|bloque|tard|no (?:arranc|conect|compil|carg|respond|funcion|encend|imprim|lleg)|dejó de|lío|"
        r"pete|petaba|salía|saltaba|\b[45]\d\d\b))(?P<e>.{3,}?)(?P<v>\b(?:quedó (?:resuelto|arreglado|solucionado|"
        r"listo)|(?:se|lo|la|los) (?:arregl|solucion|resolv|resolví|correg|cur)\w+|(?:con|al|tras|cambiando|añadiendo|"
        r"quitando|subiendo|borrando|reiniciando|limpiando|actualizando|renovando) .{3,50}\b(?:ya|quedó|volvió|"
        r"funciona|va|dejó|arranca|bastó|desapareció|listo|resuelto|arreglado|solucionado)|faltaba|(?:era|"
        r"fue) (?:culpa|cosa|cuestión|problema)|porque|provocad[oa]|desde entonces|la culpa (?:era|la tenía)|bastaba|"
        r"y (?:ya|listo|arreglado))\b.*)")),
    ("opinion", "preference", "I", "thinks", (
        r"(?:para mí|a mi parecer|según yo|desde mi punto de vista|en lo personal|a mí me parece|mi opinión|"
        r"mi impresión|"
        r"tengo la impresión|sigo (?:pensando|creyendo)|estoy convencid[oa]|soy de la opinión|dudo)(?: es|"
        r" de)?(?: que|,| "
        r"?:)? ?(?P<v>(?!voy|iré|no sé|el café|sin)(?=.*\b(?:es|son|está|están|no|demasiado|merece|vale|"
        r"debería\w*|tiene|"
        r"consume|gana|sobra|falta)\b).{8,})|me (?:parece|parecen) (?:que )?(?!bien$|bien,|perfecto|"
        r"genial$)(?P<a>.{8,})|"
        rf"{_TOPIC}(?P<e>.{{3,40}}) me (?:parece|parecen|resulta|resultan) .{{4,}}|(?:veo|encuentro|"
        rf"considero) (?:muy |poco "
        r"|demasiado )?.{6,}|.{6,50}, (?:en mi opinión|a mi juicio|para mi gusto|creo yo)$")),
    ("preference", "preference", "I", "allergy", (
        r"(?:el |la |los |las )?(?P<v>[\w ]{3,30}?) (?:me (?:sienta|sientan|cae|caen) (?:fatal|mal|muy mal|pesad\w+)|"
        r"me (?:da|dan|produce\w*|provoca\w*) (?:alergia|urticaria|ronchas|sarpullido|migraña|dolor|ardor|acidez|"
        r"náuseas)|no (?:lo|la|los|las) (?:tolero|digiero|puedo))\b.*|con .{3,30} me (?:salen|sale|hincho|pongo) .{4,}|"
        r"(?:no (?:tolero|digiero|puedo (?:comer|tomar|con))|tengo prohibid[oa]) .{3,}|(?:al|a la|a los|"
        r"a las) .{3,30} (?:soy|tengo) (?:muy )?(?:alérgic|alergia).*|me (?:hincho|salen ronchas|pongo mal) .{4,}")),
    ("preference", "preference", "I", "dislikes", (
        rf"{_TOPIC}(?P<v>[\w ]{{3,40}}?),? (?:no (?:me (?:gusta|gustan|va|van|entra|entran|convence\w*|hace gracia|"
        r"interesa\w*)|es lo mío|es para mí|(?:lo|la|los|las) (?:soporto|aguanto|como|bebo|pruebo|quiero|tomo|"
        r"uso|trago))|"
        r"ni (?:probarl\w+|verl\w+|regalad\w+|loc[oa]|de broma|en pintura|olerl\w+)|me (?:repugna|horroriza|"
        r"saca\w* de "
        r"quicio|da\w* (?:asco|grima)|pone\w* (?:nervios|de los nervios))|(?:lo|la|los|las) (?:odio|detesto))\b.*|"
        r"(?:yo )?(?:no (?:me (?:va|van|entra|entran|convence\w*)|soy (?:muy |nada )?(?:de|fan|amig[oa])|trago|"
        r"fumo|como|"
        r"bebo|veo|uso|llevo|piso|pruebo|suelo)|evito|huyo de|he dejado (?:el|la|de)|paso de|jamás|nunca|"
        r"me niego a|tengo "
        r"manía)\b(?! (?:sé|olvid|nada$)) ?(?!\w+(?:es|as)\b).{3,}")),
    ("preference", "preference", "I", "likes", (
        r"(?:yo |a mí )?(?:(?:el |la |los |las |mi )(?P<v>[\w ]{2,40}?),? ?(?:siempre |sólo |solo )?(?:(?:lo|la|los|"
        r"las) (?:tomo|prefiero|quiero|bebo|como|pido|uso|adoro)|(?:me (?:encanta|encantan|chifla\w*|vuelve\w* loc\w+|"
        r"fascina\w*|gusta\w* (?:más|mucho|bien|poco|sin|con|muy))|siempre (?:con|sin|bien|muy|sol[oa])|"
        r"es (?:mi pasión|lo mío|mi debilidad|sagrad[oa])))\b.*)|soy (?:más|muy|mucho más) (?:de|del) .{3,}|"
        r"(?:donde (?:esté|haya)|no hay nada (?:como|mejor)|nada como) .{4,}|(?:llevo .{2,15} siendo|soy|me hice|"
        r"somos) (?:casi )?(?P<e>(?:vegetarian|vegan|abstemi|nocturn|madrugador|golos|cafeter|friki)\w*\b.*)|"
        r"(?:me (?:pierde|pierden|pirra\w*|vuelve\w* loc[oa]|flipa|fascina\w*|va\w* más|inclino|quedo con|declaro|"
        r"decanto)|tengo (?:debilidad|preferencia|pasión) (?:por)|podría (?:comer|pasarme|vivir)|disfruto (?:mucho )?|"
        r"suelo (?:pedir|tomar|preferir|elegir)|siempre (?:tomo|pido|uso|elijo|viajo|compro|llevo|leo|desayuno|duermo)|"
        r"lo que más me gusta)\b.{3,}|(?:entre .{3,40}, )(?:me quedo|prefiero|elijo).{3,}")),
    ("preference", "preference", "", "instruction", (
        r"(?:por favor,? )?(?:no (?:me |nos |le |lo )?(?:\w+(?:es|as))\b (?!preocup|nada|eso$).{4,}|(?:respónde|"
        r"contésta|escríbe|hábla|tráta|dí|explíca|pregúnta|avísa|lláma|muéstra|dá|mánda|manténme|"
        r"mantén)\w*\b (?:[\w-]+ )*?(?:siempre|nunca|español|inglés|tú|usted|breve\w*|corto|emojis|antes|solo|sin|"
        r"cuando|por mi)\b.*|(?:ante la duda|en caso de duda|si (?:hay dudas|dudas|no estás segur[oa])|"
        r"antes de .{4,40}), .{6,}|(?:siempre|nunca|jamás) (?:me |lo |se |hay que )?\w+(?:es|as|a|e|r|lo|me)\b .{4,}|"
        r"nada de .{4,}|(?:usa|escribe|pon|haz|redacta|firma|emplea|evita|utiliza|prueba|revisa|"
        r"comprueba) (?:[\w-]+ )*?(?:siempre|nunca|sin excepción|en todo|por norma|por defecto)\b.*|evita .{4,}|"
        r"(?:quiero|prefiero|necesito|me gustaría) (?:las |los |tus |que (?:las|los|me|uses|escribas|respondas|no|"
        r"siempre)|respuestas|explicaciones|código).{4,}|(?:en|para) (?:mis|los|las|tus|todo|cada) .{3,40}, (?:usa|pon|"
        r"escribe|siempre|nunca|no|nada de|solo|quiero|evita)\b.{3,}|regla ?: .{5,}|cada vez que .{4,50}, .{4,}|"
        r"mejor (?:tutéame|de tú|en español|sin \w+).*)")),
    ("decision", "decision", "", "decision", (
        r"(?:.{3,30}, )?(?:queda|quedó|está|ya está|asunto) (?:decidido|acordado|aprobado|zanjado|claro)(?: ?:| que|"
        r",) ?(?P<v>.{5,})|(?:.{3,40}, )?(?:nos quedamos con|nos pasamos a|nos vamos con|nos decantamos|apostamos por|"
        r"tiramos (?:por|con)|vamos con|nos cambiamos a|prescindimos de|renunciamos a|dejamos (?:de usar|de lado)|"
        r"sustituimos|seguiremos con|pasaremos a|usaremos|descartamos|cancelamos|suspendemos|contratamos|compraremos|"
        r"reemplazamos|abandonamos|adoptamos|aprobamos) .{4,}|(?:se|el equipo|la junta|el comité|"
        r"la dirección) (?:ha )?(?:acord|decid|aprob|descart|opt|eleg|eligió|escog|desestim)\w+ .{4,}|.{3,60} (?:queda|"
        r"quedan|quedó) (?:descartad|aprobad|elegid|cancelad|suspendid|aplazad)\w+.*|la (?:elección|opción) (?:final|"
        r"elegida|ganadora)(?: es| fue| será)? .{4,}|(?:ganó|gana|elegid[oa]|elegimos|elijo) .{4,}|finalmente (?:será|"
        r"va a ser|irá) .{4,}|en (?:vez|lugar) de .{3,40},? (?:usaremos|vamos|iremos|haremos|compramos|usamos|ponemos|"
        r"será|cogemos) .{3,}")),
    ("event", "event", "I", "event", (
        r"(?!.*\bno\b|.*\bsi\b)(?:.{0,50}\b)?(?:(?:me|nos) (?:han|ha|acaban de|acaba de|van a) (?:\w+ )?(?:ascendi\w+|"
        r"despe\w+|contrat\w+|dado (?:la|el|una?)|acept\w+|admit\w+|conced\w+|oper\w+|rob\w+|entreg\w+|diagnostic\w+|"
        r"nombr\w+|traslad\w+|renovad\w+|echado|tocado|elegido|seleccion\w+|premi\w+|publicado|subido|llamado de|"
        r"becado)|(?:me|nos) (?:dieron|concedieron|entregaron|aceptaron|nombraron|tocó|eligieron|operan|llegó|"
        r"ofrecieron|seleccionaron|publicaron|otorgaron|becaron|echaron|subieron|renovaron|trasladan|trasladaron)|"
        r"(?:me|nos) (?:hemos|he) \w+(?:do|to|cho)|acabo de (?:ser|dar a luz)|(?:vamos a|voy a) (?:ser|"
        r"tener) (?:padres|madre|padre|abuel\w+|tí[oa]|un (?:hijo|bebé|niño)|una (?:hija|niña)|gemelos|mellizos)|"
        r"estoy embarazada|estamos embarazados|esperamos (?:un|una|nuestr)|(?:ya )?(?:soy|somos) (?:padres|madre|padre|"
        r"tí[oa]|abuel[oa]|propietari\w+|oficialmente)|aprobé|saqué (?:la|el)|heredé|heredamos|sobreviví|emigré|"
        r"emigramos|adelgacé|di a luz|terminé (?:la|el|mi)|operan a mi|operaron a mi|(?:falleció|murió|nació|se casó|"
        r"se jubiló|se divorció) (?:mi|nuestr[oa]|el (?:padre|abuelo) de))\b.*")),
    ("event", "event", "", "event", (
        r"(?!.*\bno\b)(?:.{0,30}\b)?(?:mi|nuestr[oa]|mis|nuestr[oa]s) (?P<e>(?:<rel>|viejo|vieja|padres|suegros|"
        r"abuelos|hijos|peque)(?: [\w-]+)?),? (?:(?:me |se |nos )?(?:ha|han) \w+(?:do|to)|acaba\w* de \w+r|sacó|perdió|"
        r"dio a luz|entra en|se (?:casa|casan|divorció|rompió|muda|gradúa|jubila|separaron|casaron|mudaron)|nos dejó|"
        r"fue (?:madre|padre|operad[oa]|ascendid[oa])|espera (?:un|una|gemelos)|está embarazada|va a (?:ser|"
        r"tener))\b.*")),
    ("commitment", "plan", "", "appointment", (
        rf"(?=.*(?:<when>|\d))(?!.*{_PAST_MARKERS})(?:el |la |los |las |mi |tengo |tenemos |"
        rf"nuestr[oa] )?(?P<e>[\w ]{{0,20}}(?:cita|"
        r"reunión|entrevista|examen|vuelo|tren|boda|entrega|mudanza|operación|concierto|clase|consulta|"
        r"revisión|defensa|"
        r"demo|taller|congreso|cena|comida|bautizo|funeral|visita|plazo|factura|renta|alquiler|declaración|"
        r"matrícula|"
        r"informe|itv|dentista|médico|vacuna|lanzamiento|partido|audiencia|juicio)\b[\w ]{0,40}?),? ?(?P<v>(?:es|"
        r"son|será|"
        r"sale|tiene lugar|empieza|está|queda|cae|se celebra|vence|termina|con|el (?:lunes|martes|miércoles|"
        r"jueves|viernes|"
        r"sábado|domingo|día|\d)|hay que|debe|a las|mañana|pasado)\b(?! (?:difícil|fácil|aburrid)).*)|"
        r"(?=.*<when>).{3,50}\b(?:hay que|tiene que|tienen que|debe|deben)\b .{4,}")),
    ("commitment", "plan", "I", "plan", (
        rf"(?=.*<when>)(?!.*{_PAST_MARKERS})(?!si |nos mudamos|.*\b(?:todos los|cada|suelo|siempre|quizás?|tal vez|no|"
        rf"si)\b)(?:.{{0,45}} )?(?:(?:te|"
        r"os|les|le|lo|la|me|nos|se lo|te lo) (?!llam[ao]\b|gust|encant|parec)\w+(?:o|é|emos|amos|imos|oy)\b|"
        r"(?!vivo|trabajo|"
        r"estudio|creo|pienso|odio|tengo|llevo|como|quiero|cuando|pero|mercado|todo|solo|otro|nuevo|correo|"
        r"puerto)(?:\w+(?:aré|"
        r"eré|iré|dré|bré|aremos|eremos|iremos|dremos|bremos))\b|(?:entrego|presento|empiezo|termino|viajo|"
        r"vuelo|salgo|"
        r"llego|recojo|firmo|opero|hago|reservo|compro|pago|mando|envío|llamo|dejo|cojo|voy|vamos|vuelvo|empezamos|"
        r"salimos|viajamos|entregamos|volamos|celebramos|abrimos|cerramos|estreno|corro|expongo|renuevo|"
        r"me encargo|me ocupo|"
        r"tendré|prometo)\b).*|.{4,60}, (?:prometido|te lo prometo|palabra|lo prometo)$")),
    ("attribute", "fact", "I", "from", (
        r"(?:me crié|crecí|nací|me he criado|soy nacid[oa]|nos criamos|mi familia (?:es|viene)) (?P<v>(?:en|a|entre|"
        r"de)\b.{3,})|(?:soy|vengo|provengo) (?:originari[oa] )?de (?P<e>(?!acuerdo|los que|las que|té|café|verdad|"
        r"ciencias)[a-zñáéíóú]{4,}(?: .{0,40})?)$")),
    ("attribute", "fact", "I", "has", (
        r"(?:yo )?(?:tengo|tenemos|en casa (?:tenemos|hay)|poseo|poseemos|conduzco|criamos|crío) (?P<v>(?:una?|"
        r"un par de|dos|tres|cuatro|cinco|\d+) (?:\w+ ){0,2}?(?:<pet>s?|hij[oa]s?|herman[oa]s?|niet[oa]s?|gemel[oa]s|"
        r"mellizos|coche|furgo\w*|seat|renault|casa|piso|apartamento|moto|huerto|finca|bici\w*|gallinas|colmenas|barco|"
        r"caravana|autocaravana|guitarra|piano|violín|hipoteca|tienda|bar|taller|negocio|empresa|tatuaje\w*|perros?|"
        r"gatos?)\b.*)|tengo (?P<a>(?:diabetes|asma|carné|doble nacionalidad|carnet|migrañas crónicas|un máster|"
        r"un doctorado|hipotiroidismo)\b.*)|(?:mi (?P<e>coche|oficina|grupo sanguíneo|talla|número de pie|apellido|"
        r"segundo nombre|signo|lengua materna|moto|despacho|matrícula|piso|casa|pueblo|perr[oa]|gat[oa]|mascota|"
        r"carrera|universidad)) (?:es|está|se llama|tiene|mide) (?!rot|estrope|vací|hech|llen).{3,}")),
    ("attribute", "fact", "I", "occupation", (
        r"(?:(?:desde|por las|los|entre semana|de día|hace) .{2,30},? )?(?:trabajo|curro|estudio|doy clases?|imparto|"
        r"ejerzo|dirijo|llevo .{3,20} (?:trabajando|estudiando|viviendo|dando|tocando|aprendiendo)|toco (?:el|la|en)|"
        r"canto en|entreno|regento|curso|estoy (?:haciendo|estudiando|cursando|preparando) (?:un|una|el|la|mi|oposici)|"
        r"me dedico|me gano la vida|me saco|soy voluntari[oa]|soy soci[oa]|mido|peso|calzo|oposito|hago (?:un|el|"
        r"mi) (?:máster|doctorado|erasmus|grado|fp))\b ?(?P<v>(?!mucho|bien|demasiado|tarde).{3,})")),
    ("attribute", "person", "", "", (
        r"(?:el |la )?(?P<a>número|teléfono|móvil|cumpleaños|correo|email|dirección|"
        r"celular)(?: de teléfono)? de(?:l)? (?P<e>"
        r"(?!la api|servidor|soporte)[\w ]{2,25}?)(?: es| cae| ?:) ?(?P<v>.{3,})|"
        r"a (?P<c>[a-zñáéíóú]{3,15}(?: [a-zñáéíóú]+)?) "
        r"(?:no )?le (?:gusta|gustan|encanta|encantan|da|dan|sienta|sientan|molesta|molestan|chifla|"
        r"apasiona)\b.{3,}")),
    ("attribute", "person", "", "", (
        r"(?!el |la |los |las |lo |yo |tú |él |ella |esto |eso |un |una |mi |mis |nuestr|su |se |no |si |que |quien |"
        r"todo |nada |nadie |hoy |ahora |aquí )(?P<e>(?:tía |tío |don |doña |doctora? )?[a-zñáéíóú-]{3,15}) "
        r"(?P<v>(?:odia|adora|detesta|no (?:come|bebe|soporta|habla|tolera|aguanta|conduce)|es (?:alérgic[oa]|"
        r"vegetarian[oa]|vegan[oa]|celíac[oa]|intolerante|zurd[oa]|diabétic[oa]|enfermer[oa]|médic[oa]|abogad[oa]|"
        r"profesor[a]?|ingenier[oa])|vive (?:en|con|cerca|sol[oa])|trabaja (?:en|de|como|para)|estudia|cumple años|"
        r"habla (?:\w+ idiomas|con fluidez|perfecto|\w+és)|toca (?:el|la)|juega (?:al|en)|prefiere|tiene (?:dos|tres|"
        r"un|una) (?:hij|perr|gat|alergia|niñ)|dirige|nació|enseña|viene de|se dedica)\w*\b.*)")),
    ("attribute", "person", "", "", (
        r"(?:[a-zñáéíóú-]{3,15}, )?(?:mi|nuestr[oa]|mis) (?P<e><rel>),?(?: [\w-]+,?)? (?:que )?(?P<v>(?:no (?:soporta|"
        r"come|bebe|aguanta|tolera|habla|conduce)|prefiere|detesta|tiene|regenta|cría|vende|canta|colecciona|conduce|"
        r"pinta|da clases|se dedica|entrena|es (?:alérgic|vegan|vegetarian|celíac|de |\w+er[oa]\b|\w+ist[a]\b|"
        r"\w+[dt]or|médic|abogad|zurd)\w*)\b.{2,})")),
    ("attribute", "project", "", "status", (
        r"(?:en |del )?(?:el |nuestro )?proyecto (?P<e>[\w«»\"-]+),? (?P<v>(?:lo|la|se|no|ya|usa|utiliza|cambia|"
        r"depende|cuesta|pertenece|arranca|avanza|pasa|entra|lleva|ha|está|es|tiene|cuenta|corre|necesita|va|sale|"
        r"consta|[a-zñáéíóú]+[ae]n?)\b.{3,})")),
)  # fmt: skip

LATE: tuple[RuleRow, ...] = (
    ("decision", "decision", "", "decision", r"(?:a partir de|desde) \w+ (?P<v>\w+mos .{4,})"),
    ("attribute", "procedure", "", "steps", r"quien(?:es)? (?:quiera|quieran|necesite|desee)n? (?P<e>.{3,40}) \S.{6,}"),
    ("attribute", "project", "", "status", r"proyecto (?P<e>[\w-]+) ?: (?P<v>.{5,})"),
    ("attribute", "procedure", "", "steps", (
        r"para .{4,60}?,? (?!mí|que conste)(?:hay que|se \w+|basta|tienes que|debes|primero|es necesario|pulsa|ejecuta|"
        r"mantén|rellena|entra|abre|usa|conecta|marca|llama|pide|solo|toca|hace falta|\w+(?:ar|er|ir)\b) ?.{5,}|"
        r"(?P<e>.{3,50}) se (?:pide|piden|hace|hacen|solicita|solicitan|tramita|tramitan|reserva|reservan|paga|pagan|"
        r"gestiona|gestionan|envía|envían|despliega|publica|activa|instala|reinicia) (?:por|con|desde|en|así|mediante|"
        r"a través|siempre|rellenando|pulsando|al)\b.{3,}|.{3,40} ?: (?:primero|se empieza|lo primero) .{5,}|(?!he |"
        r"hemos ).{0,30}\bprimero .{4,60}(?:, |; | y )(?:luego|después|por último|al final)\b.{4,}|"
        r".{3,30} ?: [^,]{3,50}, (?:luego|después|y) .{4,}|antes de .{4,40},? (?:hay que|se debe|es obligatorio|"
        r"conviene) .{4,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+))(?!yo |tú |si |puedes |hay que |me |te )(?:el |la |los |las |"
        r"nuestr[oa]s? |en |actualizamos |subimos |hemos (?:pasado|actualizado|subido) )?(?P<e>.{2,50}?) (?P<v>(?:a|"
        r"corre|cae|se \w+n?|queda|quedan|dura|duran|permite|admite|exige|rota|rotan|ocupa|está|están|cierra|corta|"
        r"usan|usamos|pide|tarda|lleva|soporta|conserva|conservan|caducan|expira|espera|atiende|pasa|pasó|ha pasado|"
        r"ya va|vive|viven)\b.{2,})|(?=.*<tech>)(?P<a>[\w -]{2,40}) ?: ?(?=.*\d)\S.*")),
    ("attribute", "fact", "", "", (
        r"(?:el |la |los |las |nuestr[oa] )(?P<e>[\w ]{3,40}?) (?P<v>(?:abre|abren|cierra|cierran|cuesta|cuestan|mide|"
        r"ocupa|se encuentra|queda)\b.{3,})")),
)  # fmt: skip
