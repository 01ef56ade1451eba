"""Games by rule files between two people without a table, by line or by mail. Whole matches with
every suitable dealing, restarts of programs, and own rule files.
"""

from functools import partial
from random import Random

import pytest

from bots.random_bot import random_bot
from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.match.log import NO_HASH, EntryContent, Log, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import LogReader
from protocol.match.setup import KIND, NO_TABLE, Person, Setup
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.integration.matches.test_without_table import PEOPLE
from tests.unit.protocol.games.scripted.engine.test_engine import mini

pytestmark = pytest.mark.match
OWN = mini(
    "([move(act['card'], 'pile')] if 'card' in act else []) + [toss(6, 'landed')]",
    "def landed(g, value): return [add('points', value % 2, 1), end_turn()]\n",
)


class Two:
    """Two programs with seeds, and one log between them."""

    def __init__(self, game: str, dealing: str, text: str = "", **options: str) -> None:
        options |= {"rules": rule_digest(text)} if text else {}
        terms = make_terms(
            Selection(game, tuple(sorted(options.items()))), Selection(dealing), (), 2
        )
        people = tuple(
            Person(name, person.public) for name, person in zip(("Ann", "Bob"), PEOPLE, strict=True)
        )
        raw = make_entry(
            PEOPLE[1],
            NO_HASH,
            EntryContent(
                1, 0, (0, NO_HASH), KIND, Setup(NO_TABLE, bytes(32), 0, terms, people).body()
            ),
        )
        self.records, self.text = [(raw, Log(raw).head(PEOPLE[1]))], text
        self.start()

    def start(self) -> None:
        """Start both programs, which read the log."""
        self.sides = []
        for number, person in enumerate(PEOPLE):
            reader = LogReader(*self.records[0])
            made = partial(Seat, brings=Loadout(text=self.text))
            steady = DeterministicSeat(made, person, number, bytes([number]) * 32, reader)
            for record in self.records[1:]:
                reader.feed(*record)
                steady.follow()
            self.sides.append((reader, steady))

    @property
    def match(self):
        return self.sides[0][0].match

    def step(self, post: Post | None = None) -> None:
        """Let the next author post its duty, or `post`."""
        speaker = self.match.next_author
        assert speaker is not None
        reader, steady = self.sides[speaker]
        post = post or steady.due
        if post is None:
            bot = random_bot(steady.seat.view(reader.match), Random(len(self.records)))
            post = steady.move(bot)
        raw = steady.seat.entry(reader.log, post)
        self.records.append((raw, reader.log.next_head(PEOPLE[speaker], raw)))
        for other, follower in self.sides:
            assert other.feed(*self.records[-1]) is not None
            follower.follow()

    def play(self, again: int = 0) -> "Two":
        """Play to the end. Both programs restart after every `again` entries."""
        while not self.sides[0][0].over:
            self.step()
            if again and len(self.records) % again == 0:
                dues = [steady.due for _, steady in self.sides]
                self.start()
                assert [steady.due for _, steady in self.sides] == dues
        return self

    def report(self):
        return audit(MAGIC + b"".join(encode_record(*record) for record in self.records))


@pytest.mark.parametrize(
    ("game", "dealing", "text", "options"),
    [
        ("element-duel", "seeded", "", {}),
        ("element-duel", "seeded", "", {"together": "yes", "mode": "hidden"}),
        ("mau-mau", "seeded", "", {"mode": "open"}),
        ("crazy-eights", "verified", "", {}),
        ("script", "verified", OWN, {}),
    ],
    ids=["duel", "together", "mau-mau", "eights", "own-file"],
)
def test_two_play_without_table_and_without_faults(game, dealing, text, options):
    two = Two(game, dealing, text, **options).play()
    assert two.match.over and not two.match.faults and two.match.game.error is None
    assert two.report().verdict is Verdict.CLEAN


def test_restarted_programs_with_own_file_continue_same_bytes():
    whole = Two("script", "verified", OWN).play()
    assert Two("script", "verified", OWN).play(again=3).records == whole.records


def test_seed_lie_without_table_is_named():
    two = Two("element-duel", "seeded", mode="hidden")
    while (
        two.sides[two.match.next_author][1].due is None
        or two.sides[two.match.next_author][1].due.kind != "give"
    ):
        two.step()
    liar = two.match.next_author
    two.step(Post("give", [bytes(32)]))
    two.play()
    named = [(fault.seat, fault.code) for fault in two.report().faults]
    assert named == [(liar, Code.BAD_GIVE)] and two.match.winner == 1 - liar
