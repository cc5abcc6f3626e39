"""Light words: a question is made with them, but its answer seldom turns on them: `how many days in total did we take`.

They are neither function words, which say nothing, nor names of things: measures, verbs that only carry a noun, and
words for what has no name yet. Lines that have them answer many questions and few in particular.
"""

from __future__ import annotations

from functools import cache

from commonplace.text.folding import strip_accents
from commonplace.text.tokenize import form

_WORDS = {
    "en": """
        day week month year time total number amount long often many much different kind type sort current currently
        recent recently ever spend spent take took taken get got go went gone make made use used feel felt really
        try tried give gave given look looking thing stuff lot way event activity
        previous previously back wonder""",
    "de": """
        tag woche monat jahr mal insgesamt anzahl zahl menge lange oft viele viel verschiedene art typ sorte aktuell
        derzeit kürzlich neulich jemals verbringen verbracht nehmen nahm genommen bekommen gehen ging gegangen machen
        gemacht tun getan benutzen benutzt fühlen wirklich versuchen geben gab gegeben ding sache weise""",
    "fr": """
        jour journée semaine mois an année fois total nombre quantité longtemps souvent beaucoup différent sorte type
        genre actuellement récemment jamais passer passé prendre pris obtenir aller allé faire fait utiliser utilisé
        sentir vraiment essayer donner donné regarder chose truc façon manière""",
    "es": """
        día semana mes año vez total número cantidad largo menudo muchos mucho diferente tipo clase actual actualmente
        recientemente nunca pasar tomar tomado conseguir ir ido hacer hecho usar usado sentir realmente tratar dar dado
        mirar cosa manera forma""",
    "pt": """
        dia semana mês ano vez total número quantidade muitas muito diferente tipo espécie atual atualmente
        recentemente nunca passar tomar tomado levar conseguir ir ido fazer feito usar usado sentir realmente tentar
        dar dado olhar coisa maneira forma""",
    "it": """
        giorno settimana mese anno volta totale numero quantità lungo spesso molti molto diverso tipo genere attuale
        attualmente recentemente mai passare prendere preso ottenere andare andato fare fatto usare usato sentire
        davvero provare dare dato guardare cosa modo""",
    "nl": """
        dag week maand jaar keer totaal aantal hoeveelheid lang vaak veel verschillende soort type huidige momenteel
        onlangs ooit besteden nemen nam genomen krijgen gaan ging gegaan maken gemaakt gebruiken gebruikt voelen echt
        proberen geven gaf gegeven ding manier""",
    "ru": """
        день неделя месяц год раз всего число количество долго часто много разный вид тип сорт текущий недавно
        когда-либо провести взять брать получить идти ходить делать сделать использовать чувствовать действительно
        попробовать дать давать вещь способ""",
    "sv": """
        dag vecka månad år gång totalt antal mängd länge ofta många mycket olika slag typ sort nuvarande nyligen
        någonsin tillbringa ta tog tagit få fick gå gick göra gjorde gjort använda använt känna verkligen försöka ge
        gav gett sak sätt""",
}


def is_light(word: str, language: str) -> bool:
    """Whether a word, folded, has the stem of a light word; a language without a list has none."""
    return form(word, language) in _stems(language)


@cache
def _stems(language: str) -> frozenset[str]:
    words = _WORDS.get(language, "").split()
    return frozenset(form(spelt, language) for word in words for spelt in (word, strip_accents(word)))
