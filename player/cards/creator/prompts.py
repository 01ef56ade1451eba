"""Questions to a person at a terminal, each with the answer that Enter gives; elsewhere that is the
answer.
"""

import sys
from collections.abc import Callable

from protocol.errors import LocalError
from protocol.view.phrase import phrase
from protocol.view.text import Say


class Asking:
    """`say`: in the person's language."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._asks = sys.stdin.isatty() and sys.stdout.isatty()

    def text(self, given: str | None, key: str, usual: str) -> str:
        """What was given on the command line, or the answer to the question of this key."""
        if given is not None:
            return given
        return self._answer(key, usual) or usual

    def number(self, given: int | None, key: str, usual: int) -> int:
        """The same for a number from 0. Raises: LocalError."""
        if given is not None:
            return given
        answer = self._answer(key, str(usual)) or str(usual)
        if not answer.isdecimal():
            raise LocalError("wrong.creator.number", text=answer)
        return int(answer)

    def _answer(self, key: str, usual: str) -> str:
        if not self._asks:
            return ""
        return input(self._say(phrase(key, usual=usual)) + " ").strip()


def named(text: str, names: dict[bytes, str], wrong: Callable[[], LocalError]) -> bytes:
    """The one of these that is called so, or whose id begins so. Raises: LocalError."""
    wanted = text.strip().casefold()
    found = [one for one, name in names.items() if name.casefold() == wanted]
    found = found or [one for one in names if len(wanted) >= 4 and one.hex().startswith(wanted)]
    if len(found) != 1:
        raise wrong()
    return found[0]
