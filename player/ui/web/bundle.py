"""The page's ES modules as one script: each module becomes a function that returns its exports.

Only the forms in which the page's modules are written are understood: an import by name or as a
whole from a relative path, in a statement of its own, and `export` in front of a declaration. Any
other form is an error.
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
# a browser needs no comments: in scripts those on lines of their own, and those after code
COMMENT = re.compile(
    r"^[ ]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n|(?<=[;{},]) // [^\n\"'`]*$", re.MULTILINE
)
STYLE_COMMENT = re.compile(r"[ ]*/\*(?:[^*]|\*(?!/))*\*/")
INDENTATION = re.compile(r"^\s+", re.MULTILINE)  # and empty lines
# the end of one import and the beginning of the next
IMPORTS = re.compile(r"(= m\[\d+\]);\nconst (?=[^\n]*= m\[\d+\];$)", re.MULTILINE)
# space in a style sheet without a meaning
BRACE_SPACE, COLON_SPACE = re.compile(r" *([{};])\s*"), re.compile(r"(?<=[{;])([a-z-]+): ")
UNSUPPORTED = re.compile(r"^\s*(?:import|export)\b|\bimport\(|\bimport\.meta\b", re.MULTILINE)
SCRIPT_END = re.compile(r"</script|<!--", re.IGNORECASE)  # ends or changes a script within HTML


def static(path: str) -> str:
    """Return the text of a file of the page."""
    return (STATIC / path).read_text("utf-8")


def style(paths: Iterable[str]) -> str:
    """Return the style sheets of these paths as one, without comments and needless space."""
    text = "".join(STYLE_COMMENT.sub("", static(path)) for path in paths)
    return COLON_SPACE.sub(r"\1:", BRACE_SPACE.sub(r"\1", INDENTATION.sub("", text)))


def bundle(first: str, read: Callable[[str], str]) -> str:
    """Return the module `first` and all modules that it imports as one script. `read` returns the
    text of a module by its path.

    Raises: ValueError for a form that is not understood.
    """
    functions = modules(first, read).values()
    each = "".join(
        f"m[{number}] = (() => {{\n{text}}})();\n" for number, text in enumerate(functions)
    )
    script = f'"use strict";\nconst m = [];\n{each}'
    if SCRIPT_END.search(script):
        raise ValueError("a module has a text in it that ends a script within HTML")
    return script


def modules(first: str, read: Callable[[str], str]) -> Mapping[str, str]:
    """Return the bodies of the functions of all modules, by path, in the order of their imports. In
    the script they have numbers, which are shorter than paths.
    """
    order: dict[str, str] = {}
    _add(first, read, order, ())
    return order


def _add(
    path: str, read: Callable[[str], str], order: dict[str, str], above: tuple[str, ...]
) -> None:
    """Add a module to `order`, after the modules that it imports."""
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
    """Return the body of the function of a module. `earlier`: the paths of the modules before it."""

    def importing(found: re.Match[str]) -> str:
        names, whole, place = found.groups()
        what = whole or f"{{ {', '.join(_renamed(names))} }}"
        return f"const {what} = m[{earlier.index(_place(path, place))}];\n"

    text = COMMENT.sub("", text)
    exported = EXPORT.findall(text)
    body = EXPORT.sub(lambda found: found[0].removeprefix("export "), IMPORT.sub(importing, text))
    if UNSUPPORTED.search(body):
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
