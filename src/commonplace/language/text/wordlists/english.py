"""The gate's words of English."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "ack": (
        "ok, okay, k, kk, yes, yeah, yep, yup, no, nope, nah, sure, sure thing, right, alright, all right, fine, "
        "cool, nice, great, good, perfect, awesome, excellent, wonderful, amazing, brilliant, thanks, thank you, "
        "many thanks, thx, ty, cheers, got it, understood, i see, noted, will do, sounds good, makes sense, "
        "agreed, exactly, correct, indeed, of course, absolutely, no problem, no worries, you're welcome, "
        "my pleasure, hi, hello, hey, hiya, good morning, good afternoon, good evening, good night, bye, goodbye, "
        "see you, see ya, talk soon, talk to you later, how are you, how are you doing, how's it going, what's up, "
        "please, please do, go ahead, go on, continue, carry on, proceed, next, done, lgtm, ack, roger, copy that, "
        "on it, well done, good job, great job, nice work, good work, lol, haha, hahaha, hehe, hmm, hm, uh, um, "
        "oh, ah, wow, yay, oops, ping, pong, test, testing, never mind, nevermind, let me know, let me think, "
        "heartbeat, heartbeat ok, no reply, that works, works for me, that's fine, that's great, that's good, "
        "sounds great, looks good, looks great, i agree, i understand, welcome, sorry, my bad, congratulations, "
        "congrats"
    ),
    "filler": (
        "a, an, at, the, so, very, much, really, just, it, this, that, then, now, again, too, also, well, and, but, "
        "for, you, your, i, me, we, to, is, are, was, all, everything, help, answer, lot, lots, man, guys, mate, "
        "buddy, there, later, tomorrow, soon, today, one, as, in, of, on, time, day, pretty, super, with"
    ),
    "todo": (
        "todo, to do, need to, i have to, we have to, i must, gotta, i should, we should, let's, don't forget to, "
        "action item, fixme, follow up on, remember to"
    ),
    "explanation": (
        "because, since, so that, in order to, otherwise, or else, due to, therefore, thus, as a result, "
        "that is why, that's why, the reason, to avoid, to prevent"
    ),
    "transient": (
        "in progress, work in progress, wip, not yet, next step, next steps, waiting for, waiting on, let me, "
        "i'll check, i'll look, i will check, i will look, i'm checking, i'm looking, looking into, looking at, "
        "working on it, about to, still running, still working, one moment, one second, hold on, just a moment, "
        "just a second, be right back, brb, for now, at the moment, right now, almost done, nearly done, "
        "in a minute, in a second, trying again, try again, retrying, now running, running the, checking the, "
        "i am running, i'm running, step 1, step 2, step 3, underway, stay tuned, loading, currently running, "
        "currently checking, this morning i feel, i'm tired, i am tired, i'm hungry, i am hungry"
    ),
    "rule": (
        "always, never, every time, from now on, going forward, in future, rule, rules, policy, policies, "
        "convention, conventions, guideline*, requirement, requirements, mandatory, forbidden, prohibited, "
        "not allowed, under no circumstances, at all costs, hard requirement, by default, without exception, "
        "no exceptions"
    ),
    "modal": "must, should, required, do not, don't, ought to, has to, have to, need to, needs to, important",
    "preference": (
        "prefer*, favourite, favourites, favorite, favorites, i like, likes, liked, i love, loves, loved, enjoy, "
        "enjoys, hate, hates, hated, dislike*, can't stand, don't like, doesn't like, would rather, i'd rather, "
        "fond of, i want you to, please use, instead of, keen on, a fan of, we like, they like, we love, adore*"
    ),
    "decision": (
        "decide, decides, decided, decision, decisions, chose, chosen, agreed on, agreed to, settled on, "
        "settled for, we will use, we'll use, we are going with, we're going with, going with, we picked, "
        "opted for, opted to, signed off, committed to, ruled out, we switched to, resolved to, made up"
    ),
    "relation": (
        "mother, father, mum, mom, dad, parents, sister, sisters, brother, brothers, siblings, wife, husband, "
        "spouse, partner, girlfriend, boyfriend, fiancé, fiancée, fiance, fiancee, son, sons, daughter, daughters, "
        "child, children, kids, grandmother, grandfather, grandma, grandpa, aunt, uncle, cousin, nephew, niece, "
        "friend, friends, boss, manager, colleague, coworker, roommate, flatmate, neighbour, neighbor, landlord, "
        "mentor, teacher, doctor, dentist, lawyer, therapist, godmother, godfather, mother in law, father in law, "
        "stepfather, stepmother, ex, in laws, dog, cat, twin, twins"
    ),
    "life": (
        "born, birthday, anniversary, married, engaged, divorced, lives, live, living, moved, works, work at, "
        "working at, working for, work for, job, employed, hired, promoted, retired, studies, studied, graduated, "
        "degree, speaks, native, comes from, grew up, nationality, died, passed away, wedding, address, "
        "phone number, surname, my name, named, nickname, passport, hometown, adopted, raised"
    ),
    "health": (
        "allergic, allergy, allergies, intolerant, intolerance, diagnos*, medication, medicine, insulin, "
        "blood type, diabet*, asthma*, epilep*, pregnant, pregnancy, surgery, operation on, vaccin*, mg, prescri*, "
        "vegetarian, vegan, celiac, coeliac, penicillin, migraine*, chronic, disability, pacemaker, depression, "
        "cancer"
    ),
    "money": (
        "salary, salaries, wage, wages, rent, mortgage, budget, invoice, price, costs, cost, euro, euros, dollar, "
        "dollars, pounds, loan, debt, pension, tax, taxes, fee, fees, subscription, iban, account number"
    ),
    "lesson": (
        "root cause, fixed by, fixed it by, the fix, workaround, mitigation, resolved by, solved by, solution, "
        "lesson, lessons, learned that, learnt that, turned out, turns out, caused by, the cause, postmortem, "
        "doesn't work, does not work, didn't help, did not help, mistake, pitfall, gotcha, beware"
    ),
    "recurring": (
        "every day, every week, every month, every year, every monday, every tuesday, every wednesday, "
        "every thursday, every friday, every saturday, every sunday, every night, every morning, every evening, "
        "daily, weekly, monthly, yearly, annually, quarterly, nightly, hourly, mondays, tuesdays, wednesdays, "
        "thursdays, fridays, saturdays, sundays, weekdays, weekends, each day, each week, each month, each year"
    ),
    "progress": (
        "done, finished, completed, pushed, merged, wip, deployed it, committed the, all tests pass, tests pass, "
        "tests passed, build passed, build is green, created the file, updated the file, ran the, uploaded, "
        "fixed it, restarted, reran, rebased"
    ),
    "laughter": "lol, haha, hahaha, hehe, rofl, lmao, xd, yay, wow",
    "strict negation": (
        "not, no, never, none, nobody, nothing, neither, nor, without, no longer, don't, doesn't, didn't, isn't, "
        "aren't, wasn't, weren't, won't, can't, cannot, couldn't, shouldn't, wouldn't, hasn't, haven't, hadn't"
    ),
    "strict limit": "except, only, unless, former, formerly, used to, stopped, hardly",
    "pole person 1": "i, me, my, mine, myself, i'm",
    "pole person 2": "you, your, yours",
    "pole person he": "he, him, his",
    "pole person she": "she, her, hers",
    "pole person we": "we, us, our, ours",
    "pole person they": "they, them, their, theirs",
    "pole switch on": "on",
    "pole switch off": "off",
    "pole when before": "before, until, till",
    "pole when after": "after, since",
    "pole place in": "in, into, inside",
    "pole place out": "out, outside",
    "pole height up": "up, over, above",
    "pole height down": "down, under, below",
    "pole amount more": "more, most",
    "pole amount less": "less, fewer, least",
    "pole whole all": "all, every, each, both, always",
    "pole whole some": "some, few, any, sometimes, often, seldom, rarely",
    "pole way from": "from",
    "pole way to": "to",
    "order": (
        "to, from, over, than, rather, instead, before, after, by, of, for, with, under, versus, vs, until, then"
    ),
    "light": (
        "now, really, also, actually, currently, still, just, well, today, indeed, basically, please, remember, "
        "user, note, that, nowadays, definitely, certainly, anyway, again, very, quite, likely, usually, generally"
    ),
    "herald": (
        "funny story, great news, good news, some news, big news, exciting news, amazing news, bad news, a "
        "question, some questions, an idea, a favor, a favour, a surprise, something to tell, something to ask, a "
        "story, a request"
    ),
    "steer": (
        "ask me questions, i meant, respond, responding, response, responses, reply, replies, replying, "
        "your answer, your answers, "
        "the prompt, "
        "next message, the assistant, as an ai, your turn, rephrase, reword, regenerate, the conversation, your "
        "output"
    ),
    "reaction": (
        "good to know, great to know, nice to know, interesting to know, glad to hear, good to hear, great to hear, "
        "nice to hear, happy to hear, sorry to hear, glad to know, didn't know that, did not know that, had no "
        "idea, interesting that, great that, good that, amazing that, surprised that, impressed that, love how, "
        "love that, like how, like that, sounds like, looks like you"
    ),
    "praise": (
        "good idea, great idea, nice idea, good choice, great choice, good option, great option, good point, great "
        "point, good suggestion, great suggestion, good start, great start, good starting point, great starting "
        "point, good plan, great plan, good way, great way, good addition, great addition, good fit, great fit, "
        "interesting option, interesting options, good options, great options, work well, works well, "
        "best option, best choice, makes sense, sounds great, sounds good"
    ),
    "offered": (
        "idea, ideas, suggestion, suggestions, tip, tips, advice, recommendation, recommendations, concept, "
        "concepts, explanation, answer, answers, theme, themes, option, options, approach, title, titles, message, "
        "template, vibe, look"
    ),
    "hype": "awesome, amazing, incredible, fantastic, gorgeous, stunning, superb, brilliant",
    "truth": (
        "is the best, are the best, nothing beats, nothing like, is better than, are better than, is key, is so "
        "important, is important, are important, can make, can improve, can be, can help, makes a difference, is "
        "always worth, you can always, lesson learned"
    ),
    "supposed": (
        "i think, i also think, i really think, i do think, i still think, i believe, i guess, i feel, i feel like, "
        "i suppose, i'd say, in my opinion, i find"
    ),
}

POINTING: dict[str, str] = {
    "pointer": (
        "it, it's, it'll, it'd, they, they're, they've, they'd, they'll, them, he, he's, he'd, he'll, him, she, "
        "she's, she'd, she'll, this, these, those, ones, here, that's, theirs, hers"
    ),
    "pointer at times": "that, one, there, her, his, their, others",
    "pointer behind preposition": "then",
    "introducer": "a, an, my, our, your, every, each",
    "preposition": "to, of, in, with, about, like, at, for, from, on, after, before, into, by, than, around, without",
    "conjunction": (
        "and, but, or, so, because, when, if, as, while, since, whether, that, where, though, although, until"
    ),
    "empty": (
        "whenever, glad, just, really, actually, also, even, still, already, recently, lately, finally, always, "
        "usually, you're, you've, you'll, "
        "never, ever, often, sometimes, definitely, probably, maybe, kinda, pretty, quite, super, much, many, more, "
        "most, lot, lots, bit, bunch, couple, few, some, way, ways, thing, things, something, anything, everything, "
        "nothing, kind, sort, got, get, gets, getting, has, have, having, had, been, being, was, were, did, does, "
        "done, doing, gonna, wanna, like, well, yeah, yes, oh, wow, hey, thanks, sure, speaking, now, then, today, "
        "time, times, while, about, back, around, away, again, together, though, too, very, only, both, each, next, "
        "last, first, whole, i'm, i've, i'd, i'll, we've, we're, we'll, don't, didn't, can't, won't, great, good, "
        "amazing, awesome, nice, cool, fun, incredible, wonderful, starting, trying, try, tried, days, day, weeks, "
        "week, months, month, years, year, hours, hour, minutes, minute, two, three, four, five, six, seven, eight, "
        "nine, ten, ago, half"
    ),
    "with noun": "this, these, those",
    "subject": "it, they, he, she, they've, they'd, he'd, she'd, it'd",
    "alone": "and, but, or, up, out, off, too, yet, already, now, myself",
    "existing": "is, are, was, were, has, have, will, would",
    "idle": "it, it's, it'd, it'll",
    "being": "is, was",
    "impersonal": "rains, snows",
    "awaited": "to, how, when, since, if",
    "vague": "somewhere, something, someone, somebody, somehow",
}

QUESTIONS: dict[str, str] = {
    "when": "When is {entity}'s {attribute}? | What date is {entity}'s {attribute}?",
    "what": "What is {entity}'s {attribute}? | What {attribute} does {entity} have?",
    "which": "Which {attribute} does {entity} use? | Which {attribute} does {entity} have?",
    "attribute": "What is my {attribute}? | Which {attribute} is it?",
    "preference": "What does {entity} prefer? | What does {entity} like? | What is {entity}'s favourite?",
    "decision": "What was decided about {entity}? | What was agreed on {entity}?",
    "plan": "What is planned for {entity}? | What is coming up with {entity}?",
    "event": "What happened with {entity}? | When was {entity}?",
    "person": "Who is {entity}?",
    "lesson": "What went wrong with {entity}? | What did we learn about {entity}?",
    "procedure": "How to do {entity}?",
    "about": "What about {entity}?",
}
