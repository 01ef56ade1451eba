"""Pictures that come with records, compared with the digests by which the records name them."""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from protocol.ledger.record_contents import CardType, Content, Creator
from protocol.ledger.records import LedgerRecord, image_digest

_SHOWN = 10  # numbers, and names, in a sentence for a person


def image_of(content: Content) -> bytes | None:
    """Return the digest of the image that a record names."""
    match content:
        case CardType(image=digest) | Creator(icon=digest):
            return digest
        case _:
            return None


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """Result of the comparison.

    `foreign`: numbers of the pictures, from 1, whose digest no record names: a byte of them was
    changed. `lacking`: names of the cards and creators whose picture is not there.
    """

    foreign: tuple[int, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def numbers(self) -> str:
        """The first numbers, for a person."""
        return _listed(map(str, self.foreign[:_SHOWN]), len(self.foreign))

    @property
    def names(self) -> str:
        """The first names, for a person."""
        return _listed(self.lacking[:_SHOWN], len(self.lacking))


def check_pictures(
    images: Iterable[bytes], records: Iterable[LedgerRecord], known: Container[bytes] = ()
) -> PictureCheck:
    """Compare pictures with records that came with them. `known`: digests of images that other
    records name.
    """
    digests = [image_digest(image) for image in images]
    names: dict[bytes, str] = {}
    for record in records:
        digest = image_of(record.content)
        if digest is not None and isinstance(record.content, CardType | Creator):
            names[digest] = record.content.name
    foreign = tuple(
        number
        for number, digest in enumerate(digests, 1)
        if digest not in names and digest not in known
    )
    there = set(digests)
    lacking = (name for digest, name in names.items() if digest not in there)
    return PictureCheck(foreign, tuple(dict.fromkeys(lacking)) if foreign else ())


def _listed(shown: Iterable[str], count: int) -> str:
    return ", ".join(shown) + (" …" if count > _SHOWN else "")
