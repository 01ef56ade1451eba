"""Muted seats of one match. Only this screen knows them, and nothing is stored."""

from collections.abc import Sequence

from protocol.match.setup import Person
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import isolate_name

COMMANDS = ("/mute", "/unmute")


class Muting:
    """The seats that are not heard."""

    def __init__(self) -> None:
        self._seats: set[int] = set()

    def hears(self, seat: int) -> bool:
        """Return True if the remarks of this seat are shown."""
        return seat not in self._seats

    def obey(self, command: str, whom: str, people: Sequence[Person]) -> Phrase:
        """Do one of `COMMANDS` for a name or the number of a seat, from 1; what to answer."""
        seat = _seat(whom.strip(), people)
        if seat is None:
            return phrase(
                "typed.mute",
                people=", ".join(
                    f"{at} {isolate_name(person.name)}" for at, person in enumerate(people, 1)
                ),
            )
        if command == "/unmute":
            self._seats.discard(seat)
            return phrase("typed.unmuted", who=SeatRef(seat))
        self._seats.add(seat)
        return phrase("typed.muted", who=SeatRef(seat), seat=seat + 1)


def _seat(whom: str, people: Sequence[Person]) -> int | None:
    """Names come first: somebody may be called 2."""
    called = [
        seat for seat, person in enumerate(people) if person.name.casefold() == whom.casefold()
    ]
    numbered = [seat for seat in range(len(people)) if whom == str(seat + 1)]
    return next(iter(called + numbered), None)
