"""First cards for a person without any: the element set, with the person as its creator, and a run
of a few packs that nobody else can buy.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from player.cards.creator.element_set.cards import CARDS, EDITION
from player.cards.creator.mint import Mint
from player.cards.creator.run_store import StoredRun, lock_runs, store_run, stored_runs
from protocol.errors import LocalError
from protocol.identity.names import name_problem, tidy_name

PACKS = 3
PACK_SIZE = 5  # cards; all packs together are enough for a deck of ten


@dataclass(frozen=True)
class Starter:
    """The maker of first cards in the data folder `data`. `name`: the person's name, as a
    suggestion.
    """

    mint: Mint
    data: Path
    rng: Random
    name: str

    @property
    def types(self) -> int:
        """Number of card types that `make` signs."""
        return len(CARDS)

    def make(self, name: str) -> Iterator[tuple[int, tuple[bytes, ...]]]:
        """Make the cards. Yield the number of types so far, and at the end the ids of the cards by
        pack.

        An attempt that was cut off goes on. Raises: LocalError, also if the person has printed
        cards before.
        """
        name = tidy_name(name)
        if (why := name_problem(name)) is not None:
            raise LocalError("wrong.name.typed", why=why)
        with lock_runs(self.data):
            if self.mint.runs():
                raise LocalError("wrong.starter.there")
            if self.mint.own() is None:
                self.mint.introduce(name, "", (), 0)
            for done in self.mint.element_steps():
                yield done, ()
            kept = self._stored_run()
            # an opened run is not sold: nobody buys these cards out of the person's binder
            kept.open()
            sealed = kept.sealed
            self.mint.collection.add([sealed.record, *sealed.cards.values()])
        yield self.types, tuple(card for pack in sealed.packs for card in pack.instances)

    def _stored_run(self) -> StoredRun:
        """Return the run of an earlier attempt, or else store a new one. Raises: LocalError."""
        for kept in stored_runs(self.data):
            return kept
        types = {kind.name: type_id for type_id, kind in self.mint.types(EDITION).items()}
        sheet = [types[card.name] for card in CARDS for _ in range(card.copies)]
        copies = Counter(self.rng.sample(sheet, PACKS * PACK_SIZE))
        return store_run(self.data, self.mint.make_run(EDITION, copies, PACK_SIZE, self.rng))
