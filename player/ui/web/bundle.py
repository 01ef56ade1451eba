"""The page's ES modules as one script: each module is a function that gives what it exports.

What is understood is what the page's modules are written in: imports by name or as a whole from
relative places, each in a statement of its own, and `export` in front of what it exports. Anything
else is noticed, not guessed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from posixpath import dirname, join, normpath

STATIC = files("player.ui.web") / "static"
IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:const|let|function|class)\b)(?:async )?\w+\*? (\w+)", re.MULTILINE
)
# Readers of the source need comments, a browser does not. In scripts: those that have their lines to
# themselves, and those at the end of a line of code.
COMMENT = re.compile(
    r"^[ ]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n|(?<=[;{},]) // [^\n\"'`]*$", re.MULTILINE
)
STYLE_COMMENT = re.compile(r"[ ]*/\*(?:[^*]|\*(?!/))*\*/")
INDENTATION = re.compile(r"^\s+", re.MULTILINE)  # and empty lines
IMPORTS = re.compile(r"(= m\[\d+\]);\nconst (?=[^\n]*= m\[\d+\];$)", re.MULTILINE)  # in a row
# space in a style sheet that says nothing
AROUND, AFTER = re.compile(r" *([{};])\s*"), re.compile(r"(?<=[{;])([a-z-]+): ")
LEFT = re.compile(r"^\s*(?:import|export)\b|\bimport\(|\bimport\.meta\b", re.MULTILINE)
ENDS = re.compile(r"</script|<!--", re.IGNORECASE)  # what would end or change a script within HTML


def static(path: str) -> str:
    """The text of a file of the page."""
    return (STATIC / path).read_text("utf-8")


def style(paths: Iterable[str]) -> str:
    """The style sheets of these paths as one, without comments and without space between rules."""
    text = "".join(STYLE_COMMENT.sub("", static(path)) for path in paths)
    return AFTER.sub(r"\1:", AROUND.sub(r"\1", INDENTATION.sub("", text)))


def bundle(first: str, read: Callable[[str], str]) -> str:
    """The script of the module `first` and all that it imports; `read` gives a module's text by its
    path.

    Raises: ValueError for what is written in another way.
    """
    functions = modules(first, read).values()
    each = "".join(
        f"m[{number}] = (() => {{\n{text}}})();\n" for number, text in enumerate(functions)
    )
    script = f'"use strict";\nconst m = [];\n{each}'
    if ENDS.search(script):
        raise ValueError("a module has a text in it that ends a script within HTML")
    return script


def modules(first: str, read: Callable[[str], str]) -> Mapping[str, str]:
    """The bodies of the functions that modules become, by path, in the order of their imports. In
    the script they have numbers, which are shorter than paths.
    """
    order: dict[str, str] = {}
    _add(first, read, order, ())
    return order


def _add(
    path: str, read: Callable[[str], str], order: dict[str, str], above: tuple[str, ...]
) -> None:
    """A module, after those that it imports."""
    if path in above:
        raise ValueError(f"{path} imports itself by way of {above[-1]}")
    if path in order:
        return
    text = read(path)
    for found in IMPORT.finditer(text):
        _add(_place(path, found[3]), read, order, (*above, path))
    order[path] = _as_function(path, text, list(order))


def _place(path: str, imported: str) -> str:
    return normpath(join(dirname(path), imported))


def _as_function(path: str, text: str, earlier: list[str]) -> str:
    """The body of the function that a module becomes. `earlier` has the modules before it."""

    def importing(found: re.Match[str]) -> str:
        names, whole, place = found.groups()
        what = whole or f"{{ {', '.join(_renamed(names))} }}"
        return f"const {what} = m[{earlier.index(_place(path, place))}];\n"

    text = COMMENT.sub("", text)
    exported = EXPORT.findall(text)
    body = EXPORT.sub(lambda found: found[0].removeprefix("export "), IMPORT.sub(importing, text))
    if LEFT.search(body):
        raise ValueError(f"{path} imports or exports in a way that is not understood here")
    if any(line.count("`") % 2 for line in body.splitlines()):
        raise ValueError(
            f"{path} has a template of several lines, which would lose its indentation"
        )
    body = IMPORTS.sub(r"\1,", INDENTATION.sub("", body)).rstrip()
    return f"{body}\nreturn {{ {', '.join(exported)} }};\n"


def _renamed(names: str) -> Iterator[str]:
    for name in names.split(","):
        if name.strip():
            yield re.sub(r"^(\w+) as (\w+)$", r"\1: \2", name.strip())
