"""English verbs for events of a life, and related words, as lists."""

from __future__ import annotations

from functools import cache

# Past forms that do not end in -ed, with their participles and bases.
_IRREGULAR = """
    be:was,were:been become:became:become begin:began:begun bite:bit:bitten blow:blew:blown break:broke:broken
    bring:brought:brought build:built:built burn:burnt:burnt buy:bought:bought catch:caught:caught
    choose:chose:chosen come:came:come cut:cut:cut do:did:done draw:drew:drawn drive:drove:driven eat:ate:eaten
    fall:fell:fallen feel:felt:felt find:found:found fly:flew:flown forget:forgot:forgotten get:got:got,gotten
    give:gave:given go:went:gone grow:grew:grown have:had:had hear:heard:heard hide:hid:hidden hit:hit:hit
    hold:held:held hurt:hurt:hurt keep:kept:kept know:knew:known lead:led:led learn:learnt:learnt leave:left:left
    lend:lent:lent lose:lost:lost make:made:made mean:meant:meant meet:met:met pay:paid:paid put:put:put
    quit:quit:quit read:read:read ride:rode:ridden ring:rang:rung run:ran:run say:said:said see:saw:seen
    sell:sold:sold send:sent:sent set:set:set shoot:shot:shot sing:sang:sung sit:sat:sat sleep:slept:slept
    speak:spoke:spoken spend:spent:spent stand:stood:stood steal:stole:stolen swim:swam:swum take:took:taken
    teach:taught:taught tear:tore:torn tell:told:told think:thought:thought throw:threw:thrown
    understand:understood:understood wake:woke:woken wear:wore:worn win:won:won write:wrote:written
"""

# A change in a life: said in the past it is an event, whatever its object, if it has one.
_CHANGE = """
    accept achieve acquire adopt apply attend audition bake become begin bike book break build buy camp celebrate
    climb coach commission compete complete compose crash create cycle defend deploy design develop discover
    donate earn embark emigrate enrol enroll enter establish exchange expand explore fall file finish fly found
    fracture fundraise give graduate hike hire host immigrate infect inherit injure install interview invest join
    knit launch learn lease lose make marry meet mentor move open order organise organize paint participate pass
    perform plant present propose publish purchase qualify quit raise reach receive record recover redo relocate
    remodel renew renovate rent repair replace rescue resign retire return ride run sail sell set sew shoot sign
    snowboard ski speak split sprain start submit surf survive swap swim switch teach tear train transfer travel
    turn undergo upgrade visit volunteer win write crochet bury deliver register subscribe unsubscribe cancel
    finalize premiere tour trek kayak surprise baptize christen photograph assemble refurbish restore donate
    pledge sponsor welcome bike
"""

# Verbs that tell an event only with a time, a name, a figure or a title beside them.
_PLAIN = """
    add ask bring buy call catch check clean collect come cook cut decide dance decorate do download draw drink
    drive eat encounter experience fix gift go grab grow help hold invite keep listen leave land lend list live
    move name pay pick play post prepare put read redeem reorganize rearrange return see send set serve
    share shop sing spend stay stream stop study take test try use wake walk watch wear work serve clear borrow
    treat score beat defeat change rename find
"""

# Objects that make a light verb an event.
_HAVE = """
    baby surgery operation accident interview appointment checkup check-up miscarriage wedding party birthday
    meeting barbecue bbq picnic dinner lunch reunion playdate sleepover concert exam test vacation holiday date
    stroke heart attack seizure injury breakup fight argument scare scan x-ray mri biopsy sale exhibition recital
    session
"""
_TAKE = """
    class course trip job test exam lessons lesson workshop vacation holiday position role flight train tour pottery
    road leave sabbatical placement internship photo picture kids children family wife husband son daughter mom dad
    dog cat friend
"""

# What is so of somebody now: verb: attribute.
_STATE = {
    "live": "lives_in", "reside": "lives_in", "work": "employer", "study": "studies", "major": "studies", "speak": (
        "speaks"),
    "own": "owns", "play": "plays", "teach": "teaches", "run": "runs", "manage": "manages", "lead": "leads",
    "coach": "coaches", "volunteer": "volunteers", "drive": "drives", "collect": "collects", "attend": "attends",
    "belong": "member_of", "suffer": "health", "weigh": "weight", "commute": "commutes", "train": "trains",
    "specialise": "occupation", "specialize": "occupation", "freelance": "occupation", "breed": "breeds", "grow": (
        "grows"),
    "subscribe": "subscribes", "practise": "practises", "practice": "practises", "sing": "sings", "keep": "keeps",
    "rent": "rents", "co-own": "owns", "foster": "fosters", "tutor": "teaches", "mentor": "mentors", "supervise": (
        "manages"),
    "wear": "wears", "hold": "holds", "share": "shares", "sponsor": "sponsors", "host": "hosts", "earn": "earns", (
        "use"): (
        "uses"),
    "report": "reports_to", "head": "leads", "chair": "leads", "represent": "represents", "maintain": "maintains",
    "handle": "handles", "babysit": "occupation",
}  # fmt: skip

# What somebody is busy with or about to do.
_PLAN = """
    plan plan train prepare save move fly travel start begin join apply leave come visit get launch open host
    organise organize take teach marry expect retire switch attend meet renovate adopt go head drive throw
    celebrate return run release publish relocate present compete perform quit
"""
_ONGOING = """
    learn study take work write build read train volunteer teach attend practise practice develop research renovate
    design recover live rent save coach mentor lead run compose paint knit restore date see play
"""
_PROMISE = """
    send email mail deliver finish submit call bring pay return review prepare write fix ship file update book
    order renew pick drop hand forward share publish merge upload post present draft reply print buy cook bake
    cover organise organize schedule sign migrate deploy release refund reimburse transfer be have get do take let
    make give move meet visit see start go join come
"""
_SETTLED = """
    plan train move prepare save switch relocate marry launch open organize organise adopt host expect
"""
_PASSIVE = """
    accepted admitted appointed asked awarded baptized born certified chosen diagnosed divorced elected engaged
    expelled fired given hired honored honoured hospitalized injured interviewed invited laid married mugged
    nominated offered promoted published raised recognised recognized robbed selected sued transferred vaccinated
    featured dumped demoted rejected shortlisted evicted adopted named pregnant operated infected involved hit
    stung bitten suspended commissioned reunited inducted crowned
"""

_NEEDS_E = ("c", "g", "i", "s", "u", "v", "z")  # no English verb ends so: `closed` is of close
_PLAIN_ENDS_WORDS = """
    need feed breed speed bleed seed embed wed shed exceed succeed proceed bring sing ring swing cling sting fling
    wing king thing string this is was has his its bus gas plus yes us focus miss pass guess discuss dress press
    less
"""
_PLAIN_ENDS = frozenset(_PLAIN_ENDS_WORDS.split())  # words that end like an inflected form and are none
_LISTS = {
    "change": _CHANGE, "plain": _PLAIN, "have": _HAVE, "take": _TAKE, "plan": _PLAN, "settled": _SETTLED,
    "ongoing": _ONGOING, "promise": _PROMISE, "passive": _PASSIVE,
}  # fmt: skip

# How the object of a verb of state must begin, by the name of a cue.
MUST_BEGIN = {"live": "place", "reside": "place", "work": "post"} | dict.fromkeys(
    ("keep", "hold", "share", "run", "handle", "use", "wear", "grow", "lead", "practice", "host"), "definite"
)
PAST_NAMES = {"study": "studied", "work": "worked_at", "live": "lived_in"}
ONGOING_NAMES = {
    "learn": "learning", "work": "working_on", "take": "taking", "write": "writing", "build": "building",
    "read": "reading", "date": "partner",
}  # fmt: skip
_ADVERBS_WORDS = """
    just recently finally also really actually always usually still already only even currently officially once
    often sometimes both now totally absolutely definitely honestly truly especially generally typically mostly
    mainly normally personally probably lately eventually initially originally first then much soon again together
    successfully accidentally almost nearly never not ever kinda sorta literally basically completely happily
    randomly proudly apparently simply quite super fully freshly newly rarely hardly regularly occasionally all
    unexpectedly suddenly temporarily
"""
ADVERBS = frozenset(_ADVERBS_WORDS.split())
_AUXILIARIES_WORDS = """
    am is are was were be been being have has had do does did will would can could should might may must shall 'm
    's 're 've 'd 'll isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't can't
    couldn't shouldn't cannot gonna ain't
"""
AUXILIARIES = frozenset(_AUXILIARIES_WORDS.split())
_VAGUE_WORDS = """
    it that this them these those you your him her one ones thing things stuff something anything everything
    nothing lot lots bit time times way ways fun chance idea ideas look part sense point sure feeling feelings
    much many more most some any none while moment day today what how why where when who which if so too well good
    great better best nice cool amazing awesome really very there here all kind sort other others another people
    person up out off down over back on in to at of for with from by and or but as about into through after before
    since because again around away along than then just also like such a an the my our his their its i we he she
    they me us myself ourselves mine yours be is are was were been have has had do did able fine okay ok right
    mistake progress difference mind care break little new old big same lately recently now ago already yet still
    ever always both few quite pretty not no never hard though although month months week weeks year years past
    last next start started love interest interested touch minute moments second bunch couple whole point points
    question questions decision effort efforts sure experience memories joy happy excited thought thoughts life
    world
"""
VAGUE = frozenset(_VAGUE_WORDS.split())


@cache
def irregular_verb_forms() -> tuple[dict[str, str], dict[str, str]]:
    """Past forms and participles, each to its base."""
    past: dict[str, str] = {}
    participles: dict[str, str] = {}
    for entry in _IRREGULAR.split():
        base, pasts, parts = entry.split(":")
        past |= dict.fromkeys(pasts.split(","), base)
        participles |= dict.fromkeys(parts.split(","), base)
    return past, participles


@cache
def verb_list(name: str) -> frozenset[str]:
    """One of the lists: change, plain, have, take, plan, settled, ongoing, promise, passive."""
    return frozenset(_LISTS[name].split())


def state_attribute(base: str) -> str:
    """The attribute that a verb of state expresses; empty for other verbs."""
    return _STATE.get(base, "")


def base_form(form: str) -> tuple[str, str]:
    """The base of a verb form, and which form it is: base, s, past or ing. A guess where the spelling leaves it "
    "open."""
    past, participles = irregular_verb_forms()
    if form in past:
        return past[form], "past"
    if form in participles:
        return participles[form], "participle"
    if form in _PLAIN_ENDS:
        return form, "base"
    if form.endswith("ied") and len(form) > 4:
        return form[:-3] + "y", "past"
    if form.endswith("ed") and len(form) > 3:
        return _restore_base(form[:-2]), "past"
    if form.endswith("ing") and len(form) > 4:
        return _restore_base(form[:-3]), "ing"
    if form.endswith("ies"):
        return form[:-3] + "y", "s"
    if form.endswith(("ches", "shes", "sses", "xes", "oes")):
        return form[:-2], "s"
    if form.endswith("s") and not form.endswith("ss"):
        return form[:-1], "s"
    return form, "base"


def _restore_base(stem: str) -> str:
    """The base behind -ed and -ing: `planned` plan, `baked` bake, `joined` join."""
    known = _listed_bases()
    for base in (stem, stem + "e", stem[:-1]):
        if base in known and (base != stem[:-1] or stem[-2:-1] == stem[-1:]):
            return base
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "slzf":
        return stem[:-1]
    return stem + "e" if stem.endswith(_NEEDS_E) and not stem.endswith("ss") else stem


@cache
def _listed_bases() -> frozenset[str]:
    lists = ("change", "plain", "plan", "ongoing", "promise")
    return frozenset().union(*(verb_list(name) for name in lists), _STATE, irregular_verb_forms()[0].values())
