"""Phrases in the words of a language: the one place where a catalogue's texts are filled in."""

from collections.abc import Callable, Sequence

from protocol.seats import TABLE
from protocol.view.phrase import Faces, Phrase, Pieces, Value, Who

Translate = Callable[[str, int | None], str]  # a catalogue's text for a key, and for a number of things if it needs one
Say = Callable[[Phrase], str]
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
YOU = ".you"  # ends the key of the same sentence about oneself, where a catalogue has one


def plain(text: str) -> str:
    """The text with everything that is not printable (control characters, direction marks) replaced."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def faces_text(faces: Faces) -> str:
    """One piece in a sentence: `6-4`, `A♠`, `10♦`, or its name."""
    match faces:
        case (int(high), int(low)):
            return f"{high}-{low}"
        case (str(rank), str(suit)):
            return rank.replace("T", "10") + SUITS[suit]
    return " ".join(map(str, faces))


def speaker(translate: Translate, names: Sequence[str], own: int | None = None) -> Say:
    """What says phrases about these people, by seat. `own` is spoken to as "you" where the catalogue does that."""

    def name(seat: int) -> str:
        if seat < len(names):
            return names[seat]
        if seat != TABLE:  # a log may name one that does not exist
            return translate("match.seat", None).format(number=seat + 1)
        return translate("match.table", None)

    def text(value: Value) -> str:
        match value:
            case Who(seat):
                return name(seat)
            case Pieces(faces):
                return " ".join(map(faces_text, faces))
            case Phrase():
                return say(value)
            case tuple():
                return ", ".join(map(say, value))
        return plain(str(value))

    def say(phrase: Phrase) -> str:
        args, key = dict(phrase.args), phrase.key
        about_us = own is not None and args.get("who") == Who(own)
        count = args.get("count")
        if about_us and translate(key + YOU, None) != key + YOU:
            key += YOU
        template = translate(key, count if isinstance(count, int) else None)
        return template.format_map({name: text(value) for name, value in args.items()})

    return say
