"""Redaction: what must go, what must stay, and that it is the same again the second time.

Samples are put together at run time from a prefix and seeded random characters, so that no key-like string stands here.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.redact import (
    KnownSecret,
    SecretFinding,
    find_secrets,
    group_masked_values,
    known_secrets,
    patterns,
    read_variables,
    redact,
    redact_fields,
    secret_kinds,
)
from commonplace.redact.exact_secrets import is_strong_value
from commonplace.redact.normalization import translate_password_words
from commonplace.redact.patterns import read_table
from commonplace.storage import config
from tests.support.secret_samples import FORMATS, GENERIC, KEY, make_sample

REGISTERED = ("correct-horse-battery", "short", "合言葉は山と川です")
REGISTERED_SECRETS = tuple(map(KnownSecret, REGISTERED))


def forms() -> Iterator[tuple[str, str]]:
    for line in f"{FORMATS}\n{GENERIC}".split("\n"):
        kind, _, form = line.partition(" ")
        yield kind, form


def rows(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def clean(text: str, **options: Any) -> str:
    return redact(text, key=KEY, **options).text


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "form"), list(forms()), ids=[kind for kind, _ in forms()])
def test_every_kind_finds_what_its_own_format_makes(kind: str, form: str) -> None:
    for seed in range(3):
        text, secret = make_sample(form, seed)
        for around in (text, f"We talked about it: {text} and went home."):
            done = redact(around, key=KEY, exact=REGISTERED_SECRETS)
            assert secret not in done.text, around
            assert {found.kind for found in done.findings} == {kind}, around
            assert done.text.count(f"⟦secret:{kind}:") == 1


def test_every_kind_that_has_a_rule_has_a_format_here_and_a_line_in_the_reference() -> None:
    with_format = {kind for kind, _ in forms()}
    by_name = {kind for kind in secret_kinds() if kind not in with_format}
    assert len(with_format) > 250
    assert all(kind.endswith("-key") for kind in by_name)
    page = (Path(__file__).parents[1] / "docs" / "reference" / "redaction.md").read_text(encoding="utf-8")
    listed = page.partition("## Kinds")[2]
    formats, _, services = listed.partition("### Services known by name")
    assert set(re.findall(r"`([a-z0-9-]+)`", formats)) == with_format
    services_named = {f"{name}-key" for name in re.findall(r"`([a-z0-9-]+)`", services)}
    assert services_named | with_format == secret_kinds()


@pytest.mark.parametrize(
    "text",
    [
        "{asana} = '{value}'",
        "ASANA_TOKEN={value}",
        'asanaSecret: "{value}"',
        '{{"asana_api_key": "{value}"}}',
        "https://host/path?asana={value}&page=1",
        "tool --asana-token {value}",
        '<key type="asana">{value}</key>',
    ],
)
def test_a_service_named_beside_a_random_value_names_the_kind(text: str) -> None:
    value, _ = make_sample("<l32>", 5)
    done = redact(text.format(value=value, asana="asana"), key=KEY)
    assert value not in done.text
    assert [found.kind for found in done.findings] == ["asana-key"]


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {value}",
        "authorization: token {value}",
        "Authorization: Basic {value}==",
        "export API_KEY={value}",
        "apiKey := `{value}`",
        "auth_token => '{value}'",
        "client_secret ?= {value}",
        'if creds.Secret != "{value}" {{',
        '<add key="ApiToken" value="{value}" />',
        "the password is {value}.",
        "mysql -p {value} main",
        "machine example.org login me password {value}",
        "Server=db;User ID=me;Password={value};Trusted=no",
    ],
)
def test_an_assignment_gives_its_value_away(text: str) -> None:
    for seed in range(5):
        value, _ = make_sample("<A9>7x<A9>", seed)
        assert value not in clean(text.format(value=value))


IN_OTHER_WORDS = (
    "passwort: Geheim2024!",
    "WLAN-Passwort: Sonne2024!",
    "Datenbankpasswort: Sonne2024!",
    "**Passwort:** Sonne2024!",
    "**Password:** Sonne2024!",
    "Passwort: „Sonne2024!“",
    "Mein Passwort ist Geheim2024xK9!",
    "Kennwort lautet: Sonne2024xK9",
    "pw: Sonne2024!",
    "DB_PW=Sonne2024!",
    "password：Sonne2024!",
    "mot de passe: Soleil2024!",
    "Mot de passe\xa0: « Soleil2024! »",
    "le mot de passe est Soleil2024xK9!",
    "mdp : Soleil2024!",
    "contraseña: Verano2024!",
    "CONTRASEÑA=Verano2024!",
    "contrasena: Verano2024!",
    "La contraseña es Verano2024xK9!",
    "senha: Verao2024!",
    "palavra-passe: Verao2024!",
    "parola d’ordine: Estate2024!",
    "wachtwoord: Zomer2024!",
    "lösenord: Sommar2024!",
    "пароль: Leto2024!",
    "Пароль: Лето2024!x",
    "密码: abc12345XY",
    "密碼：abc12345XY，請保密",
    "密码是abc12345XYz，请保密",
    "パスワード：「abc12345XY」",
    "パスワードはabc12345XYzです",
    "비밀번호: Sonne2024!",
    "hasło: Lato2024!x",
    "şifre: Yaz2024!xy",
    "salasana: Kesa2024!",
    "passord: Sommer2024!",
    "mật khẩu: Mua2024!xy",
    "συνθηματικό: Kalo2024!",
    "סיסמה: Kaitz2024!",
    "كلمة المرور: Sayf2024!",
    "पासवर्ड: Garmi2024!",
    "รหัสผ่าน: Ron2024!xy",
    "Ｐａｓｓｗｏｒｄ：Sonne2024!",
    '{"passwort": "Sonne2024!"}',
    '{"пароль": "Leto2024!x"}',
)
ABOUT_PASSWORDS = (
    "mein Passwort ist zu lang",
    "Passwort: vergessen?",
    "Passwort: „vergessen“",
    "Passwort: Änderung nötig",
    "Passwort: mindestens 8 Zeichen",
    "Das Passwort ist seit 2024-01-01 abgelaufen",
    "Mein Passwort ist 12 Zeichen lang",
    "Passwort: siehe 1Password",
    "das PW ist bis 2025-12-01 gültig",
    "mot de passe : oublié ?",
    "Le mot de passe est trop long",
    "le mot de passe est valable jusqu'au 12/03/2025",
    "contraseña: olvidada",
    "La contraseña es de 12 caracteres",
    "A senha é muito longa",
    "wachtwoord: vergeten",
    "lösenord: glömt",
    "пароль: забыл его опять",
    "пароль должен быть не короче 12 символов",
    "密码：请联系管理员获取新的密码谢谢大家",
    "密码是8到16位字符",
    "パスワードは12文字以上で大文字と小文字を含めてください",
    "upw: something12",
    "MDP: Markov2Decision",
    "pw: 12.5kW/h",
    "pw: 250Wh/kg",
    "hasło: zapomniane",
    "비밀번호: 8자 이상",
    "shipwreck: 18th-century2",
)


@pytest.mark.parametrize("text", IN_OTHER_WORDS)
def test_a_word_for_a_password_gives_its_value_away_in_other_languages(text: str) -> None:
    done = redact(text, key=KEY)
    assert [found.kind for found in done.findings] == ["password"]
    assert "2024" not in done.text
    assert "12345" not in done.text


@pytest.mark.parametrize("text", ABOUT_PASSWORDS)
def test_what_is_said_about_a_password_in_other_languages_stays(text: str) -> None:
    assert clean(text) == text


FAR = (
    "password — {}",
    "password - {}",
    "Password -> {}",
    "password | {}",
    "Password: ||{}||",
    "Password for bob: {}",
    "the password for the router is {}",
    "Passwort für das WLAN: {}",
    "password (new): {}",
    "root password of lathe = {}",
    "changed the password from {} to nothing",
    "they changed the password from what it was to {}",
    "| password | {} |",
    "api key {}",
    "API-Schlüssel: {}",
    "| user | password | since |\n|---|:--:|---|\n| ana | 1234 | May |\n| bob | `{}` | June |",
    "user,password\nana,1234\nbob,{}\n",
    'user;"API key"\r\nbob;"{}"\r\n',
    "Name\tPasswort\nbob\t{}",
    "| 密码 |\n|---|\n| {} |",
    "암호는 {}입니다",
    "| 비밀번호 |\n|---|\n| {} |",
    "passord til ruteren: {}",
    "> | site | Password: |\n> |---|---|\n> | x | {} |",
    "| site | Zugangspasswort |\n|---|---|\n| x | {} |",
    "| site | Secret key |\n|---|---|\n| a \\| b | {} |",
    'site,password,notes\nx,1234,"a, b"\n"y, z",{},c',
    "site,Access key\nx,{}",
    "site;private_key\nx;{}",
    "암호은 {}입니다",
    "Password→{}",
    "Password⇒{}",
    "пароль от роутера: {}",
    "heslo k wifi je {}",
    "heslo na wifi: {}",
    "hasło dla gości: {}",
    "site,Password (new)\nx,{}",
    "user|password\nbob|{}",
    "so:\n\n| user | password |\n| bob | {} |\n",
    "redis-cli -h cache -a {} ping",
    "redis-cli --pass '{}'",
    "--pass {}",
)


@pytest.mark.parametrize("text", FAR)
def test_a_value_goes_though_more_than_a_sign_stands_between(text: str) -> None:
    assert "hunter2" not in clean(text.format("hunter2hunter2"))


@pytest.mark.parametrize(
    "text",
    [
        "| field | value |\n| user | password |\n| bob | hunter2hunter2 |\n",  # no head of a table
        "| field | value |\n|---|---|\n| password | text |\n| hunter2hunter2 | text |\n",
        "cache-cli -h redis -a hunter2hunter2",
        "redis-cli -a $PASSWORD1 ping",
        "redis-cli -a longpassword ping",
        "redis-cli -h cache-a hostname12",
        "redis-cli ping; ls -a folder12",
        "user,password\n\nbob,hunter2hunter2\n",  # another table, or none
        "user,password\nbob,2024,hunter2hunter2\n",
        "| user | passwords kept |\n|---|---|\n| bob | hunter2hunter2 |\n",
        "| file | password |\n|---|---|\n| hunter2hunter2 | none |\n",
        "The password for the archive: see the vault, shelf 12.",
        "the password for the router is at most 12 characters",
        "a token for step 2: run it again in 10.5min",
        "password - at least 8 characters",
        "Token from 2024-11-20T10:00:00Z expired",
        "auth from src/auth2/login.ts moved to lib/",
        "| token | means |\n|---|---|\n| --color-bg-100 | background |\n| $space-4xl | 64px |",
        "| Password | at least 8 characters |",
    ],
)
def test_what_stands_near_a_name_and_is_no_value_stays(text: str) -> None:
    assert clean(text) == text


SAID = (
    "password = AES-hunter-Blue77",
    "password: oauth2-Fluffy-88",
    "password: phi-4827-marble",
    "password: chapter-77",
    "pw: rot-Haus77",
    "pass: Xyz12345",
    "password: Secret123",
    "Passwort: MeinPasswort2024!",
    "pass: Sommer2024",
    "user: bob, pass: hunter22",
    "the password is Ab3xYz9!",
    "redis-cli -a Xyz98765 ping",
    "redis-cli -a Secret123",
    "login: bob\npass: sommer#24",
    "- login: bob\n- pass: sommer#24",
    "name,pass\nbob,Xyz12345",
    "PASS=Sommer2024",
    "password is now Xyz12345",
    "the password was changed to Xyz12345",
    "the password has been reset to Sommer2024",
    "the password was Sommer2024 until May",
    "the password for the guests is Sommer2024",
    "they changed the wifi password to Sommer2024",
    "das Passwort lautet jetzt Sommer2024",
    "le mot de passe est maintenant Soleil2024",
    "la contraseña es ahora Verano2024",
    "the password is hunter22.",
    "password Xyz12345",
    "пароль: Xyz12345",
    "Password\nXyz12345\nAbc98765\n",
    "password\nSommer2024",
    "password\nxk4jq9vbt2mzr7cd",
    'password: "two words 9"',
    "password = 'correct h0rse battery'",
)
SAID_OTHERWISE = (
    "redis-cli -a `<private>`0",
    "redis-cli -a $REDIS_PASS1",
    "pass: Section12",
    "Pass: Module12",
    "pass: TestLogin12",
    "PASS=test12_ok",
    "password: password1",
    "password: secret_ref_12",
    "| Test | Pass |\n|---|---|\n| login | Module12 |",
    "the password is BitLocker/TPM2",
    "the password is Utf16Encoded",
    'password: "reset on 2024-11-20 again"',
    "pass: byte-identical",
    "PASS: Xyz12345",
    "PASS=12/13-tests",
    "| Test | Pass |\n|---|---|\n| login | case12ab |",
    "the password is Argon2id-hashed",
    "the password is AES256-encrypted",
    "password is now 2FA-protected",
    "password is OAuth2.0",
    "the password was changed to 12-character",
    "I sent the password to Michael2",
    "we moved the password from Bitwarden2024",
    "password Manager24",
    'password: "at least 8 characters"',
    'password: "min 8 chars"',
    '"password": "mindestens 8 Zeichen"',
    '"password": "Room 12b"',
    '"password": "forgot your password 1"',
    'password: "of words alone"',
    'password: "rotated 2x this spring"',
    'password: "not 90d old"',
    'password: "expires in 2025"',
    "username\npassword\nAddress12",
    "Password\n\nXyz12345",
    "password\naddress1\n",
    "Password\nThe old one was Xyz12345\nAbc98765",
    "mdp: chapter12",
    "password: Chapter12!",
    "| Password | min12chars |",
    "Passwort: 8Zeichen",
    "jwt -> RS256/ES256-only",
    "token | gpt-4o-mini-2024-07-18",
    "password | VARCHAR2(64)",
    "PW | VW-Golf8",
    "ski pass: Zermatt2025",
    "the boarding pass: Lisboa2231",
    "password = getpass1()",
    "password: decrypt_v2('…')",
)


@pytest.mark.parametrize("text", ["token: claude-x7k2m9q-4f8z1", "secret: bcrypt-9KdLq-28fjQ-x8"])
def test_what_only_begins_like_a_model_or_an_algorithm_is_a_secret(text: str) -> None:
    assert len(redact(text, key=KEY).findings) == 1


@pytest.mark.parametrize("text", SAID)
def test_a_short_password_goes_where_it_is_said_that_it_is_one(text: str) -> None:
    done = redact(text, key=KEY)
    assert {found.kind for found in done.findings} == {"password"}
    assert not re.search(r"\d{2}|h0rse|words", re.sub("⟦.*?⟧", "", done.text))


@pytest.mark.parametrize("text", SAID_OTHERWISE)
def test_what_is_said_of_passwords_stays(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Passwort: Sonne24!", "Passwort: ⟦password⟧"),
        ("password: Sonne24?!", "password: ⟦password⟧"),
        ("the password is Sonne24!", "the password is ⟦password⟧"),
        ("password: Ab12cd34(5)", "password: ⟦password⟧(5)"),
        ("is the password Xyz12345?", "is the password ⟦password⟧?"),
        ("password: forgotten!", "password: forgotten!"),
        ("password: 12:30:45!", "password: 12:30:45!"),
    ],
)
def test_the_marks_at_the_end_of_a_password_go_with_it(text: str, expected: str) -> None:
    assert re.sub(r"⟦secret:(\w+):....⟧", r"⟦\1⟧", clean(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "PIN: 4821",
        "**PIN:** 4821",
        "Pin (card): 4821",
        "pin code 4821",
        "PIN-Code: 4821",
        "PIN-код: 4821",
        "Her **PIN** is 4821",
        "code PIN : 4821",
        "PIN is 4821.",
        "The PIN for the card is 4821, keep it",
        "PIN of the door: 48213",
        "die PIN lautet 4821",
        "my PIN 4821",
        "SIM PIN 48213765",
        "ATM_PIN=4821",
        "PIN -> 4821",
        "| PIN | 4821 |",
        "| name | PIN |\n|---|---|\n| bob | 4821 |",
        "name,pin code\nbob,4821",
        "пин-код: 4821",
        '{"pin": "4821"}',
    ],
)
def test_a_personal_number_goes_where_it_is_called_so(text: str) -> None:
    done = redact(text, key=KEY)
    assert [found.kind for found in done.findings] == ["password"]
    assert "482" not in done.text


@pytest.mark.parametrize(
    "text",
    [
        "pin 12 on the board",
        "PIN 8080",
        "PIN: 12",
        "pin: 123456789",
        "GPIO pin 4821",
        "pinned: 4821",
        "the key: spin code 4821",
        "opinion: 4821",
        "key.pin: 4821",
        "pin: 1024.5",
        "pin: 4821-2",
        "pin: 4821 of 9000",
        "Pin: 3300 mV",
        "pin: 4821mAh",
        "GPIO pin: 4821",
        "the rolling pin: 4821 g of dough",
        "postal pin: 482100",
        "pin: 4821 g",
        "pin: 20240115",
        "| Pin | Function |\n|---|---|\n| 12 | 4821 |",
        "| Pinned | Password |\n| 4821 | none |",
        "pin to build: 48213",
    ],
)
def test_other_numbers_beside_a_pin_stay(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize("form", ["pw - {}", "| pw |\n|---|\n| {} |", '{{"pw": "{}"}}', "암호 - {}"])
def test_a_value_shorter_than_a_key_goes_behind_the_shortest_name(form: str) -> None:
    assert "Sonne24x" not in clean(form.format("Sonne24x"))


def test_what_is_put_in_known_words_keeps_its_length() -> None:
    alike = (
        "mot de passe, mot de paſſe, parola d'ordine, parola d'ordıne"  # to a pattern that takes no heed of capitals
    )
    for text in (*IN_OTHER_WORDS, *ABOUT_PASSWORDS, "İ пароль ẞ", alike):
        assert len(translate_password_words(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "password: changeme",
        "password: <your-password>",
        "password = your_password_here",
        "token: ${GITHUB_TOKEN}",
        "token = {{ vault.token }}",
        "api_key=xxxxxxxxxxxxxxxx",
        "api_key: YOUR_API_KEY",
        "secret = process.env.SECRET_1",
        "password = getpass('Password 1: ')",
        "token = os.environ['TOKEN_2']",
        "PASS: byte-identical",
        "Pass: p95=12.5ms/op",
        "password: 8675309123",
        "token = aaaaaaaaaaaaaaaa1b2c3",
        "token_id = a8Kd93jfLs02mfPq7",
        "github_commit: da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "asana_project_id = 9s6XKzkNRiz8i3qQ71",
        "see API-DOCUMENTATIONOFEVERYTHINGX there",
        "max_tokens: 4096",
        "tokenizer: cl100k_base",
        "secretName: my-app-tls-v2",
        "token_url: https://host.example/oauth2/v1",
        "keyboard: us-intl-2",
        "the key is under the mat at number 12",
        "primary key: user_id_2",
        "passport 123456789",
        "https://user:password@host.example/",
        "https://medium.com/@user:name",
        "cache key: 0cc175b9c0f1b6a831c399e269772661",
        "sk-your-key-goes-here, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "tokens start with `ghp_` or `glpat-`",
        "2025-11-27T09:30:00+01:00, 2026-01-02 and 12:45:59",
        "v1.2.3-rc.4+build.567, 3.12.0b1 and 10.0.19045.3803",
        "550e8400-e29b-41d4-a716-446655440000",
        "192.168.0.1:8080, fe80::1ff:fe23:4567:890a, 10.0.0.0/8",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
        "/srv/ana/projects/key-value/2025/11/27/token_report_v2.md",
        "C:\\Users\\Ana\\secrets\\notes.txt",
        "Call Ana on +33 6 12 34 56 78, IBAN GB10LORI20288482594042, card 3577837529571954",
        "## Retain\n- W @Peter: In Marrakech (Nov 27 – Dec 1, 2025). <!-- id: 7f3k9q · importance: 0.9 -->",
        "session: gpt4_59149c77/b403d6f0_6",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert clean(text) == text
    assert find_secrets(text) == ()


def test_pronounceable_values_with_digits_between_are_no_words() -> None:
    assert clean("api_token: wobekatirumo7sulenaki3p").startswith("api_token: ⟦secret:token:")


def test_a_key_inside_a_word_counts_only_if_its_prefix_is_unmistakable() -> None:
    ambiguous, _ = make_sample("QQAKIA<u16>", 1)
    unmistakable, secret = make_sample("{xx}ghp_<A36>", 1)
    assert clean(ambiguous) == ambiguous
    assert secret not in clean(unmistakable)


def test_the_surest_rule_names_an_overlap() -> None:
    text, secret = make_sample('{password = "}x!ghp_<A36>{"}', 1)
    assert [found.kind for found in find_secrets(text)] == ["github-pat"]
    assert secret not in clean(text)


VIEWS = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 in lines": lambda text: base64.encodebytes(text.encode()).decode().strip(),
    "base64 in base64": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "hex": lambda text: text.encode().hex(),
    "URL": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "URL parameter": lambda text: quote(text, safe=""),
    "JSON": lambda text: json.dumps(text),
    "JSON escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"a": text})),
    "HTML": lambda text: "".join(f"&#x{ord(letter):02x};" for letter in text),
}


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_an_encoded_secret_goes_with_its_whole_outer_span(view: str) -> None:
    for kind, form in forms():
        text, secret = make_sample(form, 1)
        done = redact(f"see {VIEWS[view](text)} | there", key=KEY, exact=REGISTERED_SECRETS).text
        assert VIEWS[view](secret).strip('"')[4:-4] not in done, kind
        assert f"⟦secret:{kind}:" in done, kind
        if secret.isalnum():
            assert redact(text, key=KEY, exact=REGISTERED_SECRETS).findings[0].placeholder in done, (
                "the suffix is the plain secret's"
            )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=pa&ss12word9&page=1", "password=⟦password⟧&page=1"),
        ("password=pa&ss12word9", "password=⟦password⟧"),
        ("https://host/?token=abc12def34gh&page=1", "https://host/?token=⟦token⟧&page=1"),
        ("https://host/?a=1&token=abc12def34gh&page", "https://host/?a=1&token=⟦token⟧&page"),
        ("token=abc12def34gh&amp;page=1", "token=⟦token⟧&amp;page=1"),
        ("DB_PASSWORD=Abc12&user=12x;y", "DB_PASSWORD=⟦password⟧"),
        ("export DB_PASSWORD=9b1(c)d|e;fG\nA=1", "export DB_PASSWORD=⟦password⟧\nA=1"),
        ("DB_PASSWORD=abc12345; echo done", "DB_PASSWORD=⟦password⟧; echo done"),
        ('{"password": "ab&cd;12(x)"}', '{"password": "⟦password⟧"}'),
    ],
)
def test_a_value_goes_whole_whatever_stands_in_it(text: str, expected: str) -> None:
    assert re.sub(r"⟦secret:(\w+):....⟧", r"⟦\1⟧", clean(text)) == expected


@pytest.mark.parametrize(
    "hidden", ["\xad", "\u200b", "\u200d\u2060", "\ufeff", "\x07", "\u202e", "\ufe0f", "\U000e0041"]
)
def test_what_shows_nothing_hides_nothing(hidden: str) -> None:
    for form in ("ghp_<A36>", "AKIA<u16>", "glpat-<A20>"):
        text, _ = make_sample(form, 6)
        inside = hidden.join((text[:3], text[3:9], text[9:]))
        assert re.fullmatch(r"so ⟦secret:[a-z-]+:....⟧ 日本", clean(f"so {inside} 日本"))
        assert clean(f"so {hidden}{text}{hidden} it is").count("⟦secret:") == 1
        assert redact(inside, key=KEY).findings[0].placeholder == redact(text, key=KEY).findings[0].placeholder
        assert text[9:] not in clean(json.dumps(inside))
    assert clean(f"we{hidden} walked along the har{hidden}bour") == f"we{hidden} walked along the har{hidden}bour"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_text_with_a_nul_at_each_second_place_is_read(order: str) -> None:
    text, secret = make_sample("{it is }glpat-<A20>{ | now}", 2)
    done = clean(text.encode(order).decode("latin-1"))
    assert "⟦secret:gitlab-pat:" in done
    assert secret[8:] not in done.replace("\x00", "")
    assert "n\x00o" in done


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Basic\n  {value}==",
        "Authorization:\r\n Bearer {value}",
        "password:\n  {value}",
        "'api_key':\n    '{value}',",
        "client_secret = \\\n  {value}",
        "secret: >\n  {value}",
        "token:\n  - {value}",
    ],
)
def test_a_value_on_the_line_below_its_name_goes(text: str) -> None:
    value, _ = make_sample("<A9>7x<A9>", 3)
    assert value not in clean(text.format(value=value))


@pytest.mark.parametrize(
    "text",
    [
        "password:\n  name: value12",
        "Remember the key:\n- Summer 2024",
        "secrets:\n  db_password_file: /run/secrets/a1",
        "token:\n\na8Kd93jfLs02mfPq7x",
        "API_KEY=\nDEBUG=true12345",
    ],
)
def test_the_line_below_a_name_stays_if_it_is_no_value(text: str) -> None:
    assert clean(text) == text


def test_an_assigned_value_that_is_carried_on_goes_whole() -> None:
    value, _ = make_sample("<A40>", 8)
    for text in (f"API_KEY={value[:20]}\\\n{value[20:]}\nA=1", f'token = "{value[:20]}" +\n  "{value[20:]}"'):
        assert value[:20] not in clean(text)
        assert value[20:] not in clean(text)
    follows = f"API_KEY={value[:20]}\n{value[20:]}"
    assert clean(follows).endswith(value[20:])  # nothing says that it goes on


@pytest.mark.parametrize("broken", ["{}\n{}", "{}\r\n{}", "{}\n    {}", "{}\\\n{}", '"{}" +\n  "{}"'])
def test_a_key_broken_by_a_line_end_goes_whole(broken: str) -> None:
    for form in (
        "ghp_<A36>",
        "AKIA<u16>",
        "sk-ant-api03-<A93>AA",
        "glpat-<A20>",
        "xoxb-<d12>-<d12>-<A24>",
        "npm_<A36>",
    ):
        text, _ = make_sample(form, 3)
        for at in (6, len(text) // 2, len(text) - 6):
            done = clean("It is " + broken.format(text[:at], text[at:]) + " and that is all.")
            assert text[at:] not in done, form
            assert text[:at] not in done, form
            assert done.endswith(" and that is all.")


def test_a_whole_key_does_not_swallow_the_next_line() -> None:
    text, _ = make_sample("ghp_<A36>", 4)
    second, _ = make_sample("ghp_<A36>", 5)
    assert clean(f"{text}\nNext we met Ana.").endswith("⟧\nNext we met Ana.")
    assert clean(f"{text}\n{second}").count("⟦secret:github-pat:") == 2
    halves = "\n".join((text[:20], text[20:], second[:20], second[20:]))
    assert re.fullmatch(r"⟦secret:github-pat:....⟧\n⟦secret:github-pat:....⟧", clean(halves))


def test_registered_values_go_in_every_view_and_short_ones_are_ignored() -> None:
    value = "plain words, é and all"
    done = redact(f"a {value} b Ana c", key=KEY, exact=(KnownSecret(value), KnownSecret("Ana")))
    assert done.text.startswith("a ⟦secret:registered:")
    assert done.text.endswith(" b Ana c")
    for view in VIEWS.values():
        assert "⟦secret:registered:" in clean(view("say correct-horse-battery now"), exact=REGISTERED_SECRETS)


def test_registered_values_in_any_script_match_only_themselves() -> None:
    value = "合言葉は山と川です"
    done = clean(f"彼は{value}と言った。短い文章をここに書いた。 ?????????", exact=(KnownSecret(value),))
    assert re.fullmatch(r"彼は⟦secret:registered:....⟧と言った。短い文章をここに書いた。 \?{9}", done)
    assert value not in clean(f"<private>{value}</private> {value}", exact=(KnownSecret(value),))
    assert "secret:registered" in clean(quote(value), exact=(KnownSecret(value),))
    first, second = (clean(f'password = "{word}42!"') for word in ("пароль", "секрет"))
    assert first != second


def test_a_registered_value_goes_though_a_line_end_breaks_it() -> None:
    assert "secret:registered" in clean("it is s3cr\n3t!x now", exact=(KnownSecret("s3cr3t!x"),))


ENVIRONMENT = """
# what a workspace may have
DB_PASSWORD=Winter2025!
export OPENAI_API_KEY="x9-aaBB ccDDee"
DATABASE_URL=postgres://app:p%40ssw0rd9@db.example.org/main   # a comment
SESSION_SECRET='correct-horse-battery'
REDIS_PASSWORD=postgres
API_TOKEN=/run/secrets/token
AUTH_TOKEN=db1.example.org
SIGNING_KEY=2025-11-27
GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568
PATH=/usr/bin:/bin
GITHUB_SHA=a8Kd93jfLs02mfPq7x
SECRET_KEY=short
PWD=/srv/ana
not a variable
"""


def test_variables_that_hold_secrets_are_known_by_name_and_value() -> None:
    known = {one.value: one.kind for one in known_secrets(read_variables(ENVIRONMENT))}
    assert known == {
        "Winter2025!": "password",
        "x9-aaBB ccDDee": "openai-key",
        "p%40ssw0rd9": "url-password",
        "p@ssw0rd9": "url-password",
        "correct-horse-battery": "token",
    }
    assert set(known.values()) <= secret_kinds()


def test_known_secrets_go_in_every_spelling_under_the_kind_of_their_name() -> None:
    exact = known_secrets(read_variables(ENVIRONMENT))
    for one in exact:
        raw = one.value.encode()
        plain = redact(f"say {one.value} now", key=KEY, exact=exact)
        assert [found.kind for found in plain.findings] == [one.kind]
        spellings = [base64.b64encode(b"x" * shift + raw + b"yz").decode() for shift in range(3)]
        for spelling in (*spellings, raw.hex(), raw.hex().upper(), quote(one.value, safe="")):
            done = redact(f"so {spelling} it is", key=KEY, exact=exact)
            assert re.fullmatch(rf"so ⟦secret:{one.kind}:....⟧ it is", done.text), spelling
            assert done.findings[0].placeholder == plain.findings[0].placeholder or one.kind == "url-password"
            assert redact(done.text, key=KEY, exact=exact).text == done.text


def test_the_environment_and_env_files_of_a_workspace_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "Frühling2026!")
    monkeypatch.setenv("EDITOR_KEY", "vi")
    monkeypatch.setenv("PASS", "Herbst-2026")
    (tmp_path / ".env").write_text("\ufeffDB_PASSWORD=Winter2025!\n", encoding="utf-8")
    (tmp_path / ".env.local").symlink_to("/etc/passwd")
    known = {one.value: one.kind for one in config.read_secret_values(str(tmp_path))}
    assert known["Frühling2026!"] == known["Winter2025!"] == known["Herbst-2026"] == "password"
    assert "vi" not in known
    for view in VIEWS.values():
        done = redact(view("say Frühling2026! now"), key=KEY, exact=(KnownSecret("Frühling2026!", "password"),)).text
        assert "secret:password" in done


def test_reading_variables_loads_no_engine() -> None:
    code = (
        "import sys; from commonplace.storage import config; config.read_secret_values('/');"
        "assert 're2' not in sys.modules; assert 'tomllib' not in sys.modules"
    )
    environment = {
        "PYTHONPATH": str(Path(__file__).parents[1] / "src"),
        "API_TOKEN": "x9aaBBccDDee",
        "LS_COLORS": "a=1",
    }
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_many_known_secrets_are_looked_for_in_one_pass() -> None:
    many = tuple(KnownSecret(make_sample("<A24>", seed)[0], "token") for seed in range(200))
    text = f"We talked of {many[150].value} and went home."
    assert "⟦secret:token:" in redact(text, key=KEY, exact=many).text


@pytest.mark.slow
def test_many_known_secrets_leave_the_streams_alone() -> None:
    code = (
        "from random import Random; from base64 import b64encode; from commonplace.redact import KnownSecret, redact;"
        "draw = lambda size, of=Random(1): b64encode(of.randbytes(size)).decode();"
        "known = tuple(KnownSecret(draw(18), 'token') for _ in range(256));"
        "redact(' '.join(draw(9) for _ in range(20_000)), key=b'k', exact=known)"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    done = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it was {} first; password: {}", "gXk29!qpA"),
        ("PIN: {}, so enter {}", "4821"),
        ("https://ana:{}@git.example.org/x.git needs {}", "zQ8vT2nLr5"),
        ("password: {}, in base64 " + base64.b64encode(b"zQ8vT2nLr5").decode(), "zQ8vT2nLr5"),
        ("Authorization: Basic " + base64.b64encode(b"ana:zQ8vT2nLr5").decode() + " is ana:{}", "zQ8vT2nLr5"),
        ("Passwort: {}, und nochmal {}", "Grün-2025-x"),
        ("Server=db;Password={};Database=x opens with {}", "kX9-22-fGq"),
    ],
)
def test_a_value_that_is_masked_once_is_masked_wherever_the_text_has_it(text: str, value: str) -> None:
    done = redact(text.replace("{}", value), key=KEY)
    assert value not in done.text
    assert len(done.findings) == 2
    assert redact(done.text, key=KEY).text == done.text


def test_a_weak_value_is_repeated_only_as_a_word() -> None:
    assert clean("PIN: 4821, room 48213, so 4821.") == "PIN: {0}, room 48213, so {0}.".format(clean("PIN: 4821")[5:])
    assert "prefix⟦secret" in clean("password: zQ8vT2nLr5 and prefixzQ8vT2nLr5")


def test_masked_values_are_found_again_by_their_digests_and_with_the_same_key_only() -> None:
    once = redact("password: gXk29!qpA", key=KEY)
    masked = group_masked_values(once.findings[0].values)
    assert b"gXk29" not in msgspec.json.encode(once.findings[0].values)
    again = redact("again gXk29!qpA, not gXk29!qpB", key=KEY, masked=masked).text
    assert again == f"again {once.findings[0].placeholder}, not gXk29!qpB"
    assert redact("again gXk29!qpA", key=b"another", masked=masked).findings == ()


@pytest.mark.parametrize(
    ("value", "strong"),
    [
        ("gXk29!qpA", True),
        ("x7k2m9q4", True),
        ("Winter2025!", False),
        ("Room1204", False),
        ("user-service-2", False),
        ("2025-11-30T09:00", False),
        ("/srv/data/x1", False),
        ("4111222233334", False),
        ("correct horse battery staple", False),
        ("gXk29!q", False),
    ],
)
def test_only_what_is_no_word_or_name_is_masked_everywhere(value: str, strong: bool) -> None:
    assert is_strong_value(value) == strong


PHRASES = (
    ("password: {}", "correct horse battery staple"),
    ("Passwort: {}", "korrekt pferd batterie klammer"),
    ("password: {}", "correct-horse-battery-staple"),
    ("WIFI_PASSWORD={}", "correct horse battery staple"),
    ("MASTER_PASSWORD='{}'", "the quick brown fox jumps"),
    ("export ADMIN_PASSWORD={}", "walnut-orbit-cabin"),
    ('The wifi password is "{}", he wrote', "maple river stone window"),
    ("the passphrase is {}", "maple river stone window"),
    ("PGPASSWORD={} psql -h db", "correcthorse"),
    ("PGPASSWORD='{}' psql", "mypassw0rd"),
    ("CREATE USER ana IDENTIFIED BY '{}';", "zQ8vT2nLr"),
    ("<secret>{{}}</secret>", "kT8w3Q/9xLm2Vb7dRz1+Yc5nHs4="),
    ("password: {}, again", "hunter2"),
    ("the router password is {}", "blue-kettle-42"),
)


@pytest.mark.parametrize(("text", "value"), PHRASES)
def test_words_are_a_password_where_nothing_else_can_stand(text: str, value: str) -> None:
    assert value not in clean(text.replace("{}", value))


@pytest.mark.parametrize(
    "text",
    [
        "password: see the wiki page on access",
        "password: minimum eight characters required",
        "Password: contact system administrator directly",
        "Passwort: beim Chef erfragen bitte",
        "the password is stored safely inside vault",
        "mot de passe : voir le wiki interne",
        "PGPASSWORD=$PASS psql",
        "DB_PASSWORD=postgres",
        "childSessionKey: agent:main:subagent:3f2a9b1c-1d2e-4f5a-8b7c-9d0e1f2a3b4c",
        '"sessionKey": "agent:main:telegram:direct:123456789"',
        "sessionKey=sess-9f8e7d6c5b4a3f2e1d0c",
        "key: agent:main:discord:channel:1234567890123456789",
    ],
)
def test_what_tells_where_a_password_is_and_ids_of_sessions_stay(text: str) -> None:
    assert clean(text) == text


def test_fields_are_seen_beside_their_names() -> None:
    value, _ = make_sample("<A20>", 9)
    told = {"arguments": {"password": "hunter2x9!", "argv": ["--token", value, "-v"], "n": 3, "text": "nothing here"}}
    done, found = redact_fields(told, key=KEY)
    arguments = done["arguments"]
    assert arguments["password"].startswith("⟦secret:password:")
    assert arguments["argv"][1].startswith("⟦secret:token:")
    assert (arguments["argv"][2], arguments["n"], arguments["text"]) == ("-v", 3, "nothing here")
    assert sorted(one.kind for one in found) == ["password", "token"]
    assert redact_fields(done, key=KEY) == (done, ())
    assert redact_fields({"pin": "4821", "pan": "4821"}, key=KEY)[0]["pan"] == "4821"
    assert redact_fields({"pin": "4821"}, key=KEY)[1][0].kind == "password"
    assert value not in json.dumps(redact_fields({f"ghp_{value}{value}": 1}, key=KEY)[0])


def test_deeply_nested_fields_are_passed_over() -> None:
    nested: Any = "x"
    for _ in range(500):
        nested = [nested]
    assert redact_fields(nested, key=KEY) == (nested, ())


def test_a_placeholder_of_any_kind_is_left_alone() -> None:
    exact = known_secrets(read_variables(ENVIRONMENT))
    for kind in secret_kinds():
        text = f"password: ⟦secret:{kind}:7f3a⟧ token=⟦secret:{kind}:00ff⟧"
        assert redact(text, key=KEY, exact=exact).text == text
        assert find_secrets(text, key=KEY, exact=exact) == ()


def test_a_scan_names_the_placeholder_and_looks_into_private_stretches() -> None:
    text, secret = make_sample("{<private>}glpat-<A20>{</private>}", 1)
    assert [found.placeholder for found in find_secrets(text, key=KEY)] == [clean(secret)]
    assert find_secrets(text)[0].placeholder == ""


def test_a_tag_spoken_of_keeps_its_backticks_so_that_it_stays_one() -> None:
    text = "abcdefgh`<private>` and more"
    assert clean(text, exact=(KnownSecret("abcdefgh`"),)) == text


def test_placeholders_are_typed_keyed_and_stable() -> None:
    text, secret = make_sample("ghp_<A36>", 1)
    other, _ = make_sample("ghp_<A36>", 2)
    first = clean(text)
    assert re.fullmatch(r"⟦secret:github-pat:[0-9a-f]{4}⟧", first)
    assert clean(f"again {secret}!") == f"again {first}!"
    assert clean(other) != first
    assert redact(text, key=b"another key").text != first


def test_spans_are_those_of_the_text_that_was_given() -> None:
    text, secret = make_sample("{über 日本 🎉 }ghp_<A36>{ end}", 1)
    done = redact(text, key=KEY)
    assert [text[found.start : found.end] for found in done.findings] == [secret]
    assert find_secrets(text) == (SecretFinding("github-pat", text.index(secret), text.index(secret) + len(secret)),)


def test_a_forged_placeholder_hides_nothing() -> None:
    _, secret = make_sample("glpat-<l20>", 1)
    assert secret not in clean(f"⟦secret:{secret}:7f3a⟧")
    assert clean("⟦secret:github-pat:7f3a⟧ ⟦private⟧") == "⟦secret:github-pat:7f3a⟧ ⟦private⟧"


def test_login_and_host_stay_apart() -> None:
    text, _ = make_sample("{postgres://}app:<A14>{@db.example.org:5432/main}", 1)
    assert re.fullmatch(r"postgres://⟦secret:url-password:....⟧@db\.example\.org:5432/main", clean(text))


def test_a_private_key_without_its_end_goes_too() -> None:
    text, secret = make_sample("{-----BEGIN OPENSSH PRIV}{ATE KEY-----\\n}<A64>", 1)
    assert secret not in clean(f"{text}\n\nand then?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <private>b</private> c", "a ⟦private⟧ c"),
        ("a <PRIVATE>b\n\nc", "a ⟦private⟧"),
        ("a <private>b<private>c</private>d</private> e", "a ⟦private⟧ e"),
        ("a <private>b</private><private>c</private>", "a ⟦private⟧⟦private⟧"),
        ("a </private> b", "a </private> b"),
        ("put it in `<private>` tags", "put it in `<private>` tags"),
        ("`<private>b</private>`", "`⟦private⟧`"),
        ("a < private> b", "a < private> b"),
    ],
)
def test_private_stretches_go(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_markers_say_what_may_be_done() -> None:
    assert redact("[NOMEM] x", key=KEY).keep is False
    assert redact("x [private]", key=KEY).private is True
    assert redact("x [NOEXPORT] y", key=KEY).export is False
    plain = redact("nomem private noexport", key=KEY)
    assert (plain.keep, plain.private, plain.export) == (True, False, True)
    assert redact("<private>[NOMEM]</private>", key=KEY).keep is False


PIECES = [
    *(
        "ghp_",
        "AKIA",
        "sk-",
        "password",
        "token",
        "secret",
        "key",
        "=",
        ": ",
        '"',
        "'",
        "`",
        "\n",
        " ",
        "\\n",
        '\\"',
        "%3D",
        "%41",
    ),
    *(
        "<private>",
        "</private>",
        "`<private>`",
        "⟦secret:github-pat:7f3a⟧",
        "⟦private⟧",
        "⟦",
        "⟧",
        "\x00",
        "é",
        "\ud800",
        "&quot;",
    ),
    *(
        "a1B2c3D4e5F6g7H8",
        "ab12" * 9,
        "A1" * 8,
        "x" * 8,
        "eyJhbGciOiJIUzI1NiJ9",
        ".",
        "_",
        "-",
        "0",
        "9f",
        "://",
        "user:pw1234@",
    ),
    *(
        "-----BEGIN PRIV" + "ATE KEY-----",
        "-----END PRIV" + "ATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQ",
        "github",
        "Bearer ",
        "-u ",
    ),
    *("\xad", "\u200b", "&", "&a=", "g\x00h\x00p\x00", "\nDB_PASSWORD=", "\\\n", "Authorization: Basic\n"),
    *("PIN: ", "4821", "my pin ", "!", "pass: ", "user: ", "redis-cli -a ", "Password\n", "password (new)|", "|", ","),
    *("is now ", "Xyz12345", "two words 9", "(", ")", "→"),
    *("is ", "curl ", "[NOMEM]", "Z2hwX2FiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1Njc4OQ==", *REGISTERED),
]


@pytest.mark.parametrize("head", ["Password\n", "|a|Password|\n|-|-|\n|x|"])
def test_a_cell_that_begins_with_what_is_masked_already_is_masked_behind_it(head: str) -> None:
    done = redact(f"{head}{REGISTERED[-1]}a1B2c3D4e5F6g7H8" + "|" * ("|" in head), key=KEY, exact=REGISTERED_SECRETS)
    first = len(head) + len(REGISTERED[-1])
    assert [(found.start, found.end) for found in done.findings] == [(len(head), first), (first, first + 16)]


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text, key=KEY, exact=REGISTERED_SECRETS)
    assert clean(once.text, exact=REGISTERED_SECRETS) == once.text
    assert find_secrets(once.text) == ()
    edges = [0, *(edge for found in once.findings for edge in (found.start, found.end)), len(text)]
    assert edges == sorted(edges)


HOSTILE = {
    "pem": "-----BEGIN PRIV" + "ATE KEY-----",
    "addresses": "://a:b",
    "sites": "token=",
    "open quotes": 'token: "',
    "both quotes": "password=' password=\" ",
    "run of names": "key=a1",
    "JSON": '\\"',
    "URL": "%41",
    "base64": "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB ",
    "JWT": "eyJabcdefgh.",
    "AKIA": "AKIA" + "A1" * 8,
    "private": "<private>",
    "pairs": "-u a:",
    "lines": "a\n",
    "letters": "a",
    "upper": "A",
    "spaces": " ",
    "brackets": "⟦",
    "dots": "s.",
    "hex": "deadbeef",
    "pairs of a query": "token=a1b2c3&",
    "one query": "&a",
    "hidden": "a\xad",
    "UTF-16": "a\x00",
    "names above": "password:\n",
    "lines of a shell": "A_KEY=a1b2c3d4\\\n",
    "heads of a table": "password,",
    "heads of tables": "password,token\n",
    "one table": "user,password\n" + "bob,hunter2hunter2\n" * 5_000,
    "what it is for": "password for ",
    "quotes in a table": "user,password\n" + 'a,"' * 100_000,
    "one column": "\n\npassword\nXyz12345\n",
    "phrases": 'password: "a b ',
    "marks": "password: a1!!!",
    "one run of marks": "password: Sonne24" + "!" * 100_000,
    "changes": "changed the password to a1 ",
    "users": "user: a pass: a1b2 ",
    "options of a tool": "redis-cli -x ",
    "numbers": "my PIN (a) for a PIN 1234 of ",
    "algorithms": "password: aes" + "-a" * 50_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_linear_work(name: str) -> None:
    line = HOSTILE[name] * (100_000 // len(HOSTILE[name]))
    assert _seconds(lambda: redact(line, key=KEY, exact=REGISTERED_SECRETS)) < 3


def test_a_run_of_names_is_judged_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.redact import secret_values

    judged = []
    monkeypatch.setattr(secret_values, "is_secret", lambda value, _: judged.append(value) is not None)
    clean("key=a1" * 10_000)
    assert 0 < len(judged) < 5_000


@pytest.mark.slow
def test_patterns_that_are_slow_elsewhere_are_only_text_here(shared: Path) -> None:
    for row in rows(shared, "redos/regexes"):
        line = (row["regex"] * 100_000)[:100_000]
        assert _seconds(lambda line=line: redact(line, key=KEY)) < 3


@pytest.mark.slow
def test_secrets_that_others_collected_go(shared: Path) -> None:
    found = [row for row in rows(shared, "secrets/positives") if len(row["secret"] or "") >= 8]
    gone = sum(row["secret"] not in clean(row["text"]) for row in found)
    assert len(found) > 600
    assert gone / len(found) >= 0.89  # 633 of 704; most of the rest are names, hosts and stand-ins


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("clean/paragraphs", 0.0005),
        ("clean/hash_like", 0.0005),
        ("pii/synthetic", 0.0),
        ("secrets/hard_negatives", 0.22),
    ],
)
def test_texts_without_secrets_stay(shared: Path, name: str, most: float) -> None:
    texts = [row["text"] for row in rows(shared, name)]
    altered = sum(clean(text) != text for text in texts)
    assert altered / len(texts) <= most


@pytest.mark.parametrize("shape", [patterns.KeyFormat, patterns.SecretNames, patterns.VendorTable, patterns.VendorPage])
def test_a_row_with_an_unknown_or_missing_field_is_refused(shape: type[msgspec.Struct]) -> None:
    tables_by_shape: dict[type[msgspec.Struct], msgspec.Struct] = {
        patterns.KeyFormat: patterns.key_formats()[0],
        patterns.SecretNames: patterns.secret_names(),
        patterns.VendorTable: patterns.read_table("vendors", patterns.VendorTable),
        patterns.VendorPage: patterns.read_table("vendors", patterns.VendorTable).vendors["github"],
    }
    row = msgspec.to_builtins(tables_by_shape[shape])
    assert msgspec.convert(row, shape) == tables_by_shape[shape]
    missing = {name: row[name] for name in list(row)[1:]}
    for wrong in ({**row, "extra": ""}, missing):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, shape)


def test_a_key_format_has_a_keyword_in_its_pattern_and_stands_once() -> None:
    formats = patterns.key_formats()
    assert len(formats) > 250
    assert all(row.keywords and all(row.keywords) for row in formats)
    assert len(set(formats)) == len(formats)


def test_a_word_for_a_password_is_replaced_by_one_as_long() -> None:
    words = read_table("password_words", dict[str, str])
    assert [word for word, instead in words.items() if len(instead) != len(word)] == []


def test_importing_the_room_loads_neither_rules_nor_engine() -> None:
    code = (
        "import sys; from commonplace.redact import redact; redact('We walked along the harbour.', key=b'k');"
        "from commonplace.redact import patterns;"
        "heavy = {'re2', 'hashlib'} & set(sys.modules); assert not heavy, heavy;"
        "assert not patterns.key_formats.cache_info().currsize"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(Path(__file__).parents[1] / "src")})


def _seconds(act: Any) -> float:
    start = process_time()
    act()
    return process_time() - start
