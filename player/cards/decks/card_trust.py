"""Knowledge of a person about the creators of cards, as far as it matters before a match: names,
trust marks, and the choice to play only against cards by trusted creators.

The functions read a data folder and close it again. A folder without cards knows nobody.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from player.cards.card_names import resolve_key
from player.cards.opponents import TRUSTED
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerReader
from player.client.loadouts import KnownCreator
from player.storage.identity_file import read_keyfile
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.accepted_lists import CREATORS
from protocol.identity.keys import fingerprint
from protocol.ledger.record_contents import CardType, Creator

_BY = f"{CREATORS.name}:"


def known_creators(data: Path, me: bytes = b"") -> dict[str, KnownCreator]:
    """Return all creators of cards that are known here, by fingerprint. `me`: the person's own key.
    Raises: LocalError if the file of cards is damaged.
    """
    with _reader(data) as reader:
        return {} if reader is None else _creators(reader, me)


def trusted_creators(data: Path) -> frozenset[str] | None:
    """Return the fingerprints of the trusted creators, if the person plays only against cards by
    them; None if the person plays against all cards. A person trusts their own cards. Raises: as
    `known_creators`.
    """
    with _reader(data) as reader:
        if reader is None or reader.opponents != TRUSTED:
            return None
        trusted = {fingerprint(key) for key, mark in reader.marks().items() if mark}
    file = read_keyfile(data)
    return frozenset(trusted if file is None else {*trusted, file.fingerprint})


def name_creators(words: list[str], data: Path) -> list[str]:
    """Replace creators in the words of `--cards` by fingerprints: `trusted` by all creators whom
    the person trusts, `creator:NAME` by the creator of this name.

    Raises: LocalError, also if no creator is trusted, or a name has several creators.
    """
    if not any(word == TRUSTED or word.startswith(_BY) for word in words):
        return words
    known = known_creators(data)
    found: list[str] = []
    for word in words:
        if word == TRUSTED:
            trusted = [key for key, creator in known.items() if creator.trusted]
            if not trusted:
                raise LocalError("wrong.accepted.nobody")
            if len(trusted) > CREATORS.most:
                raise LocalError("wrong.accepted.many", count=len(trusted), most=CREATORS.most)
            found += [_BY + key for key in trusted]
        elif word.startswith(_BY):
            found.append(_BY + _resolve(word.removeprefix(_BY), known))
        else:
            found.append(word)
    return found


def _resolve(text: str, known: Mapping[str, KnownCreator]) -> str:
    letters = text.strip().lower().replace("-", "")
    if CREATORS.text_format.accepts(letters):
        return letters
    people = {key.encode(): (key, (one.name,)) for key, one in known.items()}
    return resolve_key(text, people).decode()


def _creators(reader: LedgerReader, me: bytes) -> dict[str, KnownCreator]:
    names: dict[bytes, tuple[int, str]] = {}
    try:
        for record in reader.records():
            match record.content:
                case Creator(creator=key, revision=revision, name=name):
                    names[key] = max(names.get(key, (-1, "")), (revision, name))
                case CardType(creator=key):
                    names.setdefault(key, (-1, ""))
    except RemoteError:  # a record was changed on disk, so nobody else is at fault
        raise LocalError("wrong.cards.file", path=FILE) from None
    marks = reader.marks()
    return {
        fingerprint(key): KnownCreator(name, marks.get(key), key == me)
        for key, (_, name) in names.items()
    }


@contextmanager
def _reader(data: Path) -> Iterator[LedgerReader | None]:
    if not (data / FILE).exists():
        yield None
        return
    with closing(LedgerReader(data)) as reader:
        yield reader
