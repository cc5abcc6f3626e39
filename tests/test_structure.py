"""The rules of the structure, read off the syntax trees of `src/commonplace`; each rule is also shown something it must find."""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from commonplace.storage.stores import STORES

ROOT = Path(__file__).parents[1]
PACKAGE = "commonplace"
LAYERS: dict[int, tuple[str, ...]] = {
    0: ("lazy", "model", "errors", "shapes"),
    1: ("language", "redact"),
    2: ("storage", "index", "extract", "models"),
    3: ("truth", "capture", "retrieval", "sync"),
    4: ("upkeep",),
    5: ("operations", "memory", "__init__"),
    6: ("turns", "serve", "bridges"),
    7: ("cli", "__main__"),
}
POSITION = {package: (layer, column) for layer, packages in LAYERS.items() for column, package in enumerate(packages)}

FILE_LINES = 500
FUNCTION_LINES_MEDIAN, FUNCTION_LINES_P95, FUNCTION_LINES_MOST = 10, 40, 80
PARAMETERS = 4
SHARED_CLASS_NAMES, SHARED_FUNCTION_NAMES = 0.02, 0.10
ANNOTATIONS_PER_PARAMETER, PARAMETERS_OF_MANY_TYPES = 5, 5

# Words that every module used for something else.
STOP_LIST = frozenset(
    ["found", "asked", "said", "told", "one", "known", "kept", "wanted", "heard", "deed", "desk", "shelf", "place"]
)

# Fields whose names are keys of published JSON or of files on disk, and published keywords of `Memory`.
PUBLISHED_NAMES = frozenset(
    (
        "capture/ingestion.py:known",
        "capture/retaining.py:asked",
        "capture/retaining.py:told",
        "memory/recall.py:heard",
        "operations/parameters/questions.py:heard",
        "turns/__init__.py:known",
        "upkeep/consolidate/findability.py:asked",
        "upkeep/review/queue.py:kept",
        "upkeep/review/queue.py:told",
        "upkeep/sessions/notes.py:said",
        "upkeep/sessions/notes.py:told",
    )
)

OPENED = "paths are opened in storage/files only, and by storage/config, which finds the workspace"

LISTED = "folders are listed in storage only"

# Packages whose modules are tables, read by the code of the package around them.
WORD_TABLES = ("commonplace.extract.languages",)

FOREIGN = (
    "capture/imports/memories/foreign_database.py"  # databases of other programs are read there, and never written
)

# By rule: what must not be named, and the rooms or files where it may be.
CONFINED: dict[str, tuple[str, str]] = {
    "SQLite is opened in index/ only": ("apsw sqlite3", f"index {FOREIGN}"),
    "the environment is read in storage/config only": (
        "os.environ os.environb os.getenv os.getenvb os.putenv",
        "storage/config.py",
    ),
    OPENED: ("open io.open os.open pathlib", "storage/files storage/config.py"),
    LISTED: (
        "os.listdir os.scandir os.walk os.fwalk glob",
        "storage capture/imports upkeep/checks.py upkeep/scrub",
    ),
    "nothing sleeps": ("time.sleep asyncio.sleep", ""),
    "the clock is read at the edges only": (
        (
            "datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today"
            " time.time time.time_ns time.localtime time.gmtime"
        ),
        "memory cli storage/config.py",
    ),
    "chance enters at the edges only": (
        "random secrets os.urandom uuid.uuid1 uuid.uuid4",
        "memory cli storage/config.py storage/files",
    ),
    "only cli prints": ("print sys.stdout sys.stderr", "cli"),
    "no text becomes code": ("eval exec pickle marshal shelve dill", ""),
    "YAML is loaded in storage/workspace/front_matter only": (
        "yaml.load yaml.load_all yaml.safe_load yaml.safe_load_all",
        "storage/workspace/front_matter.py",
    ),
    "no YAML loader that builds objects": (
        (
            "yaml.Loader yaml.CLoader yaml.FullLoader yaml.CFullLoader yaml.full_load yaml.full_load_all"
            " yaml.UnsafeLoader yaml.CUnsafeLoader yaml.unsafe_load yaml.unsafe_load_all"
        ),
        "",
    ),
}

# A person gets a sentence and never a traceback; and a bug in one operation must not end those that wait behind it.
OUTERMOST = ("cli/__init__.py", "serve/dispatch/worker.py")

SQL = re.compile(
    r"^\s*(explain\b.*)?(with\b.*\bas\s*(not\s+)?(materialized\s*)?\(.*)?select\b.*\bfrom\b"
    r"|\b(insert|replace)\s+(or\s+\w+\s+)?into\s+\w|\bdelete\s+from\s+\w|\bupdate\s+(or\s+\w+\s+)?[\w.]+\s+set\s"
    r"|\b(create|drop|alter)\s+((virtual|temp|temporary|unique)\s+)?(table|index|trigger|view)\s+\w"
    r"|^\s*pragma\s+\w|\bbegin\s+(immediate|exclusive|deferred)\b",
    re.IGNORECASE | re.DOTALL,
)
FORBIDDEN_WORDS = "util utils helper helpers common core manager engine service v2 new brain palace"
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file: `path` is relative to the package, with `/`."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.path.removesuffix(".py").split("/"))

    @property
    def room(self) -> str:
        return self.parts[0]

    @property
    def name(self) -> str:
        """The dotted name: `commonplace.index.sqlite`."""
        parts = self.parts[:-1] if self.parts[-1] == "__init__" else self.parts
        return ".".join((PACKAGE, *parts))

    def at(self, node: ast.AST | int, message: str) -> str:
        return f"{self.path}:{node if isinstance(node, int) else getattr(node, 'lineno', 1)}: {message}"


House = tuple[Module, ...]
Rule = Callable[[House], Iterator[str]]
RULES: dict[str, Rule] = {}


def rule(sentence: str) -> Callable[[Rule], Rule]:
    def keep(check: Rule) -> Rule:
        RULES[sentence] = check
        return check

    return keep


# Names: what an import or an expression refers to, with aliases resolved.


def imported(module: Module) -> Iterator[tuple[ast.AST, str, str]]:
    """Each import as (node, local name, dotted name), wherever in the file it stands."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.asname or alias.name.split(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom):
            base = origin(module, node)
            for alias in node.names:
                yield node, alias.asname or alias.name, f"{base}.{alias.name}"


def origin(module: Module, node: ast.ImportFrom) -> str:
    """The absolute name of what `from … import` imports from."""
    if not node.level:
        return node.module or ""
    package = (PACKAGE, *module.parts[:-1])
    above = package[: len(package) - node.level + 1]
    return ".".join((*above, node.module) if node.module else above)


def named(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Everything that the module imports or refers to, as (node, dotted name)."""
    aliases: dict[str, str] = {}
    for node, local, dotted in imported(module):
        plain = isinstance(node, ast.Import) and local == dotted.split(".")[0]
        aliases[local] = local if plain else dotted
        yield node, dotted
    for node in module.nodes:
        chain = dotted_name(node)
        if chain:
            first, _, rest = chain.partition(".")
            if first not in aliases and not hasattr(builtins, first):
                continue  # a parameter or variable that has the name of a module
            yield node, aliases.get(first, first) + (f".{rest}" if rest else "")


def dotted_name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted_name(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def functions(module: Module) -> Iterator[Function]:
    return (node for node in module.nodes if isinstance(node, Function))


def docstring_nodes(module: Module) -> set[int]:
    owners = (node for node in module.nodes if isinstance(node, ast.Module | ast.ClassDef | Function))
    firsts = (owner.body[0] for owner in owners if owner.body)
    return {id(first.value) for first in firsts if isinstance(first, ast.Expr)}


# The shape of the house.


@rule("every package has a layer")
def rooms_are_known(house: House) -> Iterator[str]:
    for module in house:
        if module.room not in POSITION:
            yield module.at(
                1, f"room {module.room!r} stands on no floor; give it a place in LAYERS and ARCHITECTURE.md"
            )


@rule("imports go downward, or to the left on one layer")
def imports_go_downward(house: House) -> Iterator[str]:
    for module in house:
        here = POSITION.get(module.room, (99, 0))
        for node, room in imported_rooms(module):
            there = POSITION.get(room)
            if there is None:
                yield module.at(node, f"imports {room!r}, which stands on no floor")
            elif room != module.room and there > here:
                way = "up to" if there[0] > here[0] else "to the right, "
                yield module.at(node, f"{module.room} (floor {here[0]}) imports {way} {room} (floor {there[0]})")


def imported_rooms(module: Module) -> Iterator[tuple[ast.AST, str]]:
    for node, _, dotted in imported(module):
        package, _, rest = dotted.partition(".")
        if package == PACKAGE:
            room = rest.split(".")[0]
            of_package = isinstance(node, ast.ImportFrom) and origin(module, node) == PACKAGE
            # `from commonplace import Memory` names the package itself, `from commonplace import model` a room of it
            yield node, "__init__" if not room or (of_package and room not in POSITION) else room
    for node in module.nodes:
        if isinstance(node, ast.Call) and dotted_name(node.func).endswith(("import_module", "__import__")):
            words = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            yield from ((node, word.split(".")[1]) for word in words if word.startswith(f"{PACKAGE}."))


@rule("no module imports itself by way of others")
def imports_have_no_cycle(house: House) -> Iterator[str]:
    names = {module.name for module in house}
    graph = {module.name: {name for name in targets(module, names) if name != module.name} for module in house}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield " <- ".join(error.args[1])


def targets(module: Module, names: set[str]) -> Iterator[str]:
    """The modules of the house that this one imports."""
    yield from (target for _, _, dotted in imported(module) if (target := longest_module(dotted, names)))


def longest_module(dotted: str, names: set[str]) -> str:
    """The longest name of a module in front of a dotted name; empty if there is none."""
    while dotted and dotted not in names:
        dotted = dotted.rpartition(".")[0]
    return dotted


@rule("module names say what is inside")
def names_say_what_is_inside(house: House) -> Iterator[str]:
    for module in house:
        words = {word for part in module.parts for word in part.lower().split("_")}
        for word in sorted(words.intersection(FORBIDDEN_WORDS.split())):
            yield module.at(1, f"{word!r} says nothing about what is inside")


# What stays in its room.


@rule("SQL stands in index/ only")
def sql_stands_in_index(house: House) -> Iterator[str]:
    for module in house:
        if module.room != "index" and module.path != FOREIGN:
            docstrings = docstring_nodes(module)
            for node in module.nodes:
                text = "" if id(node) in docstrings else string_value(node)
                if SQL.search(text):
                    yield module.at(node, f"looks like SQL: {text.strip()[:40]!r}")


def string_value(node: ast.AST) -> str:
    """The text of a string, with `x` for each part that an f-string fills in; empty for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(string_value(part) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return ""


def confinement(banned: str, allowed: str) -> Rule:
    names, places = banned.split(), allowed.split()

    def check(house: House) -> Iterator[str]:
        for module in house:
            if not any(f"{module.path}/".startswith(f"{place}/") for place in places):
                for node, dotted in named(module):
                    if any(dotted == name or dotted.startswith(f"{name}.") for name in names):
                        yield module.at(node, f"{dotted} is not used here")

    return check


for _sentence, (_banned, _allowed) in CONFINED.items():
    rule(_sentence)(confinement(_banned, _allowed))


@rule("lines are split on the newline only")
def lines_split_on_newline(house: House) -> Iterator[str]:
    for module in house:
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and node.attr == "splitlines":
                yield module.at(node, "splitlines() also splits on form feeds, NEL and U+2028; split on '\\n'")


@rule("no exception is swallowed")
def nothing_is_swallowed(house: House) -> Iterator[str]:
    for module in house:
        if module.path not in OUTERMOST:
            for node in module.nodes:
                if isinstance(node, ast.ExceptHandler) and is_broad(node):
                    yield module.at(node, "catches everything; catch what you can answer")


def is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether it catches everything; `except BaseException` that cleans up and ends in `raise` swallows nothing."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {dotted_name(kind) if kind else "" for kind in caught}
    last = handler.body[-1]
    if names == {"BaseException"}:
        return not (isinstance(last, ast.Raise) and last.exc is None)
    return bool(names & {"", "Exception", "BaseException"})


# Length.


@rule("files fit")
def files_fit(house: House) -> Iterator[str]:
    for module in house:
        lines = module.text.count("\n")
        if lines > FILE_LINES:
            yield module.at(1, f"{lines} lines; a room over {FILE_LINES} lines becomes a package of the same name")


@rule("functions fit a screen")
def functions_fit(house: House) -> Iterator[str]:
    sized = sorted(
        ((f.end_lineno or f.lineno) - f.lineno + 1, module.at(f, f.name)) for module in house for f in functions(module)
    )
    if not sized:
        return
    lengths = [length for length, _ in sized]
    p95, median = lengths[math.ceil(0.95 * len(lengths)) - 1], statistics.median(lengths)
    longest = "; ".join(f"{where} ({length})" for length, where in sized[:-6:-1])
    if median > FUNCTION_LINES_MEDIAN:
        yield f"the median function has {median:g} lines, more than {FUNCTION_LINES_MEDIAN}; longest: {longest}"
    if p95 > FUNCTION_LINES_P95:
        yield f"the 95th percentile of functions has {p95} lines, more than {FUNCTION_LINES_P95}; longest: {longest}"
    yield from (
        f"{where} has {n} lines, more than {FUNCTION_LINES_MOST}" for n, where in sized if n > FUNCTION_LINES_MOST
    )


@rule("functions take four parameters at most")
def parameters_are_few(house: House) -> Iterator[str]:
    for module in house:
        for function in functions(module):
            names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if count > PARAMETERS:
                yield module.at(function, f"{function.name} takes {count} parameters; a noun is missing, or a `*`")


# Words.


@rule("every module opens with one sentence")
def modules_open_with_a_sentence(house: House) -> Iterator[str]:
    for module in house:
        first = (ast.get_docstring(module.tree) or "").split("\n")[0]
        if not module.text.startswith(('"""', 'r"""')) or not re.search(r"[.!?]$", first):
            yield module.at(
                1, "does not open with a sentence (on one line, with its full stop) that says what it is for"
            )
        elif re.search(r"(?<!e\.g)[.!?]\s+[A-Z]", first):
            yield module.at(1, "opens with more than one sentence")


@rule("public functions and classes are explained")
def public_things_are_explained(house: House) -> Iterator[str]:
    for module in house:
        for node in module.tree.body:
            if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                yield module.at(node, f"{node.name} has no docstring")


@rule("__all__ is sorted and true")
def exports_are_sorted_and_true(house: House) -> Iterator[str]:
    for module in house:
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and any(dotted_name(target) == "__all__" for target in node.targets):
                names = list(ast.literal_eval(node.value))
                if names != sorted(names, key=export_order):
                    yield module.at(node, f"__all__ is not sorted: {sorted(names, key=export_order)}")
                yield from (
                    module.at(node, f"__all__ names {n!r}, which is not there") for n in names if n not in bound(module)
                )


def export_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, each by name: the order that ruff's RUF022 writes."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2), name


def bound(module: Module) -> set[str]:
    """The names bound at the top of the module, also under `if TYPE_CHECKING:`."""
    top = [inner for node in module.tree.body for inner in (ast.walk(node) if isinstance(node, ast.If) else [node])]
    names = {node.name for node in top if isinstance(node, ast.ClassDef | Function)}
    names |= {
        alias.asname or alias.name for n in top if isinstance(n, ast.Import | ast.ImportFrom) for alias in n.names
    }
    stores = (inner for node in top if isinstance(node, ast.Assign | ast.AnnAssign) for inner in ast.walk(node))
    return names | {n.id for n in stores if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


@rule("nobody imports past a package's public names")
def imports_stop_at_packages(house: House) -> Iterator[str]:
    """Names of a module are imported from its package, but in the package itself; packages without names are open."""
    names = {module.name for module in house}
    packages = {module.name: module for module in house if module.parts[-1] == "__init__"}
    open_packages = {name for name, one in packages.items() if name.count(".") == 1 and not bound(one)}
    for module in house:
        here = module.name if module.name in packages else module.name.rpartition(".")[0]
        for node, _, dotted in imported(module):
            target = longest_module(dotted, names)
            package = target.rpartition(".")[0]
            if target in packages or package in open_packages | {"", PACKAGE, *WORD_TABLES}:
                continue
            if not f"{here}.".startswith(f"{package}."):
                yield module.at(node, f"imports {target}; take its names from {package}")


@rule("what is imported from a package is one of its public names")
def imports_name_public_names(house: House) -> Iterator[str]:
    """Where names are imported when they are first asked for; type checkers read every name of the modules there."""
    public = {module.name: {*names, *bound(module)} for module in house if (names := lazy_names_of(module))}
    modules = {module.name for module in house}
    for module in house:
        hidden = [name for name in lazy_names_of(module) if f"{module.name}.{name}" in modules]
        yield from (
            module.at(1, f"{name!r} is also a module, which takes its place once it is loaded") for name in hidden
        )
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom) and (base := origin(module, node)) in public:
                yield from (
                    module.at(node, f"{alias.name!r} is no public name of {base}")
                    for alias in node.names
                    if alias.name not in public[base] and f"{base}.{alias.name}" not in modules
                )


def lazy_names_of(module: Module) -> list[str]:
    """The names in the table that a package gives to `lazy_names`."""
    calls = (node for node in module.nodes if isinstance(node, ast.Call) and dotted_name(node.func) == "lazy_names")
    return [name for call in calls for keyword in call.keywords for name in string_value(keyword.value).split()]


@rule("nothing is left unfinished")
def nothing_is_unfinished(house: House) -> Iterator[str]:
    for module in house:
        for number, line in enumerate(module.text.split("\n"), 1):
            mark = UNFINISHED.search(line)
            if mark:
                yield module.at(number, f"{mark[0]}: do it, or open an issue")


# Names: what a newcomer has to keep apart.


@rule("top-level names are unique")
def top_level_names_are_unique(house: House) -> Iterator[str]:
    """At most 2 % of the classes and 10 % of the functions, private ones too, have a name that another module has."""
    for kind, share in ((ast.ClassDef, SHARED_CLASS_NAMES), (Function, SHARED_FUNCTION_NAMES)):
        named = modules_by_name(house, kind)
        repeated = {name: paths for name, paths in named.items() if len(paths) > 1}
        count = sum(map(len, named.values()))
        if sum(map(len, repeated.values())) > share * count:
            yield from (f"{name} stands in {', '.join(sorted(paths))}" for name, paths in sorted(repeated.items()))


def modules_by_name(house: House, kind: Any) -> dict[str, set[str]]:
    """The modules that have each top-level name of a kind of node."""
    modules: dict[str, set[str]] = {}
    for module in house:
        for node in module.tree.body:
            if isinstance(node, kind):
                modules.setdefault(node.name, set()).add(module.path)
    return modules


@rule("a parameter name means one thing")
def parameter_names_mean_one_thing(house: House) -> Iterator[str]:
    """At most five parameter names have more than five different annotations; a type is one, its module named or not."""
    annotations: dict[str, set[str]] = {}
    for module in house:
        for function in functions(module):
            for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
                if argument.annotation:
                    bare = re.sub(r"\b[a-z_0-9]+\.(?=[A-Z])", "", ast.unparse(argument.annotation))
                    annotations.setdefault(argument.arg, set()).add(bare)
    many = {name: kinds for name, kinds in annotations.items() if len(kinds) > ANNOTATIONS_PER_PARAMETER}
    if len(many) > PARAMETERS_OF_MANY_TYPES:
        yield from (f"{name!r} is one of {', '.join(sorted(kinds))}" for name, kinds in sorted(many.items()))


@rule("no name on the stop list")
def no_name_is_on_the_stop_list(house: House) -> Iterator[str]:
    """Modules, classes, functions, parameters and attributes; local variables are free."""
    for module in house:
        for part in module.parts:
            if part.strip("_") in STOP_LIST:
                yield module.at(1, f"{part!r} does not say what the module holds")
        for node in module.nodes:
            for name in bound_by(node):
                if name.strip("_").lower() in STOP_LIST and f"{module.path}:{name}" not in PUBLISHED_NAMES:
                    yield module.at(node, f"{name!r} does not say which thing is meant")


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names of classes, functions, parameters and attributes that a node makes."""
    if isinstance(node, ast.ClassDef):
        yield node.name
        yield from (n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name))
    elif isinstance(node, Function):
        yield node.name
        yield from (a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


@rule("what is kept is on the list of stores")
def what_is_kept_is_on_the_list_of_stores(house: House) -> Iterator[str]:
    """`forget` erases in the stores of `storage/stores.py`; elsewhere below `.memory`, or in a folder for state or
    temporary files, only the modules may keep something that are named here with what."""
    for module in house:
        for node in module.nodes:
            path = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if path.startswith(".memory/") and " " not in path and not on_list_of_stores(path):
                yield module.at(node, f"{path!r} is not in `STORES`")
            is_outside = isinstance(node, ast.Attribute) and node.attr in ("state_home", "runtime", "temporary")
            if is_outside and module.path not in USERS_OF_STATE_FOLDERS:
                yield module.at(node, "a state folder that `forget` does not know")


def on_list_of_stores(path: str) -> bool:
    return path == ".memory/" or any(path.startswith(start) for start in STORES)


USERS_OF_STATE_FOLDERS = {
    "storage/config.py": "the index and the socket of the daemon",
    "bridges/hosts/installation.py": "the changes of hosts' configurations",
    "bridges/hosts/locations.py": "the changes of hosts' configurations",
    "cli/serve.py": "the token of the MCP server",
    "memory/forgetting.py": "the scan of all these",
}


@rule("branches over a Literal are closed with assert_never")
def branches_over_literals_are_closed(house: House) -> Iterator[str]:
    """Each `match`; and each run of tests of one expression that names all members of a Literal, or all but one."""
    literals = [members for module in house for members in literal_types(module)]
    for module in house:
        for node in module.nodes:
            if isinstance(node, ast.Match) and not is_closed(node.cases[-1].body):
                yield module.at(node, "this match does not end in `case _: assert_never(…)`")
            for name in ("body", "orelse"):
                statements = getattr(node, name, None)
                for test, strings in compared_strings(statements) if isinstance(statements, list) else ():
                    if len(strings) > 1 and any(strings <= one and len(one - strings) < 2 for one in literals):
                        yield module.at(test, f"write a match that is closed: {', '.join(sorted(strings))}")


def literal_types(module: Module) -> Iterator[set[str]]:
    """The members of each `Name = Literal[…]` of a module."""
    for node in module.tree.body:
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Subscript) and dotted_name(value.value) == "Literal":
            yield {string_value(one) for one in ast.walk(value.slice) if string_value(one)}


def is_closed(body: list[ast.stmt]) -> bool:
    last = body[-1]
    return isinstance(last, ast.Expr | ast.Return) and "assert_never(" in ast.unparse(last)


def compared_strings(statements: list[ast.stmt]) -> Iterator[tuple[ast.AST, set[str]]]:
    """Each run of `if x == "a":`, one after the other or by `elif`, as its first test and the strings named."""
    expression, first, strings = "", ast.AST(), set[str]()
    for test in [test for statement in statements for test in branch_tests(statement)] + [None]:
        compared, value = "", ""
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
            compared, value = ast.unparse(test.left), string_value(test.comparators[0])
        if strings and (not value or compared != expression):
            yield first, strings
            strings = set()
        if test is not None and value:
            first = first if strings else test
            expression, strings = compared, strings | {value}


def branch_tests(statement: ast.stmt) -> Iterator[ast.expr | None]:
    if not isinstance(statement, ast.If):
        yield None
    while isinstance(statement, ast.If):
        yield statement.test
        following = statement.orelse
        if len(following) != 1:
            return
        statement = following[0]


# The house keeps its rules.


@pytest.fixture(scope="module")
def house() -> House:
    base = ROOT / "src" / PACKAGE
    paths = sorted(base.rglob("*.py"))
    assert paths, "there is no package under src/"
    return tuple(Module(path.relative_to(base).as_posix(), path.read_text(encoding="utf-8")) for path in paths)


@pytest.mark.parametrize("sentence", RULES)
def test_the_house_keeps_the_rule(sentence: str, house: House) -> None:
    findings = list(RULES[sentence](house))
    assert not findings, "\n".join((f"{sentence}:", *findings))


def test_the_exported_names_of_the_package_can_be_imported() -> None:
    package = importlib.import_module(PACKAGE)
    missing = [name for name in getattr(package, "__all__", ()) if not hasattr(package, name)]
    assert not missing


def test_the_names_that_packages_import_late_are_there(house: House) -> None:
    packages = {module.name: names for module in house if (names := lazy_names_of(module))}
    assert packages
    for package, names in packages.items():
        assert not [name for name in names if not hasattr(importlib.import_module(package), name)], package


def test_architecture_draws_the_floors_that_the_rules_enforce() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \|([^|]*)\|", text, re.MULTILINE)
    assert {int(floor): tuple(re.findall(r"`(\w+)`", rooms)) for floor, rooms in rows} == LAYERS


# Each rule finds what it forbids: (rule, path, offending text), then what looks alike and is allowed.

DOC = '"""A room."""\n'
PAST = "nobody imports past a package's public names"
PUBLIC = "what is imported from a package is one of its public names"
CLOSED = "branches over a Literal are closed with assert_never"
LONG = DOC + "def g(): pass\n" * 30 + "def f():\n" + "    pass\n" * FUNCTION_LINES_MOST
MANY_TYPED = ("values", "words", "items", "lines", "entries", "records", "names", "texts", "keys")
OFFENCES: list[tuple[str, str, str]] = [
    ("every package has a layer", "attic.py", DOC),
    ("imports go downward, or to the left on one layer", "model.py", "from commonplace.index import Index"),
    ("imports go downward, or to the left on one layer", "model.py", "from commonplace import index"),
    ("imports go downward, or to the left on one layer", "index/sqlite.py", "from ..sync import sync"),
    ("imports go downward, or to the left on one layer", "index/sqlite.py", "from .. import sync"),
    ("imports go downward, or to the left on one layer", "retrieval/score.py", "import commonplace.upkeep.checks"),
    ("imports go downward, or to the left on one layer", "retrieval/score.py", "from commonplace import Memory"),
    ("imports go downward, or to the left on one layer", "retrieval/score.py", "from commonplace.attic import box"),
    ("imports go downward, or to the left on one layer", "language/stems.py", "def f():\n    import commonplace.cli"),
    ("imports go downward, or to the left on one layer", "memory.py", "load = import_module('commonplace.cli.main')"),
    ("no module imports itself by way of others", "index/__init__.py", "from commonplace.index.rows import row"),
    ("no module imports itself by way of others", "index/rows.py", "def f():\n    from commonplace.index import put"),
    ("module names say what is inside", "retrieval/score_utils.py", DOC),
    ("module names say what is inside", "core/score.py", DOC),
    ("SQL stands in index/ only", "sync.py", "rows = db.execute('select id\\nfrom records')"),
    ("SQL stands in index/ only", "sync.py", "q = f'insert or ignore into {table} values (?)'"),
    ("SQL stands in index/ only", "sync.py", "q = f'select {columns} from {table}'"),
    ("SQL stands in index/ only", "sync.py", "q = 'with a as (select 1) select * from a'"),
    ("SQL stands in index/ only", "check.py", "q = 'DELETE FROM records'"),
    ("SQL stands in index/ only", "check.py", "q = 'update records set trust = ?'"),
    ("SQL stands in index/ only", "check.py", "q = 'create virtual table words using fts5(text)'"),
    ("SQL stands in index/ only", "check.py", "q = 'pragma user_version'"),
    ("SQL stands in index/ only", "check.py", "q = 'begin immediate'"),
    ("SQLite is opened in index/ only", "sync.py", "def f():\n    import apsw"),
    ("SQLite is opened in index/ only", "sync.py", "from sqlite3 import connect"),
    ("SQLite is opened in index/ only", "capture/imports/memories/memoria.py", "import apsw"),
    ("SQL stands in index/ only", "capture/imports/memories/memoria.py", "q = 'select id from facts'"),
    ("the environment is read in storage/config only", "memory.py", "import os\nhome = os.environ['HOME']"),
    ("the environment is read in storage/config only", "memory.py", "import os as o\nhome = o.environ.get('HOME')"),
    ("the environment is read in storage/config only", "cli/main.py", "from os import getenv"),
    (OPENED, "journal.py", "with open(path) as file: pass"),
    (OPENED, "storage/workspace/read.py", "import os\nos.open(path, os.O_RDONLY)"),
    (OPENED, "upkeep/checks.py", "from pathlib import Path"),
    (LISTED, "index/database.py", "import os\nnames = os.listdir(folder)"),
    (LISTED, "sync/files.py", "from glob import iglob"),
    ("nothing sleeps", "files.py", "import time\ntime.sleep(1)"),
    ("nothing sleeps", "files.py", "from time import sleep"),
    ("the clock is read at the edges only", "journal.py", "import datetime as d\nd.datetime.now()"),
    ("the clock is read at the edges only", "journal.py", "from datetime import datetime\ndatetime.now()"),
    ("the clock is read at the edges only", "files.py", "from time import time"),
    ("chance enters at the edges only", "journal.py", "import random"),
    ("chance enters at the edges only", "journal.py", "from uuid import uuid4"),
    ("chance enters at the edges only", "storage/workspace/write.py", "from secrets import token_hex"),
    ("only cli prints", "memory.py", "print('hello')"),
    ("only cli prints", "memory.py", "import sys\nsys.stderr.write('hello')"),
    ("no text becomes code", "config.py", "eval('1')"),
    ("no text becomes code", "config.py", "exec('1')"),
    ("no text becomes code", "index/cache.py", "import pickle"),
    ("no text becomes code", "index/cache.py", "from marshal import loads"),
    ("no text becomes code", "index/cache.py", "import shelve"),
    ("YAML is loaded in storage/workspace/front_matter only", "config.py", "import yaml\nyaml.load(text, Loader=Ours)"),
    (
        "YAML is loaded in storage/workspace/front_matter only",
        "storage/workspace/parse.py",
        "from yaml import safe_load",
    ),
    (
        "no YAML loader that builds objects",
        "storage/workspace/front_matter.py",
        "import yaml\nyaml.load(text, yaml.Loader)",
    ),
    ("no YAML loader that builds objects", "storage/workspace/front_matter.py", "import yaml\nyaml.unsafe_load(text)"),
    ("lines are split on the newline only", "storage/workspace/parse.py", "lines = text.splitlines()"),
    ("no exception is swallowed", "sync.py", "try:\n    f()\nexcept Exception:\n    raise"),
    ("no exception is swallowed", "sync.py", "try:\n    f()\nexcept (OSError, Exception) as e:\n    pass"),
    ("no exception is swallowed", "sync.py", "try:\n    f()\nexcept:\n    raise"),
    ("no exception is swallowed", "sync.py", "try:\n    f()\nexcept BaseException:\n    undo()"),
    ("files fit", "sync.py", DOC + "a = 1\n" * FILE_LINES),
    ("functions fit a screen", "sync.py", LONG),
    ("functions fit a screen", "sync.py", DOC + ("def f():\n" + "    pass\n" * 10) * 20),
    ("functions fit a screen", "sync.py", DOC + "def g(): pass\n" * 18 + ("def f():\n" + "    pass\n" * 40) * 2),
    ("functions take four parameters at most", "sync.py", "def f(a, b, c, /, d, e): pass"),
    ("functions take four parameters at most", "sync.py", "class A:\n    def f(self, a, b, c, d, e): pass"),
    ("every module opens with one sentence", "sync.py", "import os"),
    ("every module opens with one sentence", "sync.py", ""),
    ("every module opens with one sentence", "sync.py", '# a comment\n"""Files to index."""'),
    ("every module opens with one sentence", "sync.py", '"""Files to\nindex."""'),
    ("every module opens with one sentence", "sync.py", '"""Files to index. And back."""'),
    ("public functions and classes are explained", "sync.py", "def f(): pass"),
    ("public functions and classes are explained", "sync.py", "class A:\n    x = 1"),
    ("__all__ is sorted and true", "__init__.py", "a = b = 1\n__all__ = ['b', 'a']"),
    ("__all__ is sorted and true", "__init__.py", "a = 1\n__all__ = ['a', 'b']"),
    (PAST, "sync.py", "from commonplace.index.rows import Row"),
    (PAST, "sync.py", "from commonplace.index import rows"),
    (PAST, "sync.py", "def f():\n    import commonplace.index.rows"),
    (PUBLIC, "sync.py", "from commonplace.index import Rows"),
    ("nothing is left unfinished", "sync.py", "a = 1  # TODO later"),
    ("top-level names are unique", "sync.py", "class Plan: pass"),
    ("top-level names are unique", "sync.py", "def _lines(): pass"),
    (
        "a parameter name means one thing",
        "sync.py",
        "\n".join(f"def f{n}(rows: T{n % 6}, {MANY_TYPED[n % 9]}: T{n}): pass" for n in range(63)),
    ),
    ("what is kept is on the list of stores", "sync.py", "NOTES = '.memory/notes.json'"),
    ("what is kept is on the list of stores", "sync.py", "def f(environment): return environment.state_home"),
    (CLOSED, "sync.py", "match kind:\n    case 'a': f()\n    case 'b': g()"),
    (
        CLOSED,
        "sync.py",
        "Kind = Literal['a', 'b', 'c']\ndef f():\n    if k == 'a': return 1\n    if k == 'b': return 2",
    ),
    (CLOSED, "sync.py", "Kind = Literal['a', 'b']\nif k == 'a': f()\nelif k == 'b': g()\nelse: h()"),
    ("no name on the stop list", "kept.py", DOC),
    ("no name on the stop list", "sync.py", "class Place: pass"),
    ("no name on the stop list", "sync.py", "def _told(): pass"),
    ("no name on the stop list", "sync.py", "def f(asked: str): pass"),
    ("no name on the stop list", "sync.py", "class A:\n    found: int"),
    ("no name on the stop list", "sync.py", "class A:\n    def __init__(self):\n        self.wanted = 1"),
]
ALLOWED: list[tuple[str, str, str]] = [
    (
        "imports go downward, or to the left on one layer",
        "storage/workspace/write.py",
        "from commonplace.storage.files import write",
    ),
    ("imports go downward, or to the left on one layer", "storage/write.py", "from .parse import parse"),
    ("imports go downward, or to the left on one layer", "cli/main.py", "from commonplace import Memory"),
    ("imports go downward, or to the left on one layer", "__init__.py", "from .memory import Memory"),
    ("imports go downward, or to the left on one layer", "__main__.py", "from commonplace.cli import main"),
    ("SQL stands in index/ only", "index/sqlite.py", "q = 'select id from records'"),
    ("SQL stands in index/ only", FOREIGN, "q = 'select id from facts'"),
    ("SQLite is opened in index/ only", FOREIGN, "def f():\n    import apsw"),
    ("SQL stands in index/ only", "sync.py", "def f():\n    'Select what is new from the files.'"),
    ("SQL stands in index/ only", "sync.py", "q = 'update the settings, or select another folder'"),
    ("the environment is read in storage/config only", "storage/config.py", "import os\nos.environ"),
    (OPENED, "storage/files/content.py", "import os\nos.open(path, os.O_RDONLY)"),
    (LISTED, "storage/files/paths.py", "import os\nos.walk(root)"),
    (OPENED, "memory.py", "class Memory:\n    def open(self): return Memory.open(self)"),
    ("chance enters at the edges only", "storage/files/content.py", "from secrets import token_hex"),
    (
        "the clock is read at the edges only",
        "retrieval/when.py",
        "from datetime import datetime\ndatetime.fromisoformat(now)",
    ),
    ("the clock is read at the edges only", "retrieval/pack/fit.py", "from time import perf_counter\nperf_counter()"),
    (
        "YAML is loaded in storage/workspace/front_matter only",
        "storage/workspace/front_matter.py",
        "import yaml\nyaml.load(text, Ours)",
    ),
    ("no text becomes code", "index/sqlite.py", "connection.exec('x')\nself.eval"),
    ("no exception is swallowed", "cli/__init__.py", "try:\n    f()\nexcept Exception:\n    report()"),
    ("no exception is swallowed", "serve/dispatch/worker.py", "try:\n    f()\nexcept Exception:\n    report()"),
    ("no exception is swallowed", "files.py", "try:\n    f()\nexcept BaseException:\n    undo()\n    raise"),
    ("no exception is swallowed", "sync.py", "try:\n    f()\nexcept (OSError, ValueError):\n    g()"),
    ("files fit", "sync.py", "a = 1\n" * FILE_LINES),
    ("functions take four parameters at most", "sync.py", "class A:\n    def f(self, a, b, c, d, *, e, g): pass"),
    ("__all__ is sorted and true", "__init__.py", "from .x import Hit\nKINDS: int = 1\n__all__ = ['KINDS', 'Hit']"),
    ("module names say what is inside", "cli/commands.py", DOC),
    (CLOSED, "sync.py", "match kind:\n    case 'a': f()\n    case _: assert_never(kind)"),
    (CLOSED, "sync.py", "Kind = Literal['a', 'b', 'c', 'd']\nif k == 'a': f()\nelif k == 'b': g()"),
    (CLOSED, "sync.py", "Kind = Literal['a', 'b']\nif k == 'a': f()\nif j == 'b': g()"),
    (PAST, "sync.py", "from commonplace.index import Index\nfrom commonplace.storage import config"),
    (PAST, "index/store.py", "from commonplace.index.rows import Row"),
    (PUBLIC, "sync.py", "from commonplace.index import Index, rows"),
    ("no name on the stop list", "sync.py", "def f(rows):\n    found = rows"),
    ("no name on the stop list", "capture/ingestion.py", "class A:\n    known: int"),
]
COMPANIONS = {
    "sync.py": ("index/__init__.py", "__getattr__ = lazy_names(__name__, rows='Index')"),
    "index/__init__.py": ("index/rows.py", "from commonplace.index import put"),
    "index/rows.py": ("index/__init__.py", "from .rows import row"),
}


@pytest.mark.parametrize(("sentence", "path", "text"), OFFENCES)
def test_the_rule_finds_what_it_forbids(sentence: str, path: str, text: str) -> None:
    modules = [Module(path, text)]
    if sentence in (PAST, PUBLIC):
        modules += [Module("index/rows.py", DOC)]
    if "by way of others" in sentence or sentence in (PAST, PUBLIC):
        modules.append(Module(*COMPANIONS[path]))
    if "unique" in sentence:
        modules.append(Module("pack.py", text))
    assert list(RULES[sentence](tuple(modules)))


@pytest.mark.parametrize(("sentence", "path", "text"), ALLOWED)
def test_the_rule_lets_pass_what_only_looks_alike(sentence: str, path: str, text: str) -> None:
    others = [Module("index/rows.py", DOC), Module(*COMPANIONS["sync.py"])] if sentence in (PAST, PUBLIC) else []
    others += [Module("storage/__init__.py", DOC), Module("storage/config.py", DOC)]
    assert not list(RULES[sentence]((Module(path, text), *others)))


def test_every_rule_is_shown_an_offence() -> None:
    assert {sentence for sentence, _, _ in OFFENCES} == set(RULES)
