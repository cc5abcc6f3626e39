"""The time words of each language: one table a language, and no code.

A key is a kind of word, with a value where the kind needs one: `"offset -1": "yesterday"`, `"unit week": "week|weeks"`.
A key without a value counts its comma-separated slots from 1: months, weekdays (from Monday), seasons (from spring),
`num` and `ord`. `|` separates alternatives, a space makes a phrase of several words, accents and case do not matter.
`~` marks a word that needs a governing word or a number to mean a time (`sun`, `april`), `~~` one that is also a
common verb (`may`), `~~~` one that is a noun besides (`march`); a final dot marks an abbreviation that may carry one.

| kind | what it is |
|---|---|
| `month weekday season num ord` | counted slots; `weekdays` are plurals that only count (`two Fridays ago`) |
| `offset N`, `night N` | a day, or its night, N days from today |
| `hours N A-B` | one word for a part of the day N days from today (`今朝`) |
| `shift N` | last, this, next; `lap N` the same of whole weeks (`上周一` is Monday of last week) |
| `yearshift N` | one word for last year or this |
| `past` | the last week counted back from today |
| `gone K V` | one word for the last of a kind (`gone season 2`: `i somras`) |
| `lately A-B` | a phrase for between A and B days ago |
| `few A-B` | a number nobody counted: between A and B |
| `half N` | one word for half a year |
| `unit U` | minute hour day weekend week month quarter half year; `weekend` is the word itself |
| `units U` | a plural that means some of them where no number stands (`the last weeks`) |
| `back U-N` | one phrase for N units ago (one if N is missing) |
| `decade N` | a decade by the tens of its years; `decades N` one that needs its article (`the nineties`) |
| `decademark`, `decadeplural`, `decadeword` | what makes a decade of `90` (`90年代`; `the 90s`; `anni 90`) |
| `holiday D` | a day with a name, as `feasts` reads it; `weekword` makes a week of a number |
| `era Y` | a reign by the year before its first |
| `clock H:M`, `meridiem N`, `hourmark` | noon; am and pm; `15 Uhr` |
| `ago`, `agopre`, `ahead`, `aheadpre`, `sincepre` | words after or before `3 days` |
| `part P`, `daypart A-B` | early, mid, late, sofar, rest; the hours of a part of the day |
| `rel R`, `post R` | a governing word before or after its time |
| `between from to and` | what holds a range together; `onward` makes `from May` open |
| `compound X` | weekdays and parts of the day make one word, with X between them (`Montagabend`) |
| `at` | leads from a day to a time of day |
| `of the each` | glue; what follows `each` is a habit, not a time (after `each weekday` only if a weekday) |
| `yearword yearmark monthmark daymark` | words that make a year, month or day of a number |
| `none` | a phrase that only looks like a time |
| `marks`, `friend` | frequent words by which the language shows, and its words that mean a time elsewhere |
"""

from __future__ import annotations

from commonplace.language.when.languages.east_asian import CHINESE, JAPANESE
from commonplace.language.when.languages.english import ENGLISH
from commonplace.language.when.languages.germanic import DUTCH, GERMAN, SWEDISH
from commonplace.language.when.languages.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH
from commonplace.language.when.languages.russian import RUSSIAN

TIME_WORD_TABLES: tuple[dict[str, str], ...] = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    PORTUGUESE,
    ITALIAN,
    DUTCH,
    RUSSIAN,
    SWEDISH,
    CHINESE,
    JAPANESE,
)
