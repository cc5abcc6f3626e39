"""The time words of English."""

from __future__ import annotations

ENGLISH: dict[str, str] = {
    "month": (
        "january|~jan., february|~feb., ~~march|~mar., ~april|~apr., ~~may, ~june|~jun., july|~jul., "
        "~august|~aug., september|~sep.|~sept., october|~oct., november|~nov., december|~dec."
    ),
    "weekday": (
        "monday|~mon., tuesday|~tue.|~tues., wednesday|~wed.|~weds., thursday|~thu.|~thur.|~thurs., friday|~fri., "
        "saturday|~sat., sunday|~sun."
    ),
    "weekdays": "mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays",
    "season": "~spring, ~summer, ~autumn|~fall, ~winter",
    "num": (
        "one|a|an, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, "
        "sixteen, seventeen, eighteen, nineteen, twenty"
    ),
    "num 30": "thirty",
    "ord": "first, second, third, fourth, fifth",
    "ord -1": "final",
    "offset -2": "day before yesterday|the day before yesterday",
    "offset -1": "yesterday",
    "offset 0": "today",
    "offset 1": "tomorrow",
    "offset 2": "day after tomorrow|the day after tomorrow",
    "night -1": "last night|yesternight",
    "night 0": "tonight",
    "shift -2": "before last",
    "shift -1": "last|previous|preceding",
    "shift 0": "this|current",
    "shift 1": "next|coming|upcoming|following",
    "past": (
        "past|in the last|over the last|during the last|within the last|for the last|in the past|over the past|"
        "during the past|within the past|for the past|in last|within last|in the previous|trailing"
    ),
    "few 1-3": "couple|couple of|a couple|a couple of",
    "few 2-5": "few|a few|some",
    "few 3-7": "several",
    "unit minute": "minute|minutes|min|mins",
    "unit hour": "hour|hours|hr|hrs|h",
    "unit day": "day|days|d",
    "unit weekend": "weekend|weekends",
    "unit week": "week|weeks|wk|wks|w",
    "unit month": "month|months|mos",
    "unit quarter": "quarter|quarters",
    "unit half": "half",
    "unit year": "year|years|yr|yrs",
    "weekend": "weekend",
    "ago": "ago|back",
    "ahead": "from now|hence",
    "aheadpre": "in",
    "sincepre": "since",
    "part early": "early|early in|beginning of|start of|early on in|the beginning of|the start of",
    "part mid": "mid|middle of|the middle of",
    "part late": "late|late in|end of|the end of|later in",
    "daypart 5-12": "morning",
    "daypart 12-18": "afternoon",
    "daypart 18-24": "evening",
    "daypart 18-30": "night",
    "rel in": "in|during|over|within|throughout|at|sometime in|some time in|back in",
    "rel on": "on|dated",
    "rel from": "from",
    "rel since": "since|ever since|starting|starting from|beginning",
    "rel until": "until|till|til|up to|through",
    "rel by": "by",
    "rel before": "before|prior to|earlier than|older than",
    "rel after": "after|later than|newer than",
    "rel around": "around|circa|near|close to|sometime around|some time around|approximately|roughly",
    "between": "between",
    "from": "from",
    "to": "to|until|till|through|thru",
    "and": "and",
    "onward": "on|onward|onwards|forward",
    "of": "of|s",
    "the": "the",
    "each weekday": "a|an",
    "each": "every|each|any|per|every other|every single",
    "yearword": "year|years",
}
