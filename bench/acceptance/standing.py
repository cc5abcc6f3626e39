"""Standing instructions in automatic packs: 30 rules in six languages, 30 requests that share no word with them.

The rules are captured one by one among small talk; then each request gets an automatic pack of 1,000 tokens. The
important ones are those that would hurt most: they were kept with an importance.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import pairwise

from bench.acceptance.measuring import Report
from commonplace import Memory

IMPORTANT = [
    "I'm allergic to peanuts.",
    "Never deploy on Fridays.",
    "Ich vertrage keine Nüsse.",
    "Nunca borres archivos sin preguntarme antes.",
    "N'envoie jamais d'e-mail sans mon accord.",
    "我对花生过敏。",
    "金曜日には絶対に本番を触らないでください。",
    "My daughter is allergic to bee stings.",
]
OTHERS = [
    "Always format dates as YYYY-MM-DD in reports.",
    "We use pnpm, not npm.",
    "Please remember: invoices go out with net 30 terms.",
    "When you write commit messages, keep the subject under 60 characters.",
    "Keep replies short unless I ask for detail.",
    "Prices should always include VAT.",
    "Default to Celsius in every answer unless I ask otherwise.",
    "Ab sofort bitte alle Beträge in Euro angeben.",
    "Wir schreiben Datumsangaben als TT.MM.JJJJ, nicht amerikanisch.",
    "Antworte mir immer auf Deutsch.",
    "In diesem Projekt nutzen wir Vue statt React.",
    "A partir de ahora, usa siempre el formato de 24 horas.",
    "En este proyecto usamos tabs, no espacios.",
    "Recuerda que los viernes no hacemos despliegues.",
    "Désormais, tutoie-moi toujours.",
    "On utilise Postgres, pas MySQL.",
    "Tu dois toujours me demander avant de publier.",
    "以后写日期都用 ISO 格式。",
    "我们用 pnpm，不用 npm。",
    "每次提交前必须先跑测试。",
    "今後、返信は必ず敬語でお願いします。",
    "このプロジェクトではReactではなくVueを使います。",
]
TALK = [
    "brb, kids",
    "The boat lies in the harbour of Trieste.",
    "Ana painted the hull green last summer.",
    "I always love a good sunset.",
    "The ferry to Piran leaves at nine.",
    "Vera sang at the wedding of her cousin.",
    "It rained the whole weekend in Bergen.",
    "The old stove still smokes a little.",
    "Did you see the match yesterday?",
    "The museum has a new room about maps.",
]
REQUESTS = [
    "Where does the boat lie?",
    "Who painted the hull?",
    "When does the ferry leave?",
    "What did Vera sing?",
    "How was the weekend in Bergen?",
    "Is the stove all right?",
    "What is new in the museum?",
    "Book a table at the harbour.",
    "Plan a trip to Piran.",
    "Draft a note to Ana.",
    "What colour has the hull?",
    "Which room has the maps?",
    "Who won the match?",
    "Make a list for the summer.",
    "Tell me about the wedding.",
    "Wo liegt das Boot?",
    "Wer hat den Rumpf gestrichen?",
    "Wann fährt die Fähre?",
    "¿Dónde está el barco?",
    "¿Quién cantó en la boda?",
    "¿Qué hay de nuevo en el museo?",
    "Où est le bateau ?",
    "Quand part le ferry ?",
    "Qui a chanté au mariage ?",
    "船在哪里？",
    "渡轮几点开？",
    "ボートはどこにありますか？",
    "フェリーは何時に出ますか？",
    "Compare the two cousins.",
    "Write a poem about the harbour.",
]
BUDGET, DAY, LATER = 1_000, "2026-11-{:02}T10:{:02}", "2026-12-01T09:00"
SHARE = 0.2  # of the budget, as `pack.standing_percent` has it


def main() -> int:
    """Print the figures; 1 if one is worse than its bound."""
    report = Report()
    with tempfile.TemporaryDirectory() as root, Memory.open(root) as memory:
        for number, rule in enumerate(OTHERS):
            at = DAY.format(1 + number, number)
            memory.capture(TALK[number % len(TALK)], session=f"s{number}", ts=at, now=at)
            memory.capture(rule, session=f"s{number}", ts=at, now=at)
        for number, rule in enumerate(IMPORTANT):
            memory.retain(rule, importance=0.9, now=DAY.format(25, number))
        packs = [memory.pack(request, budget_tokens=BUDGET, automatic=True, now=LATER) for request in REQUESTS]
    shares = [
        [sum(rule in pack.text for rule in rules) / len(rules) for pack in packs] for rules in (IMPORTANT, OTHERS)
    ]
    spent = [sum(item.tokens for item in pack.items if item.part == "standing") for pack in packs]
    first = min(_common_length(*pair) for pair in pairwise([pack.text for pack in packs]))
    report.at_least("share of the important rules, in the worst pack", min(shares[0]), 1.0)
    report.add("share of all other rules, in the mean pack", f"{sum(shares[1]) / len(shares[1]):.3f}")
    report.at_most("share of the budget", max(spent) / BUDGET, SHARE)
    report.add("first characters that two packs have in common, at least", first)
    return int(report.is_beyond)


def _common_length(text: str, other_text: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(text, other_text, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(text), len(other_text)))


if __name__ == "__main__":
    sys.exit(main())
