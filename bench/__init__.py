"""Benchmarks: quality on sets that nobody here wrote, speed side by side with plain baselines in one run.

Recall is measured by words alone, also where the extra `semantic` is installed, unless a command says otherwise.
"""

import os

os.environ.setdefault("COMMONPLACE_VECTORS", "off")
