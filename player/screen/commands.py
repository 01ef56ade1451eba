"""What is typed beside a game's choices: in the person's language, or in English."""

from protocol.view.words import Translate

SIT_OUT, SIT_IN = "sit out", "back"
WORDS = {
    "say": "word.say",
    "leave": "word.leave",
    "board": "word.board",
    "help": "word.help",
    "yes": "word.yes",
    "/mute": "word.mute",
    "/unmute": "word.unmute",
    SIT_OUT: "match.offer.sit_out",
    SIT_IN: "match.offer.sit_in",
}


def in_english(line: str, translate: Translate) -> str:
    """The line with its command, if it is one, as `WORDS` has it; a catalogue has several words with | between them."""
    meant = {word: english for english, key in WORDS.items() for word in translate(key, None).split("|")}
    first, gap, rest = line.partition(" ")
    if line.casefold() in meant:
        return meant[line.casefold()]
    return meant.get(first.casefold(), first) + gap + rest
