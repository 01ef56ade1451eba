"""People who collect cards. Each has only a data folder, and types commands of `fairdeal cards`."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from fairdeal.__main__ import main
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.rollback_guard import default_marks
from player.storage.identity_file import load_identity
from protocol.identity.keys import Identity
from protocol.ledger.bundle import write_bundle
from protocol.ledger.record_contents import CardType, Trade
from protocol.ledger.records import LedgerRecord, image_digest, sign_content, sign_record
from protocol.ledger.trading.journal import sign_promise
from protocol.ledger.view import evaluate
from tests.support.ledger import MAKER, card, maker, trade_of

NAMES = ("ann", "bob", "cleo", "dan")
STATE = "XDG_STATE_HOME"  # folder for the mark of signed records, one for each computer


class Collectors:
    """People with data folders in `folder`. The file `starter.cards` has two cards for each person,
    Salamander #1 to #8.
    """

    def __init__(self, folder: Path, face: bytes | None = None) -> None:
        """Make everybody. `face` is the image of all cards; no file of theirs contains the
        image.
        """
        self.folder = folder
        rng = Random(7)
        self.people = {name: load_identity(folder / name, None, rng) for name in NAMES}
        image = None if face is None else image_digest(face)
        kind = sign_record(
            CardType(MAKER.public, None, 0, None, "Salamander", "First", image, (), True, ""), MAKER
        )
        self.cards = [card(serial, kind) for serial in range(1, 1 + 2 * len(NAMES))]
        self.records: list[LedgerRecord] = [maker(), kind, *self.cards]
        with self.computer("home"):
            for at, identity in enumerate(self.people.values()):
                self._hand_over(identity, self.cards[2 * at : 2 * at + 2])
        self.starter = folder / "starter.cards"
        self.starter.write_bytes(write_bundle(self.records))

    def _hand_over(self, to: Identity, cards: Iterable[LedgerRecord]) -> None:
        """Let the creator give cards to somebody, who signs in their own journal."""
        seen = evaluate(self.records)
        trade: Trade = trade_of(MAKER, to, [seen.next_transfer(one.id, 0) for one in cards])
        (name,) = (name for name, identity in self.people.items() if identity is to)
        store = LedgerStore(self.folder / name, to.public, default_marks())
        store.journal.sign_once(sign_promise(to, trade, sign_content(MAKER, trade)))
        store.close()
        self.records.append(sign_record(trade, MAKER, to))

    @contextmanager
    def computer(self, name: str) -> Iterator[None]:
        """Run the block as if on another computer."""
        before = os.environ.get(STATE)
        os.environ[STATE] = str(self.folder / f"computer {name}")
        try:
            yield
        finally:
            if before is None:
                del os.environ[STATE]
            else:
                os.environ[STATE] = before

    def type(self, who: str, command: str, *words: object, computer: str = "home") -> int:
        """Type a command as `who`. Return the exit code."""
        with self.computer(computer):
            return main(["cards", command, *map(str, words), "--data", str(self.folder / who)])

    def everybody_begins(self) -> None:
        """Let everybody import the starter."""
        for name in NAMES:
            assert self.type(name, "import", self.starter) == 0

    def trade(self, one: str, gives: str, other: str, takes: str, computer: str = "home") -> None:
        """Trade by three letters. `other` uses the given computer."""
        number = 10 + len(list(self.folder.glob("*.trade")))
        letters = [self.folder / f"{number + step}.trade" for step in range(3)]
        exact = ("--give", gives, "--want", takes, "--yes", "--name", one)
        back = ("--give", takes, "--want", gives, "--yes", "--name", other)
        assert self.type(one, "trade", "--letter", "", *exact, "--out", letters[0]) == 0
        assert (
            self.type(
                other,
                "trade",
                "--letter",
                letters[0],
                *back,
                "--out",
                letters[1],
                computer=computer,
            )
            == 0
        )
        assert self.type(one, "trade", "--letter", letters[1], *exact, "--out", letters[2]) == 0
        assert (
            self.type(other, "trade", "--letter", letters[2], "--name", other, computer=computer)
            == 0
        )

    def tell_all(self, one: str, other: str) -> None:
        """Give `other` a file with all records that `one` has."""
        path = self.folder / f"{one} to {other} {len(list(self.folder.glob('* to *')))}.cards"
        assert self.type(one, "export", "--all", "--out", path) == 0
        assert self.type(other, "import", path) == 0
