"""Typed commands beside a game's actions, in the person's language or in English."""

import asyncio
from collections.abc import Mapping

from protocol.view.text import Translate

SIT_OUT = "sit out"
SIT_IN = "back"
WORDS = {
    "say": "word.say",
    "leave": "word.leave",
    "board": "word.board",
    "help": "word.help",
    "rules": "word.rules",
    "hint": "word.hint",
    "why": "word.why",
    "yes": "word.yes",
    "/mute": "word.mute",
    "/unmute": "word.unmute",
    "/report": "word.report",
    SIT_OUT: "match.offer.sit_out",
    SIT_IN: "match.offer.sit_in",
}


def in_english(line: str, translate: Translate, words: Mapping[str, str] = WORDS) -> str:
    """Return the line with its command in English; a line without a command as it is.

    `words`: English commands, each with the catalogue key of its translations. A catalogue
    separates several translations by `|`.
    """
    commands = {
        word: english for english, key in words.items() for word in translate(key, None).split("|")
    }
    first, gap, rest = line.partition(" ")
    if line.casefold() in commands:
        return commands[line.casefold()]
    return commands.get(first.casefold(), first) + gap + rest


class Question:
    """A question of the program itself: the next typed line answers it."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[str | None] | None = None

    async def ask(self) -> str | None:
        """Return the next typed line, or None if the input ends before."""
        self._answer = asyncio.get_running_loop().create_future()
        return await self._answer

    def answer(self, line: str | None) -> bool:
        """Answer the question with a line. Return False if no question was open."""
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_result(line)
        return True
