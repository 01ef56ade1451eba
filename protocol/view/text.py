"""Rendering of phrases in a language. Only this module inserts values into the texts of a
catalogue.
"""

from collections.abc import Callable, Sequence
from unicodedata import bidirectional

from protocol.seats import TABLE
from protocol.view.joiners import is_spelling
from protocol.view.phrase import Faces, Phrase, Pieces, SeatRef, Sentence, Value

# (key, number for the plural or None) -> text of the catalogue
Translate = Callable[[str, int | None], str]
Say = Callable[[Phrase], str]
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
YOU = ".you"  # suffix of a key: the same sentence, addressed to the person it is about
OTHER = ".other"  # suffix of a key: the same sentence about another person, addressed to a player
LANGUAGE = "language.code"  # key whose text is the code of the catalogue's language
FALLBACK = "en"  # language of a game's own texts if they have not the reader's
# surround text with its own writing direction
ISOLATE = "\N{FIRST STRONG ISOLATE}"
END = "\N{POP DIRECTIONAL ISOLATE}"
# classes of letters and digits written from the right, in the Unicode Bidirectional Algorithm
FROM_THE_RIGHT = ("R", "AL", "AN")


def sanitize(text: str) -> str:
    """Replace all characters that are not printable, such as control characters and direction
    marks.

    Closed isolates stay, because their content has no effect on the text around them. So do the
    joiners that the spelling of a word or an emoji needs.
    """
    if text.isprintable():
        return text
    kept = _closed_isolates(text)
    shown = (
        char
        if char.isprintable() or at in kept or is_spelling(text, at)
        else "\N{REPLACEMENT CHARACTER}"
        for at, char in enumerate(text)
    )
    return "".join(shown)


def _closed_isolates(text: str) -> set[int]:
    """Return the positions of isolates that are closed, and of their ends."""
    begun: list[int] = []
    found: set[int] = set()
    for at, char in enumerate(text):
        if char == ISOLATE:
            begun.append(at)
        elif char == END and begun:
            found |= {begun.pop(), at}
    return found


def isolate_name(text: str) -> str:
    """Sanitize a name or a remark for a sentence. Text written from the right is isolated.

    Without an isolate, a Hebrew name in "Hanna 3, 4" would move the numbers to its other side, or
    reorder them.
    """
    shown = sanitize(text)
    if shown.isascii() or all(bidirectional(char) not in FROM_THE_RIGHT for char in shown):
        return shown
    return f"{ISOLATE}{shown}{END}"


def strip_isolates(text: str) -> str:
    """Remove isolates, so that a sentence looks as typed."""
    return text.replace(ISOLATE, "").replace(END, "")


def display_width(text: str) -> int:
    """Return the columns that printable text takes on a terminal: ideographs and emojis take
    two.
    """
    if text.isascii() and text.isprintable():
        return len(text)
    # imported late: its tables load slowly, and many programs show only ASCII
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def pad_to_width(text: str, wide: int) -> str:
    """Append spaces up to `wide` columns."""
    return text + " " * (wide - display_width(text))


def piece_text(faces: Faces, say: "Say" = str) -> str:
    """Return one piece for a sentence: `6-4`, `A♠`, `10♦`, or its name. Only names that a game's
    own texts translate need `say`.
    """
    match faces:
        case (int(high), int(low)):
            return f"{high}-{low}"
        case (str(rank), str(suit)) if suit in SUITS:
            return rank.replace("T", "10") + SUITS[suit]
    return " ".join(face_text(face, say) for face in faces)


def face_text(face: "int | str | Phrase", say: "Say") -> str:
    """Return one of the faces of a piece: a number, a name, or what its phrase says."""
    return say(face) if isinstance(face, Phrase) else str(face)


def shown_faces(faces: Faces, say: "Say") -> list[int | str]:
    """Return the faces of a piece for a page: numbers and names."""
    return [say(face) if isinstance(face, Phrase) else face for face in faces]


def capitalize(text: str) -> str:
    """Return the text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def two_columns(rows: Sequence[tuple[Phrase, str]], say: "Say", indent: str = "") -> list[str]:
    """Align labels and their values in two columns, one line for each pair."""
    labels = [say(label) for label, _ in rows]
    width = max(map(len, labels)) + 2
    return [
        f"{indent}{label:{width}}{value}" for label, (_, value) in zip(labels, rows, strict=True)
    ]


def translate_phrase(phrase: Phrase, translate: Translate) -> str:
    """Render a phrase without names of people."""
    return phrase_renderer(translate, ())(phrase)


def phrase_renderer(translate: Translate, names: Sequence[str], own: int | None = None) -> Say:
    """Return a renderer for phrases about people with these `names`, by seat.

    The renderer addresses the seat `own` as "you" where the catalogue has such a text.
    """

    def name(seat: int) -> str:
        if seat < len(names):
            return isolate_name(names[seat])
        if seat != TABLE:  # a log may name a seat that does not exist
            return translate("match.seat", None).format(number=seat + 1)
        return translate("match.table", None)

    def text(value: Value) -> str:
        match value:
            case Sentence():
                return _render_sentence(value, translate(LANGUAGE, None), own, text)
            case SeatRef(seat, None):
                return name(seat)
            case SeatRef():
                one, other = map(name, value.seats)
                return translate("match.pair", None).format(one=one, other=other)
            case Pieces(faces):
                return " ".join(piece_text(face, say) for face in faces)
            case Phrase():
                return say(value)
            case tuple():
                return ", ".join(map(say, value))
        return isolate_name(str(value))

    def say(phrase: Phrase) -> str:
        args = dict(phrase.args)
        count = args.get("count")
        key = _key_for_reader(phrase.key, args.get("who"), own, translate)
        template = translate(key, count if isinstance(count, int) else None)
        return _fill_template(template, {name: text(value) for name, value in args.items()}, key)

    return say


def _key_for_reader(key: str, who: Value | None, own: int | None, translate: Translate) -> str:
    """Return the key of the text that addresses the reader, if the catalogue has one."""
    if own is None or not isinstance(who, SeatRef):
        return key
    nearer = key + (YOU if own in who.seats else OTHER)
    return key if translate(nearer, None) == nearer else nearer


def _render_sentence(
    sentence: Sentence, language: str, own: int | None, text: Callable[[Value], str]
) -> str:
    """Join the parts of a sentence in the reader's language. Its own words are sanitized like a
    name, because a stranger may have written them.
    """
    by_language = {found.language: found for found in sentence.texts}
    found = by_language.get(language) or by_language.get(FALLBACK)
    if found is None:
        if not sentence.texts:
            return ""
        found = sentence.texts[0]
    near = own is not None and own == sentence.who and found.near
    parts = found.near if near else found.parts
    words = (sanitize(part) if isinstance(part, str) else text(part) for part in parts)
    return isolate_name("".join(words))


def _fill_template(template: str, words: dict[str, str], key: str) -> str:
    """Fill in a template. `{Why}` is the value of `why`, capitalised. A key without a text is shown
    itself.
    """
    if template == key:
        return sanitize(key)
    return template.format_map(
        words | {capitalize(name): capitalize(word) for name, word in words.items()}
    )
