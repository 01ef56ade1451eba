"""Least recently used: which records and images go when there are too many."""

from collections.abc import Collection, Iterator

from player.cards.storage.database import Database
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import CardType, Content, Creator, Waive
from protocol.ledger.records import parents
from protocol.wire import decode

_RECORDS = "SELECT coalesce(sum(length(raw)), 0) FROM records"
_IMAGES = "SELECT coalesce(sum(length(data)), 0) FROM images"


def make_room(database: Database, always: Collection[bytes], most: int) -> int:
    """See `LedgerStore.make_room`; in a transaction."""
    total = database.rows(_RECORDS)[0][0] + database.rows(_IMAGES)[0][0]
    gone = 0
    for name, size in _by_use(database, always) if total > most else ():
        if total <= most:
            break
        total -= size
        gone += 1
        database.run("DELETE FROM records WHERE id = ?", name)
    if gone:
        _forget_images(database)
    return gone


def _by_use(database: Database, always: Collection[bytes]) -> Iterator[tuple[bytes, int]]:
    """What may go, that which was not used for longest first, with its size: its own, and its
    image's.

    A record is in use while anything that builds on it is; of two of one time the newer goes first.
    So nothing is ever left without what it builds on.
    """
    signed = {
        trade
        for (trade,) in database.rows("SELECT trade FROM promises UNION SELECT trade FROM waives")
    }
    stay = {*always, *signed}
    used: dict[bytes, int] = {}
    found = []
    for number, name, raw, at in database.rows(
        "SELECT number, id, raw, used FROM records ORDER BY number DESC"
    ):
        content = read_content(decode(raw)[0])
        if name in stay or (isinstance(content, Waive) and content.trade in signed):
            stay.update(parents(content))
            continue
        used[name] = max(at, used.get(name, 0))
        for parent in parents(content):
            used[parent] = max(used[name], used.get(parent, 0))
        found.append((used[name], -number, name, len(raw) + _image_size(database, content)))
    for _, _, name, size in sorted(found):
        yield name, size


def _image_of(content: Content) -> bytes | None:
    match content:
        case CardType(image=digest) | Creator(icon=digest):
            return digest
        case _:
            return None


def _image_size(database: Database, content: Content) -> int:
    digest = _image_of(content)
    if digest is None:
        return 0
    found = database.rows("SELECT length(data) FROM images WHERE digest = ?", digest)
    return found[0][0] if found else 0


def _forget_images(database: Database) -> None:
    """Those that no record names any more."""
    contents = (read_content(decode(raw)[0]) for (raw,) in database.rows("SELECT raw FROM records"))
    named = {_image_of(content) for content in contents}
    for (digest,) in database.rows("SELECT digest FROM images"):
        if digest not in named:
            database.run("DELETE FROM images WHERE digest = ?", digest)
