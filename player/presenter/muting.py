"""The commands that mute or report somebody in a match: the seat that is meant, and the answers."""

from collections.abc import Sequence

from protocol.match.setup import Person
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import isolate_name

MUTE, UNMUTE, REPORT = COMMANDS = ("/mute", "/unmute", "/report")


def answer(command: str, seat: int) -> Phrase:
    """Return the answer to a person who has muted or unmuted a seat."""
    if command == MUTE:
        return phrase("typed.muted", who=SeatRef(seat), seat=seat + 1)
    return phrase("typed.unmuted", who=SeatRef(seat))


def not_found(people: Sequence[Person]) -> Phrase:
    """Return the answer to a name that nobody has. It lists the people of the match."""
    return phrase(
        "typed.mute",
        people=", ".join(
            f"{at} {isolate_name(person.name)}" for at, person in enumerate(people, 1)
        ),
    )


def find_seat(whom: str, people: Sequence[Person]) -> int | None:
    """Return the seat with this name or number; None if there is none. Names come first: somebody
    may be called 2.
    """
    whom = whom.strip()
    named = [
        seat for seat, person in enumerate(people) if person.name.casefold() == whom.casefold()
    ]
    numbered = [seat for seat in range(len(people)) if whom == str(seat + 1)]
    return next(iter(named + numbered), None)
