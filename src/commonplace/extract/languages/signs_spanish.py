"""Signs of what a Spanish sentence is about: words by what they speak of, `*` for any ending, `_` for a blank."""

from __future__ import annotations

SIGNS: dict[str, str] = {
    "taste": """
        gusta gustan encanta encantan odio odia odian prefiero prefiere favorit* preferid* alérgic* alergia intoleran*
        vegan* vegetarian* soporto soporta aguanto aguanta detest* como come comen bebo bebe sabor rico asco fan_de
        no_como no_come no_bebo adoro sienta_mal sientan
    """,
    "opinion": """
        creo pienso opino opinión parece parecen mi_juicio sobrevalorad* demasiado mejor peor inútil fe* bonito
        aburrid* pérdida_de_tiempo sinceramente personalmente francamente pesado convencid* merece vale_la_pena
        considero exagerado a_mi_modo
    """,
    "rule": """
        siempre nunca jamás a_partir_de_ahora de_ahora_en_adelante en_adelante contesta responde respóndeme escribe
        evita usa utiliza por_favor solo sólo no_me no_uses no_pongas sin_preguntar pregúntame avísame tutéame llámame
        corto breve resúmenes resumen emojis formato nada_de desde_ahora
    """,
    "choice": """
        decidido decidimos decidí decisión elegido elegimos optado optamos acordado acordamos quedamos votado en_vez
        en_lugar al_final descartado descartamos pasamos_a pasarnos nos_quedamos cambiamos sustituir sustituimos
        dejamos cancelado cancelamos aprobado rechazado renovar renovamos vamos_a_usar apostamos finalmente
        abandonamos
    """,
    "future": """
        voy vamos va van mañana pasado_mañana próxim* que_viene antes_del antes_de plazo vence cita reunión entrega
        fecha_límite prometo prometido prometí pienso planeo previsto tengo_que lunes martes miércoles jueves viernes
        sábado domingo mando mandaré enviaré envío haré iré estaré terminaré entregaré examen vuelo dentista boda
        encargo comprometo habrá será
    """,
    "life": """
        casado casamos casó casé boda prometid* divorci* nació nacido nacimiento murió muerto fallecid* falleció mudé
        mudamos mudado mudó embarazad* ascendido ascendieron ascenso contratado contrataron despidieron despedido
        jubil* gradu* licenciad* aprobé aprobado adoptado adoptamos operaron operación rompí rompió accidente robaron
        robado gané ganamos perdí compré compramos comprado vendí vendimos abrí abierto fundé carné bebé mellizos
        gemel* casa hospital diagnostic* firmé firmamos por_fin separado dimití renuncié estrené
    """,
    "past": """
        ayer anteayer anoche pasado pasada hace hemos he ha han fue fui era estaba tuve hice acabo_de acaba_de
        la_semana_pasada el_mes_pasado el_año_pasado desde
    """,
    "kin": """
        madre mamá padre papá padres hermana* hermano* hijo* hija* mujer marido esposa esposo pareja novia novio
        prometid* tía tío primo prima sobrin* abuela abuelo jefe jefa compañer* vecin* amigo amiga médico doctora
        dentista terapeuta casero casera abogad* profesor* contable cuñad* suegr* niños sra sr don doña
    """,
    "other": "él ella su sus le les",
    "self": "yo mi mis me mí conmigo",
    "us": "nosotros nosotras nuestro nuestra nuestros nuestras nos",
    "being": """
        vivo vive trabajo trabaja estudio estudia tengo tiene conduzco hablo habla enseño años soy es_de crecí nací
        toco toca de_profesión me_llamo se_llama grupo_sanguíneo talla solter* zurd* cumpleaños dedico colecciono
    """,
    "tech": """
        servidor* puerto* host base_de_datos api endpoint repo repositorio staging prod producción cluster clúster
        caché redis postgres* mysql sqlite registros logs servicio bucket cola ci pipeline despliegue* build url
        versión config* copias copia_de_seguridad vpn ssh dominio vm contenedor* docker kubernetes nginx proxy
        pasarela nodo python token certificado* webhook rama cron app frontend backend kafka grafana jenkins gitlab
        github esquema timeout límite cuota kernel linux worker* disco cortafuegos runner* router impresora wifi
        escucha corre peticiones instancia preproducción memoria respaldo*
    """,
    "project": """
        proyecto* hito* lanzamiento beta hoja_de_ruta sprint fase backlog piloto prototipo presupuesto retraso
        retrasad* en_pausa pausado congelado parado lidera liderado dirige coordina por_ciento licencia usuarios
        entregable* rediseño avance va_por
    """,
    "fail": """
        error* falló fallaba fallo fallos caída cayó bug* excepción timeout* fuga colgaba bloque* denegad* roto
        corrupto incorrect* problema* lento avería 401 403 404 429 500 502 503 504 conflicto* faltaba no_arrancaba
        no_conectaba no_funcionaba
    """,
    "fix": """
        arreglé arreglado arregló solucionado solucionó solución resuelto resolvió causa culpa culpable porque debido
        era_por venía_de ya_funciona ya_conecta funciona_de_nuevo desde_entonces bastó borrando añadiendo cambiando
        subiendo reinstalando actualizando borré cambié añadí desapareció raíz
    """,
    "vain": """
        no_sirvió no_ayudó no_cambió nada sin_éxito en_vano sigue seguía tampoco no_resolvió no_arregló no_tuvo_efecto
        mismo_error probé probado intenté intentado callejón inútil de_nada no_era no_hizo igual descartado
    """,
    "steps": """
        primero luego después antes_de para_publicar para_reiniciar para pulsa* haz_clic ejecuta* abre* hay_que
        se_debe debe_aprobar aprobad* pasa_por formulario procedimiento paso* rellenar solicit* revisar etiquetar
        fusionar se_hace se_envía se_pide mediante a_través dos_veces firma por_último entra
    """,
    "place": """
        oficina* edificio cocina puerta código llave llaves contrato seguro alquiler cliente* proveedor* factura*
        banco cuenta colegio escuela tienda garaje aparcamiento basura horario* abre cierra planta entrada sala
        dirección calle alarma contador garantía suscripción comedor caldera empresa equipo iva coche piso local sede
        despacho farmacia
    """,
    "note": """
        recuerda acuérdate apunta anota no_olvides ten_en_cuenta para_que_conste toma_nota que_sepas nota guarda
        memoriza para_el_futuro
    """,
    "amend": """
        no sino corrección perdón en_realidad me_equivoqué equivoqué mejor_dicho ya_no cambió cambiado nuevo nueva
        ahora quise_decir rectifico errata confundí
    """,
    "habit": "cada todos todas siempre suelo suele normalmente a_menudo diario semanal mensual nunca mañanas noches",
    "passing": """
        hoy ahora quizás quizá tal_vez espero ojalá cansad* hambre tiempo lluvia llueve tráfico luego pronto momento
        minuto jaja gracias perdona genial guay vale broma chiste
    """,
}
