"""The small vocabulary of attributes: canonical names, and which of them hold one value at a time."""

from __future__ import annotations

import re
from functools import cache

from commonplace.language.text import fold_name

# canonical: how people write it, folded; every language's words lie here together.
_WORDS_BY_ATTRIBUTE = """
    birthday: birthday, birth date, date of birth, born, bday, geburtstag, geburtsdatum, anniversaire
    birthday: date de naissance, cumpleanos, fecha de nacimiento, 生日, 誕生日
    age: age, alter, edad, 年龄, 年齢
    phone: phone, phone number, number, mobile, mobile number, cell, cell number, telephone, tel, telefon
    phone: telefonnummer, handynummer, telephone, numero de telephone, telefono, 电话, 手机号, 電話, 電話番号
    email: email, e-mail, mail, email address, e-mail-adresse, courriel, correo, correo electronico, 邮箱, 邮件
    email: メール, メールアドレス
    address: address, home address, adresse, anschrift, direccion, 地址, 住所
    lives_in: lives in, lives at, lives_in, lives, home, wohnt in, wohnort, habite, habite a, vit a, vive en
    lives_in: city, location, residence, 住在, 住
    employer: employer, works at, works for, company, arbeitgeber, employeur, trabaja en, 公司, 会社, 勤務先
    occupation: occupation, job, works as, profession, role, title, job title, beruf, metier, profesion, 职业, 職業
    occupation: 仕事
    port: port, ports, puerto, 端口, ポート
    host: host, hostname, server, serveur, servidor, 主机, ホスト
    ip: ip, ip address, ip-adresse, adresse ip, direccion ip
    url: url, link, website, site, webseite, site web, sitio web, homepage, repo, repository, 网址
    path: path, directory, folder, location path, pfad, chemin, ruta, 路径, パス
    version: version, versión, release, 版本, バージョン
    status: status, state, phase, stand, statut, estado, 状态, 状態
    deadline: deadline, due, due date, due on, frist, abgabe, echeance, date limite, fecha limite, plazo
    deadline: 截止日期, 締め切り, 締切
    owner: owner, owned by, lead, maintainer, verantwortlich, responsable, 负责人, 担当
    time: time, when, date, start, starts, uhrzeit, heure, hora, 时间, 時間
    name: name, called, is called, is named, named, heisst, heißt, s'appelle, nom, nombre, se llama, 名字
    name: 名前
    price: price, cost, costs, rent, salary, fee, preis, miete, prix, loyer, precio, alquiler, 价格, 値段
    region: region, zone, availability zone, 区域
    branch: branch, default branch
    database: database, db, datenbank, base de donnees, base de datos, 数据库, データベース
    timezone: timezone, time zone, zeitzone, fuseau horaire, zona horaria
    language: language, sprache, langue, idioma, 语言
    partner: partner, wife, husband, spouse, girlfriend, boyfriend, fiance, fiancee, frau, mann, femme, mari
    partner: esposa, esposo, 妻子, 丈夫, 老婆, 老公
    height: height, grosse, taille, altura
    weight: weight, weighs, gewicht, poids, peso
"""
_SINGLE_WORDS = """
    marital_status from diet limit rate_limit timeout quota budget size capacity expiry expires username user
    password plan commute schedule interval frequency os operating_system model plate code wifi ssid domain
    endpoint provider cloud_provider framework generator editor decision runs_on capital boss manager landlord
    dentist doctor doctor_s reports_to surname nickname nationality religion blood_type shoe_size weight height
    floor room opening_hours opens closes moved_to default license licence licence_plate defaults_to result_of
    primary main current salary rent
"""
_MORE_SINGLE_VALUED = frozenset(_SINGLE_WORDS.split())
_MULTI_VALUED_WORDS = """
    likes dislikes owns knows has pet speaks plays friend sister brother son daughter child cousin aunt uncle
    nephew niece colleague coworker family allergy habit event favorite collects visited supports uses hobby
    hobbies skills tags note notes aliases participants attendees members decision result fixed_by instruction
    thinks teaches volunteers
"""
_MULTI_VALUED = frozenset(_MULTI_VALUED_WORDS.split())
_ATTRIBUTES_NAMING_THINGS = (
    "database",
    "host",
    "owner",
    "partner",
    "url",
    "employer",
    "name",
    "time",
    "language",
    "path",
    "region",
    ("branch"),
)
_LEADING_WORDS = (
    r"(?:in|at|on|to|under|allergic to|from|as|for|bei|zu|auf|à|chez|en|a|an|the|der|die|das|le|la|el|un|une|ein|eine|"
    r"called|is|are|was) "
)
_VALUE_PATTERNS = {
    "port": r"\b\d{2,5}\b", "ip": r"\d{1,3}(?:\.\d{1,3}){3}", "url": r"(?:https?://)?[\w.-]+\.\w+[\w./:-]*", "email": (
        r"\S+@\S+"),
}  # fmt: skip
_SINGLE_VALUED_SUFFIX = re.compile(
    r"(?:^|_)(?:port|host|hostname|ip|url|version|date|email|phone|address|status|count|limit|size|number|deadline|"
    r"owner|path|timeout|region|birthday|price|budget|interval|name|code|branch|id|timezone|password|rate|level|quota|"
    r"favou?rite_\w+)$"
)


def is_single_valued(attribute: str) -> bool:
    """Whether a thing has one value of this attribute at a time, so that a new one replaces the old.

    In doubt it has many: a false yes would retire something true.
    """
    name = canonical_attribute(attribute)
    if name.startswith("favorite_"):
        return True
    if name in _MULTI_VALUED:
        return False
    return name in _single_valued_names() or name in _MORE_SINGLE_VALUED or bool(_SINGLE_VALUED_SUFFIX.search(name))


def canonical_attribute(attribute: str) -> str:
    """The one name of an attribute however it is written: `Date of birth` is `birthday`; others folded, `_` for "
    "blanks."""
    folded = fold_name(attribute).strip(" :.").replace("favourite", "favorite")
    found = _attributes_by_word().get(folded) or _attributes_by_word().get(
        folded.removeprefix("is ").removeprefix("the ")
    )
    return found or folded.replace(" ", "_")


def attribute_at_end(subject: str) -> str:
    """The attribute that the last word of a subject names: `port` in `staging DB port`; empty if it names a thing."""
    before, _, head = subject.rpartition(" ")
    name = _attributes_by_word().get(fold_name(head), "")
    return name if before and name not in _ATTRIBUTES_NAMING_THINGS else ""


def bare_value(value: str, attribute: str) -> str:
    """A value without the words that lead to it: `in Bern` is `Bern`, `to port 6432` of a port `6432`."""
    if attribute in _VALUE_PATTERNS and (token := re.search(_VALUE_PATTERNS[attribute], value)):
        return token[0]
    bare = re.sub(rf"^(?:{_LEADING_WORDS})+", "", value, flags=re.IGNORECASE)
    return re.sub(rf"^{re.escape(attribute)}:? ", "", bare, flags=re.IGNORECASE) or value


def infer_attribute(noun: str, subject: str, verb: str, value: str) -> str:
    """The attribute that a sentence about a thing gives: the noun it names, else what verb and value show."""
    if noun:
        return canonical_attribute(noun)
    if head := attribute_at_end(subject):
        return head
    low = value.lower()
    for attribute, pattern in _ATTRIBUTES_BY_VALUE:
        if re.search(pattern, low):
            return attribute
    return canonical_attribute(verb) if verb and verb not in ("is", "are", "has", "have", "'s") else "is"


_ATTRIBUTES_BY_VALUE = (
    ("time", r"\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|(?:^|\s)\d{1,2}:\d\d\b"),
    ("port", r"\bport:? \d+|^(?:on |at |to )?\d{4,5}$|[a-z\d]:\d{2,5}\b"),
    ("ip", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    ("url", r"https?://"),
    ("host", r"\b[\w-]+\.(?:internal|local|lan|net|com|org|io|dev)\b"),
    ("path", r"(?:^|\s)/[\w.-]+/"),
    ("version", r"^(?:(?:pinned )?(?:to|at|on) )?(?:version )?v?\d+\.\d+"),
)


@cache
def _attributes_by_word() -> dict[str, str]:
    table = {}
    for line in _WORDS_BY_ATTRIBUTE.strip().split("\n"):
        name, _, words = line.strip().partition(": ")
        table[name] = name
        table |= {fold_name(word): name for word in words.split(", ")}
    return table


@cache
def _single_valued_names() -> frozenset[str]:
    return frozenset(_attributes_by_word().values()) - {"host", "database", "language", "owner", "partner", "role"} | {
        "port",
        "host",
        "owner",
        "partner",
    }
