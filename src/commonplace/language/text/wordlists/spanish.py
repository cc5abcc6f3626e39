"""The gate's words of Spanish."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "ack": (
        "sí, si, no, ok, okay, vale, de acuerdo, claro, claro que sí, por supuesto, exacto, exactamente, correcto, "
        "gracias, muchas gracias, mil gracias, de nada, con gusto, no hay de qué, perfecto, genial, estupendo, "
        "excelente, muy bien, está bien, bien, bueno, entendido, entiendo, ya veo, hola, buenos días, "
        "buenas tardes, buenas noches, buenas, adiós, hasta luego, hasta mañana, hasta pronto, chao, nos vemos, "
        "cómo estás, cómo está, qué tal, por favor, adelante, sigue, continúa, dale, listo, jaja, jajaja, jeje, "
        "sin problema, no pasa nada, lo siento, perdón, felicidades, enhorabuena, anotado, me parece bien, "
        "suena bien, buen trabajo"
    ),
    "filler": (
        "muy, mucho, por, todo, toda, tu, su, la, el, lo, y, a, de, ayuda, respuesta, ahora, entonces, también, "
        "eso, esto, es, está, me, te, se, con, pero, ya, pues, otra, vez"
    ),
    "todo": (
        "hay que, tengo que, tenemos que, debo, debemos, deberíamos, por hacer, pendiente de, no olvidar, "
        "habría que, falta por hacer"
    ),
    "explanation": (
        "porque, ya que, puesto que, debido a, para que, para evitar, si no, de lo contrario, por eso, "
        "por lo tanto, a causa de, gracias a"
    ),
    "transient": (
        "en curso, en proceso, en progreso, todavía no, aún no, siguiente paso, próximo paso, próximos pasos, "
        "esperando a, estoy esperando, un momento, un segundo, voy a mirar, voy a ver, voy a revisar, "
        "estoy mirando, estoy revisando, déjame ver, casi listo, casi terminado, por ahora, por el momento, "
        "de momento, en este momento, ahora mismo, reintentando, estoy cansado, estoy cansada, tengo hambre"
    ),
    "rule": (
        "siempre, nunca, jamás, cada vez que, a partir de ahora, de ahora en adelante, en el futuro, regla, "
        "reglas, norma, normas, política, obligatorio, obligatoria, prohibido, prohibida, "
        "bajo ninguna circunstancia, en ningún caso, por defecto, sin excepción"
    ),
    "modal": "debe, deben, debería, deberían, hay que, es necesario, importante, requerido",
    "preference": (
        "prefiero, prefiere, prefieren, preferimos, preferido, preferida, preferencia, preferencias, favorito, "
        "favorita, me gusta, le gusta, les gusta, me gustan, le gustan, me encanta, le encanta, le encantan, odio, "
        "odia, detesta, no me gusta, no le gusta, en vez de, en lugar de, adora"
    ),
    "decision": (
        "decidido, decidimos, decidió, decisión, decisiones, elegimos, elegido, hemos elegido, acordado, "
        "acordamos, acordó, optamos por, vamos a usar, usaremos, nos quedamos con, aprobado"
    ),
    "relation": (
        "madre, padre, mamá, papá, padres, hermana, hermanas, hermano, hermanos, esposa, esposo, marido, mujer, "
        "pareja, novia, novio, hijo, hijos, hija, hijas, abuela, abuelo, abuelos, tía, tío, prima, primo, sobrina, "
        "sobrino, amiga, amigo, amigos, jefa, jefe, compañera, compañero, vecina, vecino, casera, casero, médico, "
        "médica, dentista, abogada, abogado, suegra, suegro, prometida, prometido, perro, perra, gato"
    ),
    "life": (
        "nació, nacido, nacida, nacimiento, cumpleaños, aniversario, casado, casada, boda, divorciado, divorciada, "
        "vive, vivo en, vivimos en, mudó, mudamos, trabaja, trabajo en, trabajo como, empleo, contratado, "
        "contratada, jubilado, jubilada, estudia, estudió, carrera, habla, originario, murió, falleció, dirección, "
        "número de teléfono, se llama, me llamo, apodo"
    ),
    "health": (
        "alérgico, alérgica, alergia, alergias, intolerante, intolerancia, diagnostic*, medicamento, medicamentos, "
        "medicación, insulina, grupo sanguíneo, diabét*, diabetes, asma, asmátic*, embarazada, embarazo, cirugía, "
        "operación, operado, operada, vacuna, vacunado, vacunada, receta médica, vegetariano, vegetariana, vegano, "
        "vegana, celíaco, celíaca, celiaco, celiaca, migraña*, crónico, crónica"
    ),
    "money": (
        "salario, sueldo, alquiler, hipoteca, presupuesto, factura, precio, cuesta, cuestan, euro, euros, dólares, "
        "pesos, préstamo, deuda, impuesto, impuestos, suscripción"
    ),
    "lesson": (
        "causa raíz, se arregló, arreglado con, se solucionó, solución, solucionado con, lección, lecciones, "
        "aprendí que, aprendimos que, resultó que, causado por, no funciona, no funcionó, no sirvió, cuidado con, "
        "la causa"
    ),
    "recurring": (
        "todos los días, todas las semanas, todos los meses, todos los años, cada día, cada semana, cada mes, "
        "cada año, cada lunes, cada martes, cada miércoles, cada jueves, cada viernes, cada sábado, cada domingo, "
        "todos los lunes, todos los martes, todos los miércoles, todos los jueves, todos los viernes, "
        "todos los sábados, todos los domingos, los lunes, los martes, los jueves, los viernes, diario, semanal, "
        "mensual, anual, diariamente"
    ),
    "progress": (
        "terminado, terminada, acabado, listo, ya está, subido, fusionado, desplegado, los tests pasan, "
        "las pruebas pasan, archivo creado, reiniciado, completado"
    ),
    "laughter": "jaja, jajaja, jajajaja, jeje",
    "strict negation": "no, nunca, jamás, nada, nadie, ningún, ninguna, ninguno, sin, tampoco, ni, ya no",
    "strict limit": "salvo, excepto, solo, sólo, solamente, antiguo, antigua",
    "pole person 1": "yo, mi, mis, me, mí",
    "pole person 2": "tú, tu, tus, te, ti, usted",
    "pole person he": "él",
    "pole person she": "ella",
    "pole person we": "nosotros, nosotras, nuestro, nuestra, nuestros, nuestras",
    "pole person they": "ellos, ellas",
    "pole when before": "antes, hasta",
    "pole when after": "después, desde, tras",
    "pole height up": "sobre, encima",
    "pole height down": "bajo, debajo",
    "pole amount more": "más",
    "pole amount less": "menos",
    "pole whole all": "todos, todas, todo, toda, cada, ambos, siempre",
    "pole whole some": "algunos, algunas, pocos, pocas, a veces, raramente",
    "pole way from": "de, desde, del",
    "pole way to": "a, al, hacia, hasta",
    "order": "que, antes, después, a, al, hacia, por, para, con, contra, en vez, en lugar, sobre, bajo, hasta",
    "light": (
        "ahora, realmente, también, actualmente, todavía, aún, hoy, recuerda, recuerde, usuario, usuaria, nota, "
        "muy, bien, pues, ya, generalmente, normalmente"
    ),
    "herald": "una historia graciosa, buenas noticias, una noticia, una pregunta, una idea, una sorpresa, un favor",
    "steer": "tu respuesta, tus respuestas, responde, responda, reformula, quise decir, me refería, el prompt",
    "reaction": (
        "bueno saber, bueno saberlo, me alegra saber, me alegro de saber, lamento saber, no sabía que, no tenía "
        "ni idea, suena a"
    ),
    "praise": (
        "buena idea, gran idea, buena elección, buena opción, buen punto, buena sugerencia, buen plan, tiene "
        "sentido, suena bien"
    ),
    "offered": (
        "idea, ideas, sugerencia, sugerencias, consejo, consejos, recomendación, explicación, respuesta, tema, "
        "opción, enfoque"
    ),
    "hype": "increíble, fantástico, fantástica, impresionante, genial",
    "truth": "es lo mejor, nada como, no hay nada como, es mejor que, es clave, es importante, puede ayudar",
    "supposed": "creo, pienso, opino, en mi opinión, supongo, me parece",
}

POINTING: dict[str, str] = {
    "pointer": "él, ella, ellos, ellas, esto, eso, aquello, ello, allí, ahí, éste, ésta, éstos, éstas",
    "pointer at times": "este, esta, estos, estas, ese, esa, esos, esas, aquel, aquella, su, sus",
    "introducer": "un, una, mi, mis, nuestro, nuestra, cada",
    "preposition": "a, de, en, con, para, por, sobre, como, sin, hacia, desde",
    "conjunction": "y, e, pero, o, porque, cuando, si, que, mientras, aunque, donde, hasta",
    "empty": (
        "realmente, también, todavía, aún, siempre, a menudo, nunca, recientemente, finalmente, muy, mucho, mucha, "
        "poco, más, cosa, cosas, algo, todo, todos, vez, veces, bien, genial, entonces, ahora, hoy, he, has, ha, "
        "hemos, soy, es, era, fue, estoy, está, hecho, hacer, empezado, empecé, intentado"
    ),
    "being": "es, era",
    "awaited": "que, de",
}

QUESTIONS: dict[str, str] = {
    "when": "¿Cuándo es {attribute} de {entity}? | ¿Qué fecha tiene {attribute} de {entity}?",
    "what": "¿Cuál es {attribute} de {entity}?",
    "which": "¿Qué {attribute} usa {entity}? | ¿Qué {attribute} tiene {entity}?",
    "attribute": "¿Cuál es mi {attribute}?",
    "preference": "¿Qué prefiere {entity}? | ¿Qué le gusta a {entity}? | ¿Cuáles son los gustos de {entity}?",
    "decision": "¿Qué se decidió sobre {entity}? | ¿Qué acuerdo hay sobre {entity}? | ¿Qué fue de {entity}?",
    "plan": "¿Qué está previsto para {entity}? | ¿Qué planes hay para {entity}?",
    "event": "¿Qué pasó con {entity}? | ¿Cuándo fue {entity}?",
    "person": "¿Quién es {entity}?",
    "lesson": "¿Qué problema hubo con {entity}? | ¿Qué aprendimos de {entity}?",
    "procedure": "¿Cómo se hace {entity}? | ¿Cómo es {entity}?",
    "about": "¿Qué hay de {entity}?",
}
