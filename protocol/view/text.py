"""Phrases in the words of a language: the one place where a catalogue's texts are filled in."""

from collections.abc import Callable, Sequence
from unicodedata import bidirectional

from protocol.seats import TABLE
from protocol.view.phrase import Faces, Phrase, Pieces, SeatRef, Value

# a catalogue's text for a key, and for a number of things if it needs one
Translate = Callable[[str, int | None], str]
Say = Callable[[Phrase], str]
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
YOU = ".you"  # ends the key of the same sentence about oneself, where a catalogue has one
OTHER = ".other"  # ends it about somebody else, said to one of the others who play
# around what has a direction of its own
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
# classes of letters and digits by the Unicode Bidirectional Algorithm
FROM_THE_RIGHT = ("R", "AL", "AN")


def sanitize(text: str) -> str:
    """The text with everything that is not printable (control characters, direction marks)
    replaced.

    Isolates that are closed stay: what stands in them turns nothing around them.
    """
    if text.isprintable():
        return text
    kept = _closed(text)
    shown = (
        char if char.isprintable() or at in kept else "\N{REPLACEMENT CHARACTER}"
        for at, char in enumerate(text)
    )
    return "".join(shown)


def _closed(text: str) -> set[int]:
    """Where isolates begin and end that have both."""
    begun: list[int] = []
    found: set[int] = set()
    for at, char in enumerate(text):
        if char == ISOLATE:
            begun.append(at)
        elif char == END and begun:
            found |= {begun.pop(), at}
    return found


def isolate_name(text: str) -> str:
    """Somebody's name or words, `sanitize`, for a sentence or a line: written from the right, it
    turns no number there.

    "Hanna 3, 4" with a Hebrew name is otherwise shown with the numbers on the name's other side, or
    in another order.
    """
    shown = sanitize(text)
    if shown.isascii() or all(bidirectional(char) not in FROM_THE_RIGHT for char in shown):
        return shown
    return f"{ISOLATE}{shown}{END}"


def strip_isolates(text: str) -> str:
    """A sentence as somebody types it: without isolates."""
    return text.replace(ISOLATE, "").replace(END, "")


def display_width(text: str) -> int:
    """How many columns of a terminal printable text takes: an ideograph or an emoji takes two."""
    if text.isascii() and text.isprintable():
        return len(text)
    # its tables take a while to load, and many programs show no more than ASCII
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def pad_to_width(text: str, wide: int) -> str:
    """The text, and spaces behind it up to so many columns."""
    return text + " " * (wide - display_width(text))


def piece_text(faces: Faces) -> str:
    """One piece in a sentence: `6-4`, `A♠`, `10♦`, or its name."""
    match faces:
        case (int(high), int(low)):
            return f"{high}-{low}"
        case (str(rank), str(suit)) if suit in SUITS:
            return rank.replace("T", "10") + SUITS[suit]
    return " ".join(map(str, faces))


def capitalize(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def two_columns(rows: Sequence[tuple[Phrase, str]], say: "Say", indent: str = "") -> list[str]:
    """Labels, and what belongs to each: a line for each, in two columns."""
    labels = [say(label) for label, _ in rows]
    width = max(map(len, labels)) + 2
    return [
        f"{indent}{label:{width}}{value}" for label, (_, value) in zip(labels, rows, strict=True)
    ]


def phrase_renderer(translate: Translate, names: Sequence[str], own: int | None = None) -> Say:
    """What says phrases about these people, by seat. `own` is spoken to as "you" where the
    catalogue does.
    """

    def name(seat: int) -> str:
        if seat < len(names):
            return isolate_name(names[seat])
        if seat != TABLE:  # a log may name one that does not exist
            return translate("match.seat", None).format(number=seat + 1)
        return translate("match.table", None)

    def text(value: Value) -> str:
        match value:
            case SeatRef(seat, None):
                return name(seat)
            case SeatRef():
                one, other = map(name, value.seats)
                return translate("match.pair", None).format(one=one, other=other)
            case Pieces(faces):
                return " ".join(map(piece_text, faces))
            case Phrase():
                return say(value)
            case tuple():
                return ", ".join(map(say, value))
        return isolate_name(str(value))

    def say(phrase: Phrase) -> str:
        args, key = dict(phrase.args), phrase.key
        count = args.get("count")
        who = args.get("who")
        if own is not None and isinstance(who, SeatRef):
            nearer = key + (YOU if own in who.seats else OTHER)
            key = key if translate(nearer, None) == nearer else nearer
        template = translate(key, count if isinstance(count, int) else None)
        return _filled(template, {name: text(value) for name, value in args.items()}, key)

    return say


def _filled(template: str, words: dict[str, str], key: str) -> str:
    """A text with its words: `{Why}` is `why`, capitalised. One that no catalogue has is its own
    key, and whole.
    """
    if template == key:
        return sanitize(key)
    return template.format_map(
        words | {capitalize(name): capitalize(word) for name, word in words.items()}
    )
