"""Records of a creator: the creator's own record, types with their revisions, print runs. They are
signed and stored, not sent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from player.cards.collection import Collection
from player.cards.creator.element_set.cards import CARDS, EDITION
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardType, Content, Creator, PrintRun
from protocol.ledger.records import LedgerRecord, image_digest, sign_record
from protocol.ledger.runs.sealed_run import RunPlan, SealedRun, build_run
from protocol.limits import MAX_CARD_IMAGE

Values = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True, slots=True)
class TypeDraft:
    """Content of a new card type. `image`: bytes of its image, or None."""

    name: str
    edition: str
    values: Values = ()
    text: str = ""
    frozen: bool = False
    image: bytes | None = None


class Mint:
    """Maker of one creator's records: signs them with an identity, and stores them in a
    collection.
    """

    def __init__(self, collection: Collection, identity: Identity) -> None:
        self.collection = collection
        self._identity = identity

    @property
    def me(self) -> bytes:
        """Key of the creator."""
        return self._identity.public

    def own(self) -> Creator | None:
        """Return the newest revision of the creator's record."""
        found = self.collection.index.creators.get(self.me)
        return found[1] if found else None

    def types(self, edition: str | None = None) -> dict[bytes, CardType]:
        """Return the newest revisions of the creator's types, by the id of revision 0."""
        found = ((type_id, kind) for type_id, (_, kind) in self.collection.index.types.items())
        mine = {type_id: kind for type_id, kind in found if kind.creator == self.me}
        return {type_id: kind for type_id, kind in mine.items() if edition in (None, kind.edition)}

    def runs(self) -> dict[bytes, PrintRun]:
        """Return the creator's print runs, by id."""
        return dict(self.collection.index.runs.get(self.me, ()))

    def introduce(
        self, name: str, link: str, witnesses: tuple[bytes, ...], quorum: int
    ) -> LedgerRecord:
        """Sign the creator's record, or a new revision of it. Raises: LocalError."""
        found = self.collection.index.creators.get(self.me)
        if found is None:
            said = Creator(self.me, 0, None, name, None, link, tuple(sorted(witnesses)), quorum)
        else:
            before, old = found
            said = replace(
                old,
                revision=old.revision + 1,
                previous=before.id,
                name=name,
                link=link,
                witnesses=tuple(sorted(witnesses)),
                quorum=quorum,
            )
        return self._keep(said)

    def make_type(self, drawn: TypeDraft) -> LedgerRecord:
        """Sign a new type. Raises: LocalError, also if the edition has a type with this name."""
        if any(kind.name == drawn.name for kind in self.types(drawn.edition).values()):
            raise LocalError("wrong.creator.type_exists", name=drawn.name, edition=drawn.edition)
        image = self._image(drawn.image)
        kind = CardType(
            self.me,
            None,
            0,
            None,
            drawn.name,
            drawn.edition,
            image,
            tuple(sorted(drawn.values)),
            drawn.frozen,
            drawn.text,
        )
        return self._keep(kind)

    def revise(
        self, type_id: bytes, changed: Mapping[str, object], image: bytes | None
    ) -> LedgerRecord:
        """Sign the next revision of a type. Raises: LocalError if the type is frozen and its values
        would change.
        """
        before, old = self.collection.index.types[type_id]
        kind = replace(old, type=type_id, revision=old.revision + 1, previous=before.id, **changed)  # type: ignore[arg-type]
        if old.frozen and kind.values != old.values:
            raise LocalError("wrong.creator.frozen", name=old.name)
        return self._keep(kind if image is None else replace(kind, image=self._image(image)))

    def make_elements(self) -> int:
        """Sign the missing types of the element set, and return their number. Raises:
        LocalError.
        """
        there = len(self.types(EDITION))
        for _ in self.element_steps():
            """Each step signs one."""
        return len(self.types(EDITION)) - there

    def element_steps(self) -> Iterator[int]:
        """Sign the missing types of the element set one by one, and yield the number of types that
        are there. Raises: LocalError.
        """
        there = {kind.name for kind in self.types(EDITION).values()}
        for number, card in enumerate(CARDS, 1):
            if card.name not in there:
                self.make_type(TypeDraft(card.name, EDITION, card.values, "", True, card.face))
            yield number

    def make_run(
        self, edition: str, copies: Mapping[bytes, int], pack_size: int, rng: Random
    ) -> SealedRun:
        """Sign a sealed run. The caller stores it. Raises: LocalError."""
        mine = self.runs().values()
        number = 1 + max((run.number for run in mine if run.edition == edition), default=-1)
        first = {
            type_id: sum(dict(run.copies).get(type_id, 0) for run in mine) for type_id in copies
        }
        return build_run(self._identity, RunPlan(edition, number, copies, pack_size, first), rng)

    def _image(self, data: bytes | None) -> bytes | None:
        if data is None:
            return None
        if not 1 <= len(data) <= MAX_CARD_IMAGE:
            raise LocalError("wrong.cards.image", kib=MAX_CARD_IMAGE // 1024)
        self.collection.store.add_image(data)
        return image_digest(data)

    def _keep(self, content: Content) -> LedgerRecord:
        try:
            record = sign_record(content, self._identity)
        except RemoteError as error:  # a person's input does not fit into a record
            raise LocalError("wrong.creator.unfit", why=error.phrase) from None
        self.collection.add([record])
        return record
