"""The commands that mute somebody in a match, or report somebody: who is meant."""

from collections.abc import Sequence

from protocol.match.setup import Person
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import isolate_name

MUTE, UNMUTE, REPORT = COMMANDS = ("/mute", "/unmute", "/report")


def answer(command: str, seat: int) -> Phrase:
    """Return the answer to a person who has muted a seat, or hears it again."""
    if command == MUTE:
        return phrase("typed.muted", who=SeatRef(seat), seat=seat + 1)
    return phrase("typed.unmuted", who=SeatRef(seat))


def not_found(people: Sequence[Person]) -> Phrase:
    """Return the sentence that names the people of a match, because none has the name."""
    return phrase(
        "typed.mute",
        people=", ".join(
            f"{at} {isolate_name(person.name)}" for at, person in enumerate(people, 1)
        ),
    )


def find_seat(whom: str, people: Sequence[Person]) -> int | None:
    """Return the seat of a name, or of its number. Names come first: somebody may be called 2."""
    whom = whom.strip()
    called = [
        seat for seat, person in enumerate(people) if person.name.casefold() == whom.casefold()
    ]
    numbered = [seat for seat in range(len(people)) if whom == str(seat + 1)]
    return next(iter(called + numbered), None)
