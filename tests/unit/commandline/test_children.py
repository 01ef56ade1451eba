"""Module search paths of Python child processes, and the commands that start them."""

import os
import re
import sys
from pathlib import Path

import pytest

from commandline.children import environ_of
from tests.support.architecture import PACKAGES, ROOT, files

LIBRARY = str(Path(os.__file__).parent)
TEXTS = (
    *(
        "*.md",
        "docs/**/*.md",
        "deploy/*/*",
        ".ci/*",
        "scripts/*",
        "scripts/**/*.py",
        "tests/**/*.py",
    ),
    *(
        f"{package}/**/*.{suffix}"
        for package in PACKAGES
        for suffix in ("py", "po", "json", "html", "js")
    ),
)
# `python`, `python3.12`, `"$python"`, also as words of a list; then flags up to the one before the
# program.
COMMAND = re.compile(
    r"""python[\d.]*["']?,?\s+((?:["']?-[a-zA-Z]+["']?,?\s+)*?["']?-[a-zA-Z]*[mc])\b"""
)
SAFE = re.compile(r"-[a-zA-Z]*[PI]")


@pytest.mark.parametrize(
    ("given", "found", "expected"),
    [
        (None, [], None),
        ("", [], None),
        (":/a:.:lib:/b", [], "/a:/b"),
        (None, [str(ROOT)], str(ROOT)),
        ("", ["", str(ROOT)], str(ROOT)),
        (".", [str(ROOT)], str(ROOT)),
        ("/a", ["/a", str(ROOT)], f"{ROOT}:/a"),
        (f"/a:{ROOT}", ["/a", str(ROOT)], f"/a:{ROOT}"),
    ],
)
def test_pythonpath_of_a_child_has_absolute_folders_only(given, found, expected):
    environ = {"HOME": "/home"} | ({} if given is None else {"PYTHONPATH": given})
    child = environ_of(environ, [*found, LIBRARY, "/site-packages"])
    assert child == {"HOME": "/home"} | ({} if expected is None else {"PYTHONPATH": expected})


def test_pythonpath_omits_packages_after_the_library():
    assert environ_of({}, ["/bin", LIBRARY, str(ROOT)]) == {}


def test_pythonpath_makes_working_directory_packages_absolute(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert environ_of({}, ["", LIBRARY]) == {"PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("python -m table", True),
        ("python3.12 -u -m table", True),
        ("python -um table", True),
        ('"$python" -m venv', True),
        ('["python", "-m", "table"]', True),
        ("python -c 'import table'", True),
        ("python -P -m table", False),
        ("python -I -c 'import table'", False),
        ("python scripts/demo.py", False),
    ],
)
def test_bare_python_command_is_recognised(text, bare):
    assert bool(bare_commands(text)) == bare


def bare_commands(text: str) -> list[str]:
    """Return the commands with which Python looks for modules in the working directory."""
    return [found[0] for found in COMMAND.finditer(text) if not SAFE.search(found[1])]


@pytest.mark.slow
def test_no_text_has_a_bare_python_command():
    found = {path for pattern in TEXTS for path in ROOT.glob(pattern)} - {Path(__file__)}
    texts = {path: path.read_text("utf-8") for path in found if path.is_file()}
    wrong = {str(path.relative_to(ROOT)): bare_commands(text) for path, text in texts.items()}
    assert {name: bare for name, bare in wrong.items() if bare} == {}


@pytest.mark.slow
def test_one_function_starts_all_python_children():
    """Other code only asks for the folder of Python. The scripts' environment is made before there
    are packages to import.
    """
    texts = {path: path.read_text("utf-8") for path in (*files(), *ROOT.glob("scripts/**/*.py"))}
    starts = [
        path
        for path, text in texts.items()
        if "sys.executable" in text.replace("Path(sys.executable)", "")
    ]
    assert starts == [
        ROOT / "commandline" / "children.py",
        ROOT / "scripts" / "environment.py",
    ]


def test_no_script_has_a_standard_library_name():
    """A script that is run by its path looks for modules in its own folder first."""
    names = {
        path.stem for path in (ROOT / "scripts").iterdir() if path.is_dir() or path.suffix == ".py"
    }
    assert len(names) > 10 and names.isdisjoint(sys.stdlib_module_names)
