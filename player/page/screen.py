"""The screen of a page: what all pages show, and what one may ask for.

A page may choose what is on offer in the snapshot that it names, and nothing else: what is signed
is one of the program's own offers. Of two pages the first one wins.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from player.page.shown import Shown
from player.screen.commands import in_english
from protocol.errors import LocalError
from protocol.messages.table_talk import printable_remark
from protocol.view.board import Offer


class Stale(Exception):
    """What is on offer has changed since the snapshot that a page has."""


class PageScreen(Shown):
    """The screen of a person who plays on a page."""

    _named: int | None = None  # the snapshot that a typed line is about

    def do(self, serial: int, chosen: int, numbers: list[int]) -> None:
        """Take an offer of this snapshot. Raises: Stale; LocalError for what it has not got."""
        offers = self._offers(serial)
        action = next(
            (offer.build_action(*numbers) for offer in offers if offer.id == chosen), None
        )
        if action is None or self.client is None:
            raise LocalError("web.not_offered")
        self._asked = False
        self.client.choose(action)
        self.changed()

    def sit(self, serial: int) -> None:
        """Sit out, or in, as this snapshot offers it. Raises: Stale, LocalError."""
        self._fresh(serial)
        view = self._present()
        if self.client is None or view is None or view.sit is None:
            raise LocalError("web.not_offered")
        self.client.choose(view.sit.action)
        self.changed()

    def stop(self) -> None:
        """End, and keep the match."""
        super().stop()
        self.news.wake()

    def _offers(self, serial: int) -> tuple[Offer, ...]:
        self._fresh(serial)
        view = self._present()
        return () if view is None else view.offers

    def _fresh(self, serial: int) -> None:
        """Raises: Stale if what was on offer in this snapshot is not what is on offer now."""
        told = self._snapshot.serial  # what comes now, no page has seen
        self._dirty = True
        self.newest()
        if not self._since <= serial <= told:
            raise Stale

    def talk(self, remark: str) -> None:
        """Say something to the others. Raises: LocalError."""
        if self.client is None or self.watching:
            raise LocalError("typed.watching.say" if self.watching else "match.not_begun")
        super().talk(remark)
        if self._own is not None:
            self._heard(self._own, printable_remark(remark))

    def command(self, line: str, serial: int | None = None) -> list[str]:
        """What the terminal would answer to this line. What it chooses must be on offer in this
        snapshot.

        Raises: Stale.
        """
        self._named = serial
        with self._answering() as answers:
            self.typed(line)
        self.changed()
        return answers

    def choosing(self) -> None:
        """A line chooses. Raises: Stale."""
        self._fresh(-1 if self._named is None else self._named)

    async def hint(self, *, why: bool) -> list[str]:
        """What the terminal would tell of a good move. Raises: LocalError where there is no
        match.
        """
        if self.client is None or self.watching:
            raise LocalError("match.not_begun")
        word = "why" if why else "hint"
        return [
            self._told(one)
            for one in await self._hints.think(self._playing(), self.client.environment.games, word)
        ]

    def say_it(self, remark: str) -> None:
        """The same as the command `say`, without an answer. Raises: LocalError."""
        with self._answering():
            self.talk(remark)

    @contextmanager
    def _answering(self) -> Iterator[list[str]]:
        answers: list[str] = []
        self._answers = answers
        try:
            yield answers
        finally:
            self._answers = None

    def leave(self) -> None:
        """Leave for good: the page has asked whether that is meant."""
        if self.client is not None and not self.client.finished:
            self.client.leave()
            self.changed()

    async def again(self) -> bool:
        """Ask on the page whether there shall be another match."""
        if self.stopped or self.watching:
            return False
        self._again = True
        self.changed()
        answer = await self.answer()
        self._again = False
        self.changed()
        return answer is not None and in_english(answer.strip(), self.translate) == "yes"

    def answer_again(self, yes: bool) -> None:
        """What a page says to that. Raises: Stale if it is not asked any more."""
        if not self._again or not self.answered("yes" if yes else None):
            raise Stale
