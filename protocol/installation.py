"""The way in which this program was installed, and the command that adds an optional part.

A command names the packages of the part themselves, as the program's own metadata lists them. So it
is right wherever the program came from: a checkout, a wheel, or an index.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

NAME = "fairdeal"
CHECKOUT = Path(__file__).resolve().parent.parent
_EXTRA = re.compile(r"pip install 'fairdeal\[(\w+)\]'")


def install_command(extra: str) -> str:
    """Return the command, as it is typed, that installs an extra (`web`, `poker`) beside this
    program.
    """
    packages = _packages(extra) or (f"{CHECKOUT}[{extra}]",)
    return packages_command(packages)


def packages_command(packages: Sequence[str]) -> str:
    """Return the command that installs these packages where this program finds them."""
    return command_for(packages, Path(sys.prefix), Path(sys.executable), sys.platform)


def here(command: str) -> str:
    """Return a command of a game's spec as it works here: `pip install 'fairdeal[EXTRA]'` becomes
    that of `install_command`; any other one stays.
    """
    found = _EXTRA.fullmatch(command)
    return command if found is None else install_command(found[1])


def command_for(packages: Sequence[str], prefix: Path, executable: Path, platform: str) -> str:
    """Return the command for the tool that has made the environment `prefix`."""
    python = str(executable)
    if (prefix / "pipx_metadata.json").exists():
        words = ["pipx", "inject", prefix.name]  # `pipx install --suffix` gives it another name
    elif (prefix / "uv-receipt.toml").exists() or find_spec("pip") is None:
        words = ["uv", "pip", "install", "--python", python]
    elif Path(shutil.which("pip") or "").parent == executable.parent:
        words = ["pip", "install"]
    else:
        words = [python, "-P", "-m", "pip", "install"]
    return command_line((*words, *packages), platform)


def command_line(words: Sequence[str], platform: str) -> str:
    """Join the words of a command as the usual shell of a platform reads them."""
    return " ".join(_quoted(word, platform) for word in words)


def _quoted(word: str, platform: str) -> str:
    """Quote a word for the usual shell of a platform."""
    if platform != "win32":
        return shlex.quote(word)
    return word if re.fullmatch(r"[\w.:\\/=-]+", word) else f'"{word}"'


def _packages(extra: str) -> tuple[str, ...]:
    """Return the requirements of an extra; nothing if the program runs without being installed."""
    from importlib.metadata import PackageNotFoundError, requires  # slow, and seldom needed

    try:
        listed = requires(NAME) or []
    except PackageNotFoundError:
        return ()
    parts = (one.partition(";") for one in listed)
    return tuple(
        name.strip()
        for name, _, marker in parts
        if re.fullmatch(rf"""\s*extra == ['"]{re.escape(extra)}['"]\s*""", marker)
    )
