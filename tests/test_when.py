"""Time phrases: what they mean, what only looks like one, and that no text breaks the reader."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unicodedata
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.language import when
from commonplace.language.when import rules
from commonplace.language.when.rules import RULES
from commonplace.language.when.tokenizer import load_time_lexicon
from commonplace.language.word_data import load_time_words
from commonplace.model import Interval
from tests.support.counting import calls

NOW = "2025-06-18T12:00"  # a Wednesday

# The phrase and its first and last day (or its hours); an empty end is open.
ENGLISH = """
today | 2025-06-18
yesterday | 2025-06-17
the day before yesterday | 2025-06-16
tomorrow | 2025-06-19
the day after tomorrow | 2025-06-20
on the last day of May | 2025-05-31
in winter 2023/24 | 2023-12-01 .. 2024-02-29
on the Fourth of July | 2024-07-04
on Mother's Day | 2025-05-11
this week | 2025-06-16 .. 2025-06-22
last week | 2025-06-09 .. 2025-06-15
next week | 2025-06-23 .. 2025-06-29
the week before last | 2025-06-02 .. 2025-06-08
this month | 2025-06-01 .. 2025-06-30
last month | 2025-05-01 .. 2025-05-31
next month | 2025-07-01 .. 2025-07-31
this year | 2025-01-01 .. 2025-12-31
last year | 2024-01-01 .. 2024-12-31
this quarter | 2025-04-01 .. 2025-06-30
last quarter | 2025-01-01 .. 2025-03-31
last weekend | 2025-06-14 .. 2025-06-15
this weekend | 2025-06-21 .. 2025-06-22
over the weekend | 2025-06-14 .. 2025-06-15
the past weekend | 2025-06-14 .. 2025-06-15
last 3 days | 2025-06-15 .. 2025-06-18
past two weeks | 2025-06-04 .. 2025-06-18
in the last month | 2025-05-18 .. 2025-06-18
over the past year | 2024-06-18 .. 2025-06-18
last few days | 2025-06-13 .. 2025-06-18
the past few weeks | 2025-05-14 .. 2025-06-18
next 3 days | 2025-06-18 .. 2025-06-21
3 days ago | 2025-06-15
two weeks ago | 2025-06-01 .. 2025-06-07
a week ago | 2025-06-08 .. 2025-06-14
three months ago | 2025-03-01 .. 2025-03-31
a year ago | 2024-01-01 .. 2024-12-31
two weekends ago | 2025-06-07 .. 2025-06-08
a few days ago | 2025-06-13 .. 2025-06-16
a couple of weeks ago | 2025-05-28 .. 2025-06-11
several days ago | 2025-06-11 .. 2025-06-15
5 hours ago | 2025-06-18T06:30 .. 2025-06-18T07:30
20 minutes ago | 2025-06-18T11:40 .. 2025-06-18T11:41
last 2 hours | 2025-06-18T10:00 .. 2025-06-18T12:01
in the last hour | 2025-06-18T11:00 .. 2025-06-18T12:01
in 3 days | 2025-06-21
2 weeks from now | 2025-06-29 .. 2025-07-05
Monday | 2025-06-16
on Wednesday | 2025-06-18
on Thursday | 2025-06-12
on sat | 2025-06-14
last Tuesday | 2025-06-17
last Wednesday | 2025-06-11
this Friday | 2025-06-20
next Wednesday | 2025-06-25
two Fridays ago | 2025-06-06
Tuesday of last week | 2025-06-10
last week on Tuesday | 2025-06-10
since Tuesday | 2025-06-17 ..
since 3 days ago | 2025-06-15 ..
since last month | 2025-05-01 ..
since 2019 | 2019-01-01 ..
from Monday onwards | 2025-06-16 ..
since 2 weeks | 2025-06-04 .. 2025-06-18
until Friday | .. 2025-06-20
by Friday | .. 2025-06-20
before Friday | .. 2025-06-12
before May 2023 | .. 2023-04-30
after Monday | 2025-06-17 ..
around Nov 27 | 2024-11-24 .. 2024-11-30
around May 2023 | 2023-04-17 .. 2023-06-14
around 2019 | 2018-10-03 .. 2020-03-30
in May | 2025-05-01 .. 2025-05-31
in July | 2024-07-01 .. 2024-07-31
September | 2024-09-01 .. 2024-09-30
in May 2023 | 2023-05-01 .. 2023-05-31
May, 2023 | 2023-05-01 .. 2023-05-31
last May | 2025-05-01 .. 2025-05-31
next May | 2026-05-01 .. 2026-05-31
last June | 2024-06-01 .. 2024-06-30
May last year | 2024-05-01 .. 2024-05-31
early May | 2025-05-01 .. 2025-05-10
mid-May 2024 | 2024-05-11 .. 2024-05-20
late May | 2025-05-21 .. 2025-05-31
early last week | 2025-06-09 .. 2025-06-10
early 2024 | 2024-01-01 .. 2024-04-30
end of last month | 2025-05-21 .. 2025-05-31
the beginning of the year | 2025-01-01 .. 2025-04-30
since the start of the year | 2025-01-01 ..
first week of May | 2025-05-01 .. 2025-05-07
fifth week of May | 2025-05-29 .. 2025-05-31
in the second week of November | 2024-11-08 .. 2024-11-14
last week of May | 2025-05-25 .. 2025-05-31
first day of last month | 2025-05-01
first half of May | 2025-05-01 .. 2025-05-15
second half of 2024 | 2024-07-01 .. 2024-12-31
last month of 2024 | 2024-12-01 .. 2024-12-31
first weekend of May 2025 | 2025-05-03 .. 2025-05-04
first Monday of May | 2025-05-05
last Friday of last month | 2025-05-30
the week of May 5 | 2025-05-05 .. 2025-05-11
Q3 2024 | 2024-07-01 .. 2024-09-30
Q3 | 2024-07-01 .. 2024-09-30
third quarter of 2024 | 2024-07-01 .. 2024-09-30
H1 2024 | 2024-01-01 .. 2024-06-30
in summer 2023 | 2023-06-01 .. 2023-08-31
winter 2024 | 2024-12-01 .. 2025-02-28
last summer | 2024-06-01 .. 2024-08-31
in the spring | 2025-03-01 .. 2025-05-31
in 2023 | 2023-01-01 .. 2023-12-31
year 2023 | 2023-01-01 .. 2023-12-31
2025-06-10 | 2025-06-10
2025/06/10 | 2025-06-10
2025-06-10T14:30 | 2025-06-10T14:30 .. 2025-06-10T14:31
2025-06-10 14:30:22Z | 2025-06-10T14:30 .. 2025-06-10T14:31
2024-05 | 2024-05-01 .. 2024-05-31
2024-W05 | 2024-01-29 .. 2024-02-04
12/24/2024 | 2024-12-24
24/12/2024 | 2024-12-24
24.12.2024 | 2024-12-24
27 November 2025 | 2025-11-27
the 3rd of May | 2025-05-03
May the 3rd | 2025-05-03
on the 3rd | 2025-06-03
on Friday the 20th | 2025-06-20
Saturday 7th | 2025-06-07
on the 30th | 2025-05-30
Nov. 27 | 2024-11-27
November 27th, 2023 | 2023-11-27
Feb 29 | 2024-02-29
Friday, Nov 27 | 2024-11-27
Friday, Nov 27, 2020 | 2020-11-27
Nov 27 – Dec 1, 2025 | 2025-11-27 .. 2025-12-01
Nov 27-30, 2025 | 2025-11-27 .. 2025-11-30
Dec 30-2, 2024 | 2024-12-30 .. 2025-01-02
December 30-2 | 2024-12-30 .. 2025-01-02
30-2 January 2025 | 2024-12-30 .. 2025-01-02
from May 30 to 2 | 2025-05-30 .. 2025-06-02
vom 30. bis 2. Januar | 2024-12-30 .. 2025-01-02
vom 30. Dezember bis zum 2. | 2024-12-30 .. 2025-01-02
du 30 au 2 janvier 2024 | 2023-12-30 .. 2024-01-02
del 30 al 2 de enero | 2024-12-30 .. 2025-01-02
12月31日至1日 | 2024-12-31 .. 2025-01-01
2023年12月31日至1日 | 2023-12-31 .. 2024-01-01
12月30日から2日まで | 2024-12-30 .. 2025-01-02
December 31 to January 1 | 2024-12-31 .. 2025-01-01
vom 30. Dezember bis 2. Januar 2024 | 2023-12-30 .. 2024-01-02
12月31日至1月1日 | 2024-12-31 .. 2025-01-01
27-30 November 2025 | 2025-11-27 .. 2025-11-30
3 to 5 May | 2025-05-03 .. 2025-05-05
May 3 to 5 | 2025-05-03 .. 2025-05-05
Dec 30 to Jan 2 | 2024-12-30 .. 2025-01-02
May – July 2023 | 2023-05-01 .. 2023-07-31
between May 3 and June 5 | 2025-05-03 .. 2025-06-05
between the 3rd and the 5th of May | 2025-05-03 .. 2025-05-05
between May 3 and 5 | 2025-05-03 .. 2025-05-05
between 2020-01-01 and 2020-12-31 | 2020-01-01 .. 2020-12-31
from Monday to Wednesday | 2025-06-16 .. 2025-06-18
from Thursday until Monday | 2025-06-12 .. 2025-06-16
from May to July 2023 | 2023-05-01 .. 2023-07-31
from Nov 27, 2024 to Jan 5 | 2024-11-27 .. 2025-01-05
from Nov 27, 2023 to Jan 5 | 2023-11-27 .. 2024-01-05
from yesterday to Friday | 2025-06-17 .. 2025-06-20
from 2020 to 2022 | 2020-01-01 .. 2022-12-31
from yesterday to today | 2025-06-17 .. 2025-06-18
this morning | 2025-06-18T05:00 .. 2025-06-18T12:00
last night | 2025-06-17T18:00 .. 2025-06-18T06:00
tonight | 2025-06-18T18:00 .. 2025-06-19T06:00
yesterday evening | 2025-06-17T18:00 .. 2025-06-18T00:00
Monday morning | 2025-06-16T05:00 .. 2025-06-16T12:00
on the evening of May 3 | 2025-05-03T18:00 .. 2025-05-04T00:00
two days before Nov 27 | 2024-11-25
the day after May 5 | 2025-05-06
the week before 9 June 2023 | 2023-05-30 .. 2023-06-05
the Friday before 14 August 2023 | 2023-08-11
the Monday after May 5 | 2025-05-12
2023-10-22T09:55 | 2023-10-22T09:55 .. 2023-10-22T09:56
earlier this week | 2025-06-16 .. 2025-06-18T12:01
later this month | 2025-06-18T12:00 .. 2025-06-30
later today | 2025-06-18T12:00 .. 2025-06-19T00:00
the rest of the year | 2025-06-18T12:00 .. 2025-12-31
so far this year | 2025-01-01 .. 2025-06-18T12:01
the past weeks | 2025-05-14 .. 2025-06-18
the last days | 2025-06-13 .. 2025-06-18
the next days | 2025-06-18 .. 2025-06-23
the week after next | 2025-06-30 .. 2025-07-06
the other day | 2025-06-11 .. 2025-06-17
half a year ago | 2024-12-01 .. 2024-12-31
a fortnight ago | 2025-06-01 .. 2025-06-07
half an hour ago | 2025-06-18T11:30 .. 2025-06-18T11:31
first two weeks of May | 2025-05-01 .. 2025-05-14
last three days of 2024 | 2024-12-29 .. 2024-12-31
yesterday at 3pm | 2025-06-17T15:00 .. 2025-06-17T16:00
yesterday at 12 am | 2025-06-17T00:00 .. 2025-06-17T01:00
on Monday at 9:30 | 2025-06-16T09:30 .. 2025-06-16T10:30
on Monday at 9:30 pm | 2025-06-16T21:30 .. 2025-06-16T22:30
noon yesterday | 2025-06-17T12:00 .. 2025-06-17T13:00
the 90s | 1990-01-01 .. 1999-12-31
in the '90s | 1990-01-01 .. 1999-12-31
the 20s | 2020-01-01 .. 2029-12-31
in the 1970s | 1970-01-01 .. 1979-12-31
the early 90s | 1990-01-01 .. 1993-04-30
in the mid-90s | 1993-05-01 .. 1996-08-31
in the 1800s | 1800-01-01 .. 1899-12-31
in the 2000s | 2000-01-01 .. 2009-12-31
late 1990s | 1996-09-01 .. 1999-12-31
in the late 1990s | 1996-09-01 .. 1999-12-31
the nineties | 1990-01-01 .. 1999-12-31
last decade | 2010-01-01 .. 2019-12-31
at Christmas | 2024-12-24 .. 2024-12-26
last Christmas | 2024-12-24 .. 2024-12-26
Christmas 2023 | 2023-12-24 .. 2023-12-26
since New Year's Day | 2025-01-01 ..
over Easter | 2025-04-18 .. 2025-04-21
Easter Sunday 2024 | 2024-03-31
on Thanksgiving last year | 2024-11-28
on Black Friday | 2024-11-29
a week ago yesterday | 2025-06-10
two summers ago | 2023-06-01 .. 2023-08-31
three winters ago | 2022-12-01 .. 2023-02-28
a month and a half ago | 2025-05-04 .. 2025-05-10
the two weeks before Easter | 2025-04-04 .. 2025-04-17
the days after May 5 | 2025-05-06 .. 2025-05-10
the month after May 5 | 2025-06-01 .. 2025-06-30
the three months before May 5 | 2025-02-05 .. 2025-05-04
two days before Christmas | 2024-12-22
around Christmas | 2024-12-21 .. 2024-12-29
calendar week 23 | 2025-06-02 .. 2025-06-08
summer of '69 | 1969-06-01 .. 1969-08-31
12/24/24 | 2024-12-24
24-12-2024 | 2024-12-24
12-24-2024 | 2024-12-24
05-06-2024 | 2024-06-05
"""

OTHER_LANGUAGES = """
gestern | 2025-06-17
vorgestern | 2025-06-16
letzte Woche | 2025-06-09 .. 2025-06-15
vorletzte Woche | 2025-06-02 .. 2025-06-08
heute vor einem Jahr | 2024-06-18
gestern vor zwei Wochen | 2025-06-03
heute vor einer Stunde | 2025-06-18T10:30 .. 2025-06-18T11:30
il y a un an aujourd'hui | 2024-06-18
oggi un anno fa | 2024-06-18
met Koningsdag | 2025-04-27
お盆 | 2024-08-13 .. 2024-08-16
vor 3 Tagen | 2025-06-15
vor ein paar Tagen | 2025-06-15 .. 2025-06-17
letzten Monat | 2025-05-01 .. 2025-05-31
am Dienstag | 2025-06-17
letzten Dienstag | 2025-06-17
seit Montag | 2025-06-16 ..
seit 2 Wochen | 2025-06-04 .. 2025-06-18
vor Freitag | .. 2025-06-12
im Mai 2023 | 2023-05-01 .. 2023-05-31
Anfang Mai | 2025-05-01 .. 2025-05-10
3. März 2025 | 2025-03-03
27.–30. November 2025 | 2025-11-27 .. 2025-11-30
zwischen dem 3. und 5. Mai | 2025-05-03 .. 2025-05-05
vom 3. bis zum 5. Mai | 2025-05-03 .. 2025-05-05
heute Morgen | 2025-06-18T05:00 .. 2025-06-18T12:00
in den letzten 3 Tagen | 2025-06-15 .. 2025-06-18
hier | 2025-06-17
avant-hier | 2025-06-16
aujourd'hui | 2025-06-18
aujourd’hui | 2025-06-18
la semaine dernière | 2025-06-09 .. 2025-06-15
la semaine derniere | 2025-06-09 .. 2025-06-15
la semaine dernie\u0300re | 2025-06-09 .. 2025-06-15
il y a 3 jours | 2025-06-15
il y a quelques jours | 2025-06-13 .. 2025-06-16
mars dernier | 2025-03-01 .. 2025-03-31
le mois dernier | 2025-05-01 .. 2025-05-31
mardi dernier | 2025-06-17
depuis lundi | 2025-06-16 ..
avant vendredi | .. 2025-06-12
en mai 2023 | 2023-05-01 .. 2023-05-31
le 1er mai | 2025-05-01
les quelques derniers jours | 2025-06-13 .. 2025-06-18
les 3 derniers jours | 2025-06-15 .. 2025-06-18
hier soir | 2025-06-17T18:00 .. 2025-06-18T00:00
du 3 au 5 mai | 2025-05-03 .. 2025-05-05
entre le 3 et le 5 mai | 2025-05-03 .. 2025-05-05
ayer | 2025-06-17
la semana pasada | 2025-06-09 .. 2025-06-15
hace 3 días | 2025-06-15
los 3 últimos días | 2025-06-15 .. 2025-06-18
el mes pasado | 2025-05-01 .. 2025-05-31
el lunes | 2025-06-16
desde el lunes | 2025-06-16 ..
antes del viernes | .. 2025-06-12
el 3 de marzo de 2025 | 2025-03-03
a principios de mayo | 2025-05-01 .. 2025-05-10
el verano pasado | 2024-06-01 .. 2024-08-31
ontem | 2025-06-17
semana passada | 2025-06-09 .. 2025-06-15
há 3 dias | 2025-06-15
3 dias atrás | 2025-06-15
mês passado | 2025-05-01 .. 2025-05-31
na segunda-feira | 2025-06-16
desde segunda-feira | 2025-06-16 ..
antes de sexta-feira | .. 2025-06-12
3 de março de 2025 | 2025-03-03
ieri | 2025-06-17
la settimana scorsa | 2025-06-09 .. 2025-06-15
3 giorni fa | 2025-06-15
il mese scorso | 2025-05-01 .. 2025-05-31
lunedì scorso | 2025-06-16
da lunedì | 2025-06-16 ..
prima di venerdì | .. 2025-06-12
il 3 marzo 2025 | 2025-03-03
gisteren | 2025-06-17
vorige week | 2025-06-09 .. 2025-06-15
3 dagen geleden | 2025-06-15
vorige maand | 2025-05-01 .. 2025-05-31
sinds maandag | 2025-06-16 ..
voor vrijdag | .. 2025-06-12
3 maart 2025 | 2025-03-03
вчера | 2025-06-17
на прошлой неделе | 2025-06-09 .. 2025-06-15
3 дня назад | 2025-06-15
неделю назад | 2025-06-08 .. 2025-06-14
в прошлом месяце | 2025-05-01 .. 2025-05-31
в понедельник | 2025-06-16
с понедельника | 2025-06-16 ..
после пятницы | 2025-06-14 ..
3 марта 2025 года | 2025-03-03
в 2023 году | 2023-01-01 .. 2023-12-31
igår | 2025-06-17
i går | 2025-06-17
förra veckan | 2025-06-09 .. 2025-06-15
för 3 dagar sedan | 2025-06-15
förra månaden | 2025-05-01 .. 2025-05-31
i tisdags | 2025-06-17
sedan måndag | 2025-06-16 ..
före fredag | .. 2025-06-12
den 3 mars 2025 | 2025-03-03
昨天 | 2025-06-17
前天 | 2025-06-16
上周 | 2025-06-09 .. 2025-06-15
上周一 | 2025-06-09
上周末 | 2025-06-14 .. 2025-06-15
三天前 | 2025-06-15
几天前 | 2025-06-13 .. 2025-06-16
十二天前 | 2025-06-06
上个月 | 2025-05-01 .. 2025-05-31
星期二 | 2025-06-17
从周一 | 2025-06-16 ..
周五之前 | .. 2025-06-12
2024年3月3日 | 2024-03-03
２０２４年３月 | 2024-03-01 .. 2024-03-31
三月 | 2025-03-01 .. 2025-03-31
去年5月 | 2024-05-01 .. 2024-05-31
最近三天 | 2025-06-15 .. 2025-06-18
上半年 | 2025-01-01 .. 2025-06-30
第一季度 | 2025-01-01 .. 2025-03-31
昨天晚上 | 2025-06-17T18:00 .. 2025-06-18T00:00
2天后 | 2025-06-20
昨日 | 2025-06-17
一昨日 | 2025-06-16
先週 | 2025-06-09 .. 2025-06-15
先週の月曜日 | 2025-06-09
3日前 | 2025-06-15
先月 | 2025-05-01 .. 2025-05-31
火曜日 | 2025-06-17
月曜日から | 2025-06-16 ..
金曜日以前 | .. 2025-06-12
5月3日 | 2025-05-03
5月3日到9日 | 2025-05-03 .. 2025-05-09
5月3～9日 | 2025-05-03 .. 2025-05-09
5月3日から9日まで | 2025-05-03 .. 2025-05-09
2024年第3四半期 | 2024-07-01 .. 2024-09-30
im Winter 2023/24 | 2023-12-01 .. 2024-02-29
二〇二四年三月 | 2024-03-01 .. 2024-03-31
周末 | 2025-06-14 .. 2025-06-15
五月最后一个星期五 | 2025-05-30
5月の最後の金曜日 | 2025-05-30
el último viernes de mayo | 2025-05-30
a última semana de maio | 2025-05-25 .. 2025-05-31
am Tag der Arbeit | 2025-05-01
過去3日間 | 2025-06-15 .. 2025-06-18
übernächste Woche | 2025-06-30 .. 2025-07-06
im 3. Quartal 2024 | 2024-07-01 .. 2024-09-30
Montagabend | 2025-06-16T18:00 .. 2025-06-17T00:00
gestern um 15 Uhr | 2025-06-17T15:00 .. 2025-06-17T16:00
gestern um 15:30 Uhr | 2025-06-17T15:30 .. 2025-06-17T16:30
in den letzten Tagen | 2025-06-13 .. 2025-06-18
la semaine du 5 mai | 2025-05-05 .. 2025-05-11
in den 90er Jahren | 1990-01-01 .. 1999-12-31
in den frühen 90ern | 1990-01-01 .. 1993-04-30
in den späten Siebzigern | 1976-09-01 .. 1979-12-31
в семидесятых | 1970-01-01 .. 1979-12-31
KW 23 | 2025-06-02 .. 2025-06-08
zu Ostern 2024 | 2024-03-29 .. 2024-04-01
an den letzten drei Tagen des Jahres 2024 | 2024-12-29 .. 2024-12-31
années 90 | 1990-01-01 .. 1999-12-31
Noël dernier | 2024-12-24 .. 2024-12-26
les deux premières semaines de mai | 2025-05-01 .. 2025-05-14
hier à 15h | 2025-06-17T15:00 .. 2025-06-17T16:00
anni settanta | 1970-01-01 .. 1979-12-31
stamattina | 2025-06-18T05:00 .. 2025-06-18T12:00
i somras | 2024-06-01 .. 2024-08-31
90-talet | 1990-01-01 .. 1999-12-31
måndagskväll | 2025-06-16T18:00 .. 2025-06-17T00:00
maandagavond | 2025-06-16T18:00 .. 2025-06-17T00:00
去年年底 | 2024-09-01 .. 2024-12-31
昨天下午三点 | 2025-06-17T15:00 .. 2025-06-17T16:00
九十年代 | 1990-01-01 .. 1999-12-31
国庆节 | 2024-10-01 .. 2024-10-07
令和6年5月 | 2024-05-01 .. 2024-05-31
los días pasados | 2025-06-13 .. 2025-06-18
les trois derniers jours de 2024 | 2024-12-29 .. 2024-12-31
先々週 | 2025-06-02 .. 2025-06-08
les derniers jours | 2025-06-13 .. 2025-06-18
今朝 | 2025-06-18T05:00 .. 2025-06-18T12:00
"""


def test_a_day_far_before_another_begins_no_row() -> None:
    for text in ("the score of May 20-5", "the score of May 30-14", "it is May 28-12 people came"):
        assert [phrase.interval.end[5:10] for phrase in when.find_time_phrases(text, NOW)] in (
            ["05-21"],
            ["05-31"],
            ["05-29"],
        )


def test_a_hyphen_with_a_blank_beside_it_makes_no_row_over_the_end_of_a_month() -> None:
    for text in ("Jan 28 - 2 people came", "Jan 28 – 2 new rules", "Jan 28- 2 left", "Jan 28 -2 °"):
        assert [phrase.interval.end[:10] for phrase in when.find_time_phrases(text, NOW)] == ["2025-01-29"]
    for text in ("Jan 3 - 12", "Jan 3-12", "12 - 3 Jan"):
        assert [phrase.interval.start[8:10] for phrase in when.find_time_phrases(text, NOW)] == ["03"]


NO_TIME = """
a week and a half ago
I may go
may I ask a question
she may have been right
this may be it
we march on
march 3 days without a break
you may 3 people or more
port 8080
in 8080
version 1.2.3
release 2025.06.10.1
10.0.0.1
192.168.178.20:8080
second opinion
the sun
in the sun
sat on the mat
mon ami
tell me about April Ludgate
a letter by April
May Parker
the Mayo Clinic
Spring Boot
in Spring Boot
in her 30s
ik sprak met Jan
ich war zu Jan gefahren
in her early thirties
early 90s temperatures
I leave earlier on days with meetings
in later years
a weekend
a 2018 car
the many weeks last
in eighties clothes
a timeout within 30s
two weeks later
a year later
zwei Wochen später
deux jours plus tard
monday.com
sat next to me
good friday
Easter
model gpt-4o-2024-08-06
the score was 3:10
at 3pm
noon
every Monday
on a Sunday
jeden Montag
how many weeks ago
in February 31
January 0000
999999999 years ago
5000 years ago
999999 weeks ago
last 9999999 days
2020-13-45
0000-00-00
9999-12-31
$3 May
grade b3 May
May 3%
3% in
#2024
last minute changes
a few last minute speakers
the next day
chunk size of 2000 tokens
around 2000 tokens
the 2nd attempt
on the 2nd attempt
a1b2c3-2024-01-x
CURRENT_MONTH is 5
last_week_3
8080-10
Feb 29 2023
https://example.com/2024-01-15/monday
monday@example.com
hier ist das Problem
hier is het probleem
mes dernières affaires
letzte week
guten Morgen
上海的天气
日本語のテキスト
十万年前
一百万年前
数据库设计文档
mars
until
since the
from to
"""


def cases(table: str) -> list[tuple[str, str]]:
    return [tuple(part.strip() for part in line.split("|")) for line in table.strip().split("\n")]


def interval(written: str) -> Interval:
    """`2025-05-01 .. 2025-05-31` with an inclusive last day, or minutes as they are; a missing end is open."""
    first, dots, last = (part.strip() for part in written.partition(".."))
    end = last if dots else first
    if "T" not in end and end:
        end = f"{date.fromisoformat(end) + timedelta(days=1)}T00:00"
    return Interval(f"{first}T00:00" if first and "T" not in first else first, end)


def test_the_tables_hold_enough() -> None:
    assert len(cases(ENGLISH)) > 120
    assert len(cases(OTHER_LANGUAGES)) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("phrase", "meaning"), cases(ENGLISH))
def test_english_phrases_mean_their_stretch_alone_and_in_a_sentence(phrase: str, meaning: str) -> None:
    for before, after in (("", ""), ("What did we decide ", "?"), ("(", "), said Anna.")):
        found = when.find_time_phrases(before + phrase + after, NOW)
        assert [(p.phrase, p.interval) for p in found] == [(phrase, interval(meaning))]


@pytest.mark.parametrize(("phrase", "meaning"), cases(OTHER_LANGUAGES))
def test_phrases_of_other_languages_mean_their_stretch(phrase: str, meaning: str) -> None:
    assert [(p.phrase, p.interval) for p in when.find_time_phrases(phrase, NOW)] == [(phrase, interval(meaning))]


@pytest.mark.parametrize("text", NO_TIME.strip().split("\n"))
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert when.find_time_phrases(text, NOW) == ()
    assert when.find_time_phrases(f"{text}.", NOW) == ()


@pytest.mark.parametrize(
    ("phrase", "relation"),
    [
        ("in May 2023", "in"),
        ("from Monday to Friday", "through"),
        ("since Tuesday", "since"),
        ("from Tuesday on", "since"),
        ("until Friday", "until"),
        ("by Friday", "until"),
        ("before May 5", "before"),
        ("after May 5", "after"),
        ("around May 5", "around"),
        ("seit Montag", "since"),
        ("周五之前", "before"),
    ],
)
def test_a_phrase_says_what_governs_its_time(phrase: str, relation: str) -> None:
    assert [(p.phrase, p.relation) for p in when.find_time_phrases(phrase, NOW)] == [(phrase, relation)]


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("at Christmas", "Christmas"),
        ("Thanksgiving last year", "Thanksgiving"),
        ("two days before Easter", "Easter"),
        ("between Christmas and New Year", "Christmas New Year"),
        ("in the early 90s", "90s"),
        ("the nineties", "nineties"),
        ("dans les années 80", "années 80"),
        ("i julas", "i julas"),
        ("last year", ""),
        ("hace dos años", ""),
        ("between May 3 and June 5", ""),
    ],
)
def test_a_phrase_says_the_name_that_it_goes_by(phrase: str, name: str) -> None:
    assert [found.name for found in when.find_time_phrases(phrase, NOW)] == [name]


def test_what_is_counted_back_in_weeks_lies_around_the_day_that_is_meant() -> None:
    said = "two weeks ago, last week, since two weeks ago, vor drei Wochen, two months ago, in the past two weeks"
    about = [found.phrase for one in said.split(", ") for found in when.find_time_phrases(one, NOW) if found.about]
    assert about == ["two weeks ago", "vor drei Wochen"]


@pytest.mark.slow
def test_several_phrases_come_in_order_with_their_places() -> None:
    text = "Compare last week with May 2023, and what we said since Tuesday."
    found = when.find_time_phrases(text, NOW)
    assert [p.phrase for p in found] == ["last week", "May 2023", "since Tuesday"]
    assert [text[p.start : p.end] for p in found] == [p.phrase for p in found]


def heard(text: str, now: str = NOW) -> list[str]:
    return [found.phrase for found in when.find_time_phrases(text, now)]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Monday – last week", ["Monday", "last week"]),
        ("Tuesday, yesterday", ["Tuesday", "yesterday"]),
        ("the Monday week plan", ["the Monday"]),
        ("early Monday", ["Monday"]),
        ("earlier next week", ["next week"]),
        ("I turned 30 last week", ["last week"]),
        ("later last week", ["last week"]),
        ("yesterday at 15 pm", ["yesterday"]),
        ("was vom 3. bis 5. Juni an stand", ["vom 3. bis 5. Juni"]),
        ("what did the May report say", ["the May"]),
        ("what did the may report say", ["the may"]),
        ("the march report, the May Parker report", []),
        ("im April Regen", ["im April"]),
        ("the hour of May 5", ["May 5"]),
        ("fifth week of February 2023", ["February 2023"]),
        ("fifth Monday of February 2023", ["February 2023"]),
        ("Nov 30-27, 2025", ["Nov 30"]),
        ("May 3 people", ["May 3"]),
        ("we sent May 30 to 2 people", ["May 30"]),
        ("Jan 31-2 pm", ["Jan 31"]),
        ("29 February 2025", ["February 2025"]),
        ("29-2 March 2025", ["2 March 2025"]),
        ("vom 30. Dezember bis 2. Januar 2024", ["vom 30. Dezember bis 2. Januar 2024"]),
        ("a May 2023 report", ["May 2023"]),
        ("31 february 2020", ["february 2020"]),
        ("yesterday yesterday", ["yesterday", "yesterday"]),
    ],
)
def test_what_does_not_fit_together_stays_apart(text: str, phrases: list[str]) -> None:
    assert heard(text) == phrases


def test_a_day_that_a_month_lacks_is_looked_for_in_the_month_before() -> None:
    assert when.find_time_phrases("on the 30th", "2025-03-05")[0].interval.start == "2025-01-30T00:00"


def test_a_line_break_ends_a_phrase() -> None:
    assert [p.phrase for p in when.find_time_phrases("Monday\n- 3 May\n- Tuesday", NOW)] == [
        "Monday",
        "3 May",
        "Tuesday",
    ]


def test_a_weak_word_is_a_time_in_the_right_company_only() -> None:
    assert when.find_time_phrases("april", NOW) == ()
    assert [p.phrase for p in when.find_time_phrases("in april", NOW)] == ["in april"]
    assert [p.phrase for p in when.find_time_phrases("april 3rd", NOW)] == ["april 3rd"]
    assert [p.phrase for p in when.find_time_phrases("april 2023", NOW)] == ["april 2023"]
    assert when.find_time_phrases("april 8080", NOW) == ()
    assert when.find_time_phrases("by april", NOW) == ()


def test_words_of_two_languages_make_no_phrase_together() -> None:
    assert when.find_time_phrases("letzte month", NOW) == ()
    assert heard("notes from abril 2025") == ["abril 2025"]
    assert heard("Montag last week") == ["Montag", "last week"]
    assert heard("vom last week to today") == ["last week", "today"]


def test_a_false_friend_is_a_time_in_its_own_language_only() -> None:
    assert [p.phrase for p in when.find_time_phrases("qu'ai-je fait hier", NOW)] == ["hier"]
    assert when.find_time_phrases("was wir hier machen und wie", NOW) == ()


def test_looking_ahead_takes_the_next_of_what_has_no_year_or_week() -> None:
    def ahead(phrase: str) -> str:
        return when.find_time_phrases(phrase, NOW, direction="future")[0].interval.start[:10]

    assert ahead("on Tuesday") == "2025-06-24"
    assert ahead("on Wednesday") == "2025-06-18"
    assert ahead("May 5") == "2026-05-05"
    assert ahead("in June") == "2025-06-01"
    assert ahead("on the 3rd") == "2025-07-03"
    assert ahead("over the weekend") == "2025-06-21"
    assert ahead("Feb 29") == "2028-02-29"
    assert ahead("last Tuesday") == "2025-06-17"


def test_the_clock_may_be_a_date_a_minute_or_more_and_nothing_else() -> None:
    meanings = {when.find_time_phrases("yesterday", now) for now in ("2025-06-18", NOW, "2025-06-18T12:00:59.5+02:00")}
    assert len(meanings) == 1
    with pytest.raises(ValueError, match="wednesday"):
        when.find_time_phrases("yesterday", "wednesday")


@pytest.mark.parametrize(
    ("argument", "meaning"),
    [
        ("2025-11-27", "2025-11-27"),
        ("2025-11-27T14:30", "2025-11-27T14:30 .. 2025-11-27T14:31"),
        ("2025-11-27 14:30", "2025-11-27T14:30 .. 2025-11-27T14:31"),
        ("yesterday", "2025-06-17"),
        (" last week ", "2025-06-09 .. 2025-06-15"),
        ("since Tuesday", "2025-06-17 .."),
        ("may", "2025-05-01 .. 2025-05-31"),
        ("mon", "2025-06-16"),
        ("2023", "2023-01-01 .. 2023-12-31"),
        ("this summer", "2025-06-01 .. 2025-08-31"),
        ("上周", "2025-06-09 .. 2025-06-15"),
    ],
)
def test_a_whole_argument_is_resolved_weak_words_included(argument: str, meaning: str) -> None:
    assert when.resolve_interval(argument, NOW) == interval(meaning)


@pytest.mark.parametrize(
    "argument", ["", " ", "soon", "last week and more", "my last week", "2025-13-01", "9999-12-31"]
)
def test_an_argument_that_is_no_time_as_a_whole_is_none(argument: str) -> None:
    assert when.resolve_interval(argument, NOW) is None


# No text breaks it.

WORDS = sorted(
    word.replace("~", "").rstrip(".")
    for word in {
        *load_time_lexicon().words,
        *(" ".join(p) for known in load_time_lexicon().phrases.values() for p, _ in known),
    }
)
NUMBERS = ["3", "31", "2024", "0", "999999", "999999999", "3rd", "1.5", "2024-02-30", "1/1/1", "12:30", "٣", "²"]
SIGNS = [" ", ", ", ". ", "-", " – ", "'", "/", ":", "\n", "_", "\u0301"]
SOUP = st.lists(st.sampled_from(WORDS) | st.sampled_from(NUMBERS) | st.sampled_from(SIGNS), max_size=12)
CLOCKS = st.datetimes().map(lambda moment: moment.isoformat())


def check(text: str, now: str, direction: when.Direction) -> None:
    found = when.find_time_phrases(text, now, direction=direction)
    place = 0
    for phrase in found:
        assert place <= phrase.start < phrase.end
        assert text[phrase.start : phrase.end] == phrase.phrase
        start, end = phrase.interval.start, phrase.interval.end
        assert start or end
        assert not (start and end) or start < end
        assert all(len(edge) in (0, 16) for edge in (start, end))
        place = phrase.end
    assert when.find_time_phrases(text, now, direction=direction) == found
    when.resolve_interval(text, now)


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=60) | st.text("0123456789 -/.:,年月日maydec", max_size=40), CLOCKS)
def test_no_text_whatever_breaks_it(text: str, now: str) -> None:
    check(text, now, "past")


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(SOUP, st.sampled_from([" ", ""]), CLOCKS, st.sampled_from(["past", "future"]))
def test_no_soup_of_its_own_words_breaks_it(
    parts: list[str], between: str, now: str, direction: when.Direction
) -> None:
    check(between.join(parts), now, direction)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Apia", "America/St_Johns", "Asia/Kathmandu"])
def test_the_time_zone_of_the_machine_does_not_matter(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    phrases = [phrase for phrase, _ in cases(ENGLISH)]
    before = [when.find_time_phrases(phrase, NOW) for phrase in phrases]
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert [when.find_time_phrases(phrase, NOW) for phrase in phrases] == before
    finally:
        monkeypatch.undo()
        time.tzset()


# What it costs.


def fresh(program: str) -> str:
    source = str(Path(when.__file__).parents[3])
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    return run.stdout.strip()


def test_a_text_without_a_time_never_builds_the_grammar() -> None:
    program = (
        "import sys; from commonplace.language import when;"
        "asked = when.find_time_phrases('how does the retain pipeline work', '2025-06-18');"
        "from commonplace.language.when.tokenizer import load_time_lexicon;"
        "print(asked, 'commonplace.language.when.rules' in sys.modules, load_time_lexicon.cache_info().currsize)"
    )
    assert fresh(program) == "() False 0"


def test_the_room_is_imported_without_its_grammar() -> None:
    program = (
        "import sys; from commonplace.language import when;"
        "print([n for n in sys.modules if n.startswith('commonplace.language.when.')])"
    )
    assert fresh(program) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "The user configured the retain pipeline to use 3 chunks last week. ",
        "May ",
        "Monday ",
        "3 ",
        "3 days ",
        "a.b@",
        "1.",
        "1,111",
        "early in the first week of ",
        "一",
        "上一个",
    ],
)
def test_the_work_grows_with_the_length_of_the_text(line: str) -> None:
    def cost(size: int) -> float:
        text = (line * size)[:size] + " 3"
        return min(measured(text) for _ in range(2))

    def measured(text: str) -> float:
        start = time.process_time()
        when.find_time_phrases(text, NOW)
        return time.process_time() - start

    when.find_time_phrases("last week", NOW)
    assert cost(20_000) < 12 * cost(5_000) + 0.05


# The grammar and the tables.


@pytest.mark.slow
def test_no_rule_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [phrase for phrase, _ in cases(ENGLISH) + cases(OTHER_LANGUAGES)]
    meant = {phrase: when.find_time_phrases(phrase, NOW) for phrase in table}
    idle = []
    for rule in RULES:
        monkeypatch.setattr(rules, "RULES", tuple(other for other in RULES if other is not rule))
        rules.time_pattern_tree.cache_clear()
        if all(when.find_time_phrases(phrase, NOW) == meaning for phrase, meaning in meant.items()):
            idle.append(rule.pattern)
    monkeypatch.undo()
    rules.time_pattern_tree.cache_clear()
    assert idle == []


def test_every_key_of_every_table_is_a_known_kind() -> None:
    known = {item.rstrip("?").rpartition(":")[2] for rule in RULES for item in rule.pattern.split()}
    known |= {
        "rel",
        "post",
        "between",
        "from",
        "to",
        "and",
        "onward",
        "at",
        "each",
        "none",
        "marks",
        "friend",
        "compound",
    }
    for table in load_time_words():
        assert {key.partition(" ")[0] for key in table} <= known
        counted = {"month": 12, "weekday": 7, "weekdays": 7, "season": 4}
        assert all(len(table[key]) == slots for key, slots in counted.items() if key in table)


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("We went last week.", True),
        ("Letztes Wochenende in Rom.", True),
        ("昨天去了", True),
        ("It was on 5/3.", True),
        ("Sold in 1998.", True),
        ("Today it rains.", False),
        ("Four of the 12 came back the following night.", False),
        ("Sold for 40 euros.", False),
    ],
)
def test_a_quick_look_says_whether_a_text_may_name_another_day(text: str, may: bool) -> None:
    assert when.may_name_other_day(text) is may


# Long texts.


def test_signs_that_begin_no_word_for_a_time_cost_little() -> None:
    text = "".join(chr(0x6C00 + 7 * number % 2_000) for number in range(2_000))
    assert when.find_time_phrases("12月3日", NOW)
    assert when.find_session_ranges("会话 3")  # the tables are read now
    assert calls(lambda: when.find_time_phrases(f"{text} 5", NOW)) < 25 * len(text)
    assert calls(lambda: when.find_session_ranges(f"{text} 会话 3")) < 17 * len(text)


def test_signs_written_in_two_pieces_are_the_same_words() -> None:
    for text in ("ゆうべの話", "こないだの旅行"):
        apart = unicodedata.normalize("NFD", text)
        assert apart != text
        assert (
            [one.interval for one in when.find_time_phrases(apart, NOW)]
            == [one.interval for one in when.find_time_phrases(text, NOW)]
            != []
        )


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("since January", "2025-01-01"),
        ("since September", "2024-09-01"),
        ("seit September", "2024-09-01"),
        ("since Friday", "2025-06-13"),
        ("from September on", "2025-09-01"),
    ],
)
def test_what_holds_since_a_time_looks_back_whatever_else_the_text_is_about(phrase: str, day: str) -> None:
    (found,) = when.find_time_phrases(phrase, NOW, direction="future")
    assert (found.relation, found.interval.start[:10]) == ("since", day)
