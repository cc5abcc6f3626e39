"""The words and patterns of Spanish."""

from __future__ import annotations

from commonplace.extract.languages import Grammar, RuleRow
from commonplace.extract.languages.spanish_colloquial import EARLY, KEYED, LATE

WORDS: dict[str, str] = {
    "lead": (
        r"(?:[¡¿]*(?:ah|oh|bueno|pues|entonces|y|pero|sí|por cierto|oye|hola|gracias|vale|ok|genial|mira|en fin|"
        r"al final|para que lo sepas|nada|vaya|buenas noticias|la verdad|sinceramente|resulta que|de acuerdo|ya|además|"
        r"perdona|perdón|lamentablemente|afortunadamente|por suerte)\b(?:[,!:.…]+ *| - | – | (?=(?:yo|me|mi|mis|nos|"
        r"nuestro|el|la|los|las|que)\b)))"
    ),
    "noise": (
        r"^¿|^(?:si|ojalá|imagina|imagínate|supongamos|quizás?|tal vez|a lo mejor|a ver si|puedes|podrías|me gustaría|"
        r"no sé|no me acuerdo|escribe|traduce|cuéntame|espera|déjalo|dicen que)\b(?! que (?:el|la))|\b(?:habría|"
        r"hubiera|sería|viviría|podría)\b|\b(?:dice|pone|decía|ponía)\b.{0,12}[«\"“]|\bme preguntó si\b|"
        r"\bcreo que (?:voy a|me voy|iré)\b|^no (?:lo )?(?:guardes|recuerdes|apuntes|anotes|memorices)\b|"
        r"\bun día de estos\b|\b(?:dijo|dijeron|contó|pidió) que\b|^voy a (?:leer|mirar|revisar|comprobar|ver|abrir|"
        r"ejecutar)\b|^(?:más vale|a saber)\b|\bme tocara\b"
    ),
    "rel": (
        r"(?:bis|ex-?)?(?:madre|mamá|padre|papá|hermano|hermana|hijo|hija|mujer|esposa|marido|esposo|pareja|novio|"
        r"novia|tía|tío|primo|prima|sobrino|sobrina|abuela|abuelo|nieto|nieta|jefe|jefa|compañer[oa](?: de piso|"
        r" de trabajo)?|colega|vecin[oa]|amig[oa]|mejor amig[oa]|médic[oa]|dentista|caser[oa]|abogad[oa]|profesora?|"
        r"entrenadora?|suegr[oa]|cuñad[oa]|bebé|madrin[a]|padrino|ahijad[oa]|contable|asesora?)"
    ),
    "pet": r"(?:perr[oa]|gat[oa]|conejo|caballo|loro|hámster|tortuga|cachorr[oa])",
    "tech": (
        r"\b(?:servidor(?:es)?|base|bbdd|base de datos|host|puerto|api|repo|repositorio|clúster|cluster|runner|"
        r"caché|cache|logs?|registros?|servicio|bucket|cola|pipeline|build|versión|copias? de seguridad|backups?|"
        r"wifi|router|escáner|cortafuegos|switch|fotocopiadora|cámara|impresora|vpn|ssh|dominio|vm|contenedor|docker|nginx|"
        r"proxy|pasarela|nodo|token|certificado|rama|cron|app|aplicación|frontend|backend|portátil|nas|staging|"
        r"prod|producción|preproducción|redis|postgres|mysql|python|node|timeout|ruta|ip|url|límite|contraseña|"
        r"jenkins|gitlab|grafana|máquina|instancia|entorno)\b"
    ),
    "when": (
        r"\b(?:antes de|antes del|para el|hasta|mañana|pasado mañana|esta noche|la (?:próxima )?semana(?: que "
        r"viene)?|el mes que viene|el año que viene|el próximo|la próxima|este (?:fin de semana|viernes|lunes|"
        r"mes|año|verano)|esta semana|(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|el (?:día "
        r")?\d{1,2}|"
        r"en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|\d{4}|"
        r"verano|otoño|primavera|invierno|navidad)|a (?:final(?:es)?|principios) de|como muy tarde|dentro de "
        r"(?:una?|dos|tres|cuatro|\d+) (?:días?|semanas?|meses)|en (?:una|dos|tres) semanas?)"
    ),
    "plan": r"\b(?:reunión|cita|plazo|fecha límite|entrega|entrevista|vence|vuelo|tren|examen|boda|clase|"
    r"consulta|cena)\b",
    "person": r"\b(?:cumpleaños|número de \w+|teléfono de \w+)\b",
    "tool": r"\b(?:servidor|base de datos|puerto|host|api|clúster|repo|dominio|ip|url|router|versión)\b",
    "procedure": (
        r"\bse (?:des)?(?:activa|abre|cierra|hace|arranca|reinicia|instala)\b (?:con|así|desde|pulsando)|\bantes "
        r"de \w+(?:ar|er|ir)\b"
    ),
    "pret": (
        r"(?:me mudé|nos mudamos|me cambié|compré|compramos|vendí|vendimos|recibí|me casé|nos casamos|me divorcié|"
        r"nació|murió|falleció|aprobé|suspendí|terminé|acabé|dimití|dejé|empecé|empezamos|comencé|me rompí|me torcí|"
        r"me operaron|me ascendieron|me despidieron|me contrataron|me diagnosticaron|me dieron|me aceptaron|"
        r"me admitieron|me robaron|gané|ganamos|perdí|perdimos|adopté|adoptamos|visité|visitamos|viajé|viajamos|abrí|"
        r"abrimos|fundé|corrí|construí|reformé|reformamos|firmé|firmamos|cambié de|planté|alquilé|alquilamos|reservé|"
        r"publiqué|defendí|di a luz|tuve|tuvimos|me apunté|me inscribí|me matriculé|aprendí a|me gradué|me jubilé|"
        r"me prometí|rompí con|conocí a|fui a|fuimos a|estrené|participé|cumplí|cumplió|saqué|conseguí|"
        r"me quedé embarazada|estuve en|estuvimos en|se casó|se mudó|se jubiló|se graduó|ha nacido|me caí|quedé|"
        r"completé|superé)"
    ),
    "part": (
        r"(?:mudado|comprado|vendido|recibido|casado|divorciado|separado|nacido|muerto|fallecido|aprobado|"
        r"suspendido|terminado|acabado|dejado|empezado|comenzado|roto|torcido|operado|ascendido|despedido|"
        r"contratado|diagnosticado|aceptado|admitido|robado|ganado|perdido|adoptado|viajado|abierto|fundado|"
        r"corrido|construido|reformado|firmado|alquilado|reservado|publicado|apuntado|inscrito|matriculado|"
        r"aprendido|graduado|jubilado|prometido|conocido|sacado|conseguido|dado|tenido|cumplido|cambiado)"
    ),
}

RULES: tuple[RuleRow, ...] = (
    ("remember", "", "", "", (
        r"(?:por favor,? )?(?:recuerda|recuerde|acuérdate de|ten en cuenta|tenga en cuenta|no olvides|no te olvides de|"
        r"no olvidar|apunta|anota|toma nota(?: de)?|que no se te olvide|importante|para que conste|nota|recordatorio|"
        r"memoriza|guarda)(?: bien| por favor| también| esto)*(?: que | ?: ?|, que |, )(?P<q>.{6,})")),
    ("remember", "plan", "", "", (
        r"(?:no (?:te )?olvides de|recuérdame(?: que)?|acuérdate de|recuerda) (?P<v>(?!que\b)\w+r(?:me|te|se|lo|"
        r"la|le)? .{4,})")),
    ("dead_end", "lesson", "", "result", (
        r"(?P<e>.*?)(?P<v>\b(?:no (?:ha |han )?(?:sirv\w+|ayud\w+|funcion\w+|arregl\w+|cambi\w+ nada|solucion\w+|"
        r"resolv\w+|resuelve|hizo nada|hace nada|servido|dio resultado|da resultado|valió|vale) ?(?:de |para "
        r")?(?:nada)?|sigue (?:igual|fallando|sin|dando)|sin éxito|en vano|ningún (?:cambio|efecto)|ninguna "
        r"diferencia|"
        r"y nada|mismo (?:error|resultado|problema)|un callejón sin salida|fue (?:inútil|una pérdida de tiempo)|"
        r"tampoco (?:\w+ ){0,2}(?:funcion|sirv|ayud|arregl)\w+|por ahí no|da igual)(?:\b|$).*)")),
    ("error_fix", "lesson", "", "fixed by", (
        r"(?=.*(?:error|fallo|fallaba|problema|caída|bug|timeout|cuelgue|colgaba|rompi|roto|lent[oa]|incidencia|"
        r"excepción|alerta|fuga|bloque|tardaba|caía|no arrancaba|no conectaba|"
        r"\b[45]\d\d\b))(?P<e>.*?)(?P<v>\b(?:era por|era (?:un|el|la|una|que)|venía de|se debía|se debe|debido|"
        r"se (?:arregló|solucionó|resolvió|corrigió)|arreglad[oa]|"
        r"solucionad[oa]|resuelt[oa]|corregid[oa]|la (?:causa|solución)|el culpable|por culpa|había que|hay que|"
        r"bastó|ya (?:funciona|conecta|va|arranca|no)|(?:vuelve|volvió) a funcionar|lo (?:arreglé|solucioné|"
        r"resolví)|causad[oa])\b.*)")),
    ("error_fix", "lesson", "", "fixed by", r"se (?:arregló|solucionó|resolvió) (?P<v>.{5,})"),
    ("correction", "", "", "", (
        r"(?:(?:no|perdón|perdona|corrección|espera|error|mentira|qué va|me equivoqué|me he equivocado|en "
        r"realidad|mejor dicho|falso|ojo|rectifico)\b[^\w]{1,3})+(?P<q>(?!gracias|pasa nada|te preocupes|importa|"
        r"tranquil|no pasa|está bien|hay problema|no hace falta|(?:lo )?sé|creo)"
        r"(?:.{2,}? (?:es|son|era|se llama|vive|trabaja|empieza|está|va)\b|es |el |la |los ).{2,})")),
    ("correction", "", "", "", (
        r"(?P<q>.{2,60}?\b(?:es|son|se llama|está|era|será|vive|empieza|va|sale)\b .{1,60}?,? (?:y )?no (?:el |la "
        r"|en |a las |a la |un |una |de |los )?(?P<c>[\w:.-]{1,30}(?: \w+)?))(?:,.*)?$")),
    ("correction", "", "", "", (
        r"(?P<q>.{3,60}? (?:ha cambiado|cambió|ya no es (?:el|la|ese|esa|correct\w+)|estaba mal|está mal|era "
        r"incorrect[oa])[,;:.] .{4,})")),
    ("correction", "", "", "", (r"(?:quería decir|quise decir|me refería a|debería (?:ser|"
        r"decir)) ?:? ?(?P<q>.{3,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,50}\b)?(?:(?:hemos|he|han|ha) (?:\w+ )?(?:decidido|elegido|optado|acordado|escogido|quedado en|"
        r"apostado)|decidimos|decidí|elegimos|elegí|optamos|acordamos|escogimos|quedamos en|nos decidimos|nos "
        r"decantamos|nos quedamos con|me quedo con|se (?:decidió|acordó|aprobó|ha decidido)|apostamos)(?P<v> "
        r".{4,})")),
    ("decision", "decision", "", "decision", (
        r"(?:.{0,30}?, )?(?:nos quedamos|seguimos|vamos|usaremos|pasamos|migramos|cambiamos|abandonamos|"
        r"descartamos|tiramos|mantenemos)(?: (?:con|a|por|de|en|al))* (?P<v>.{3,}?(?:en vez de|en lugar de|y no|"
        r"porque|ya que|por ser|definitivamente|de momento).*)|(?:la )?(?:decisión|acuerdo)(?: es| tomada| "
        r"final)?(?: ?:| de) ?.{5,}|decidido[:,] .{5,}")),
    ("preference", "preference", "I", "allergy", (
        r"(?:yo )?(?:soy (?:\w+ )?(?:alérgic[oa]|intolerante|celíac[oa])|tengo (?:alergia|intolerancia))(?: a(?:l|"
        r" la| los| las)? (?P<v>.{2,40}))?|me (?:sienta|sientan) (?:fatal|mal) .{3,}")),
    ("preference", "preference", "I", "dislikes", (
        r"(?:a mí )?(?:no me gustan?|odio|detesto|no soporto|no aguanto|no como|no bebo|nunca (?:como|bebo|tomo|"
        r"uso)|no tomo|no quiero (?:más )?|me horroriza|me da asco) ?(?!eso|que\b|nada eso)(?P<v>.{3,})")),
    ("preference", "preference", "I", "likes", (
        r"(?:yo |a mí )?(?:prefiero|me encantan?|me gustan?(?: mucho| más)?|adoro|me chiflan?|me flipan?|soy "
        r"(?:muy )?(?:fan|amante|aficionad[oa]|de |vegetarian[oa]|vegan[oa])|me apasionan?|siempre (?:tomo|pido|"
        r"uso|elijo)|me quedo siempre con) ?(?!eso|que (?:me|lo)\b|la idea)(?P<v>.{0,80})")),
    ("preference", "preference", "I", "favorite", (
        r"mis? (?P<a>[\w ]{2,30}?) (?:favorit|preferid)[oa]s? (?:es|son|sigue siendo)(?P<v> .{2,})")),
    ("preference", "preference", "", "instruction", (
        r"(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|desde hoy|por defecto|desde ahora)[, "
        r"](?P<v>.{6,})|(?:por favor,? )?(?:siempre|nunca|jamás) (?:\w+es|\w+as|\w+a|\w+e)\b .{4,}|(?:por favor,? "
        r")?(?:respóndeme|contesta|responde|escríbeme|háblame|tutéame|usa|llámame|no (?:uses|pongas|me|borres|"
        r"escribas|envíes|mandes|incluyas))(?: \w+){0,4}? (?:siempre|nunca|en español|en inglés|de tú|emojis?|sin|"
        r"más|solo)\b.*|(?:cuando|cada vez que|siempre que) (?:me )?\w+(?:es|as)\b.{3,60}, .{5,}")),
    ("opinion", "preference", "I", "thinks", (
        r"(?:creo|pienso|opino|considero|me parece|en mi opinión|a mi juicio|para mí|personalmente|yo diría|a mi "
        r"modo de ver|a mi entender|encuentro)(?: que|,)?(?: que)? (?!(?:me|yo|voy|tenemos|es que|no sé|"
        r"deberíamos|podemos|sí|no|que|está bien|bien|te|nos|lo|eso|tú|ya)\b)(?P<e>.{3,60}?) (?P<v>(?:es|son|no|"
        r"debería|vale|está|están|tiene|hace|rinde|merece|sabe|aporta|\w+[ae]n?)\b.{3,})|me parece (?P<a>(?:un|"
        r"una|muy|demasiado|bastante|mejor|peor)\b.{4,})")),
    ("attribute", "person", "", "birthday", (
        r"(?:mi|nuestr[oa]) (?P<e><rel>(?: [\w-]+)?) nació (?P<v>(?:el|en) \S.*)")),
    ("commitment", "plan", "I", "plan", (
        r"(?=.*<when>)(?!.*\b(?:he|hemos|ha|fui|fuimos|cada|todos los|todas las|"
        r"nos mudamos)\b)(?:.{0,50}\b)?(?:voy a|vamos a|tengo que|tenemos que|"
        r"debo|pienso|pensamos|quiero|me|te|les|le|os) ?(?:\w+(?:é|emos|o|go|r)\b|\w+)(?: .*)?(?<!\?)|"
        r"(?=.*<when>)(?:.{0,40}\b)?(?:entregaré|enviaré|mandaré|terminaré|haré|llamaré|pagaré|iré|viajaré|"
        r"empiezo|empezaré|entrego|mando|envío|llamo|pago|termino|viajo|vuelo|salgo|me caso|nos casamos|haremos|"
        r"tendré|acabaré|traeré|llevaré|pasaré|devolveré|vamos|voy|corro|presento)\b.*")),
    ("commitment", "plan", "I", "plan", (
        r"(?:he prometido|prometí|prometo|me comprometo|me he comprometido) .{6,}|(?:estoy|estamos) (?:planeando|"
        r"ahorrando|preparando|entrenando|pensando en) .{6,}|(?:planeo|planeamos|tengo pensado|tenemos pensado) "
        r".{6,}")),
    ("commitment", "plan", "", "deadline", (
        r"(?=.*(?:<when>|\d))(?:el |la |los |las )?(?P<e>.{3,50}?) (?:vence|hay que entregar\w*|se entrega|tiene "
        r"que estar|debe estar|es para el|está previst[oa]) ?(?P<v>.{3,})|(?:hay que|el plazo|la fecha límite|"
        r"fecha límite)\b(?=.*(?:<when>|\d)).{6,}")),
    ("event", "event", "I", "event", (
        r"(?!.*\bno\b)(?:.{0,50}\b)?<pret>\b(?P<v>.{3,})|(?!.*\bno\b)(?:.{0,40}\b)?(?:(?:me|nos) )?(?:he|hemos|"
        r"acabo de|acabamos de) (?:\w+ )?(?:<part>|comprar|mudar\w*|vender|firmar|terminar|empezar|adoptar|"
        r"recibir|aprobar)\b.*")),
    ("event", "event", "", "event", (
        r"(?!.*\bno\b)(?:.{0,30}\b)?(?:mi|nuestr[oa]|mis) (?P<e><rel>(?: [\w-]+)?) (?:acaba de |ya |"
        r"por fin )?(?:se )?(?:ha \w+|nació|murió|falleció|casó|se casa|mudó|jubiló|graduó|aprobó|terminó|empezó|"
        r"empieza|cumplió|cumple|ganó|tuvo|compró|espera un|consiguió|entró)\b.*")),
    ("attribute", "fact", "I", "lives_in", (
        r"(?:.{0,30}\b)?(?:vivo|vivimos|resido|residimos)(?: \w+)? (?P<v>(?:en|con|cerca|a|desde|sol[oa])\b.{2,})")),
    ("attribute", "fact", "I", "employer", (
        r"(?:.{0,20}\b)?(?:trabajo|estudio|enseño|doy clases|dirijo|toco|hablo|conduzco|me llamo|vengo de|"
        r"colecciono|juego (?:al|en)|llevo|entreno|hago (?:yoga|voluntariado|teatro|pilates|surf)|canto|gestiono|"
        r"me dedico) ?(?P<v>(?!mucho|bien|demasiado|tarde|contigo|un rato)\b.{3,})")),
    ("attribute", "fact", "I", "occupation", (
        r"soy (?:una? |de |el |la )?(?P<v>(?:\w+ ){0,2}?(?:\w+ist[a]|\w+[dt]ora?|\w+er[oa]|\w+ólog[oa]|médic[oa]|"
        r"abogad[oa]|arquitect[oa]|profe\w*|estudiante|viud[oa]|zurd[oa]|jubilad[oa]|autónom[oa]|de "
        r"[A-Za-zñáéíóú]{4,}))\b.*|tengo (?P<c>\d+ años|(?:una?|dos|tres|cuatro) (?:\w+ )?(?:<pet>s?|hij[oa]s?|"
        r"herman[oa]s?|coche|casa|moto|huerto|bici\w*)).*")),
    ("attribute", "person", "", "", (
        r"(?:mi|nuestr[oa]|su|mis) (?P<e><rel>(?: [\w-]+)?)(?:,? que)? (?P<v>(?:es|vive|trabaja|estudia|juega|"
        r"toca|tiene|se llama|viene|dirige|habla|odia|adora|enseña|lleva|cumple|está en)\b(?! (?:mal[oa]|"
        r"cansad[oa]|muy|tan|un cielo|genial|majo|maja)).{3,})|(?:el )?cumpleaños de (?P<a>.{2,30}?) (?:es|cae) "
        r".{3,}|el (?:número|teléfono|correo) de .{2,25} es .{4,}")),
    ("attribute", "project", "", "status", (
        r"(?:el |nuestro )?proyecto (?P<e>[\w«»\"-]+) (?P<v>(?:está|es|empieza|tiene|será|sigue|va|se|queda|"
        r"termina|depende|lo)\b.{3,})|.{2,30} (?:dirige|lidera|lleva|coordina|es responsable del?) (?:el "
        r")?proyecto .{3,}")),
    ("attribute", "tool", "", "", (
        r"(?=.*<tech>)(?=.*(?:\d|[\w-]+\.[\w-]+|/\w+|[\w-]+-\w+))(?!yo |tú |si |puedes |hay que )(?:el |la |los |"
        r"las |nuestr[oa] )?(?P<e>.{2,50}?) (?P<v>(?:es|está|están|son|corre|corren|escucha|usa|se llama|apunta|"
        r"tiene|funciona|necesita|vive|caduca|se reinicia|guarda|va|vence|se guardan|se guarda|acepta|cuesta|"
        r"responde)\b.{2,})|(?=.*<tech>)(?P<a>[\w -]{2,30}) ?: ?\S*\d.*")),
    ("attribute", "procedure", "", "steps", (
        r"(?:para .{4,60}[,:] (?:hay que|primero|ejecuta|lanza|abre|se|tienes que|haz|pulsa|ve a|entra|usa).{5,}|"
        r"primero .{4,80}(?:luego|después) .{6,}|(?P<e>.{3,50}) se hace (?:así|con|en|desde).{5,})")),
)  # fmt: skip

GRAMMAR = Grammar(
    WORDS,
    EARLY[:1] + KEYED + EARLY[1:] + RULES + LATE,
    relations=(
        r"(?i:\b(?:mi|nuestr[oa]) (?:\w+ )?(?P<rel><rel>)),? (?P<name>[A-ZÁÉÍÓÚÑ][\w-]+(?: [A-ZÁÉÍÓÚÑ][\w-]+)?)",
        (
            r"(?i:\b(?:mi|nuestr[oa]) (?:\w+ )?(?P<rel><rel>) (?:se llama|es)) (?P<name>[A-ZÁÉÍÓÚÑ][\w-]+(?: "
            r"[A-ZÁÉÍÓÚÑ][\w-]+)?)"
        ),
        (
            r"(?P<name>[A-ZÁÉÍÓÚÑ][\w-]+(?: [A-ZÁÉÍÓÚÑ][\w-]+)?)(?:,| es) (?i:(?:mi|"
            r"nuestr[oa]) (?:\w+ )?(?P<rel><rel>))\b"
        ),
    ),
)
