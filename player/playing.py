"""One match as this client lives it: every entry and head is checked, and its seat answers.

No socket here. `read` takes what the table sends; `next_post` gives the one entry to send, if there is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from player import events
from player.agreement import Agreement
from player.bots import Bot
from player.seat import Seat
from player.store import Store
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import LocalError, RemoteError
from protocol.games import Action
from protocol.identity import Identity, verify
from protocol.log import NO_HASH, Entry
from protocol.match import Match
from protocol.reader import Damaged, Reader
from protocol.roster import roster_digest
from protocol.talk import Talk


@dataclass(frozen=True)
class Means:
    """What a client plays with. `chooser` None: a person does, through `Client.choose`."""

    identity: Identity
    rng: Random
    seat_type: type[Seat]
    chooser: Bot | None
    open_store: Callable[[bytes], Store] | None  # by match id; None: nothing is kept
    tell: Callable[[events.Event], None]


class Playing:
    """The state of one match, from the first entry to the end, across connections."""

    def __init__(self, agreement: Agreement, entries: int, means: Means) -> None:
        self.agreement, self._means = agreement, means
        self.reader: Reader | None = None
        self.seat: Seat | None = None
        self.store: Store | None = None
        self.leaving = False
        self.refusals: list[Code] = []
        self.stopped: str | None = None  # why we do not go on although the match is not over, as a sentence
        self._entries = entries  # how many there were when we (re)joined: nothing is answered before those
        self._found: list[Fault] = []  # against the table, beside those of the reader
        self._pending: tuple[bytes, int] | None = None  # our entry under way; how many entries we had read then
        self._posted: set[bytes] = set()
        self._chosen: tuple[int, Action] | None = None  # a person's choice, and for which entry number
        self._asked = -1  # the entry number that a person has been asked for
        self._talk: Talk | None = None

    @property
    def number(self) -> int:
        """The number of the next entry to read."""
        return self.reader.log.number if self.reader else 0

    @property
    def caught_up(self) -> bool:
        """Whether we have read all that stood at the table when we (re)joined."""
        return self.number >= self._entries

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that were found."""
        return (self.reader.faults if self.reader else ()) + tuple(self._found)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do here."""
        return self.stopped is not None or bool(self._found) or (self.reader is not None and self._nothing_to_do())

    def _nothing_to_do(self) -> bool:
        """The match is over, or goes on without our seat, which has left it."""
        assert self.reader is not None
        return self.reader.over or (self.seat is not None and self.seat.number in self.reader.match.gone)

    def rejoin(self, entries: int) -> None:
        """A new connection: this many entries stand at the table. What is under way may have been lost."""
        self._entries = max(entries, self.number)
        if entries < self.number:
            self.stopped = "the table has lost a part of the log that it had signed"

    def unanswered(self) -> bytes | None:
        """Our entry under way, to be sent again on a new connection (the same bytes, never a second version)."""
        return self._pending[0] if self._pending and self.caught_up else None

    # --- what the table sends ---

    def read(self, number: int, raw: bytes, head: bytes) -> None:
        """The table's entry of this number."""
        if self.over:
            return
        if number > self.number:
            self._accuse(number, Code.BAD_MESSAGE)  # a gap: the connection loses nothing, so the table did
        elif self.reader is None:
            self._read_first(raw, head)
        elif number < self.number:
            self._read_again(self.reader, number, raw, head)
        else:
            self._read_next(self.reader, raw, head)

    def refused(self, entry_hash: bytes, code: Code) -> None:
        """The table refused our entry. Honest if it had been overtaken; else there is no going on."""
        if self._pending is None or sha256(self._pending[0]).digest() != entry_hash:
            return
        overtaken = self.number > self._pending[1]
        was_leaving, self._pending = self.leaving, None
        self.refusals.append(code)
        self._means.tell(events.Declined(code))
        if overtaken:
            return
        if was_leaving or self.seat is None:
            self.stopped = "the table refused this player's entry"
        self.leaving = True

    def _read_first(self, raw: bytes, head: bytes) -> None:
        try:
            self.reader = Reader(raw, head)
        except Damaged as damage:
            self._accuse(0, damage.code)
            return
        setup, match_id = self.reader.log.setup, self.reader.log.match_id
        self._open_store(match_id, raw, head)
        code = self.agreement.broken_by(setup, match_id)
        if code is not None:
            self._accuse(0, code)
            return
        if self.agreement.seat is not None:
            self.seat = self._means.seat_type(self._means.identity, self.agreement.seat, self._means.rng)
        self._means.tell(events.Started(self.reader.match, self.agreement.seat))

    def _read_again(self, reader: Reader, number: int, raw: bytes, head: bytes) -> None:
        """An entry whose number we hold: the same again is no harm, another one is a fork."""
        before = reader.log.hashes[number - 1] if number else NO_HASH
        hashed = digest("chain", before, number, raw)
        if hashed == reader.log.hashes[number]:
            return
        match_id = reader.log.match_id if number else hashed
        try:
            verify(reader.log.setup.table_key, head, "head", match_id, number, hashed)
        except RemoteError:
            self._accuse(number, Code.BAD_SIGNATURE)
            return
        self._accuse(number, Code.TABLE_FORKED)
        self._set_aside(number, raw, head)

    def _read_next(self, reader: Reader, raw: bytes, head: bytes) -> None:
        before = reader.match
        try:
            entry = reader.feed(raw, head)
        except Damaged as damage:
            self._accuse(self.number, damage.code)
            self._set_aside(self.number, raw, head)
            return
        self._keep(raw, head)
        if entry is not None:
            self._read_good(before, entry, reader.match)

    def _read_good(self, before: Match, entry: Entry, match: Match) -> None:
        if self.seat is not None and entry.author == self.seat.number and not self._is_ours(entry):
            return
        if entry.kind == "nonce" and (words := roster_digest(match)) is not None:
            self._means.tell(events.Roster(match, words))
        self._means.tell(events.Happened(before, entry, match))

    def _is_ours(self, entry: Entry) -> bool:
        """Whether this process posted an entry of our seat."""
        if self._pending and entry.raw == self._pending[0]:
            self._pending = None
        if entry.raw in self._posted:
            return True
        # Signed by our identity, but not here: another run of this program had the seat, and has its secrets.
        if not self.leaving:
            notice = "This seat was begun by another run of this program, which alone has its keys. Leaving the match."
            self._means.tell(events.Notice(notice))
        self.leaving = True
        return False

    def _accuse(self, number: int, code: Code) -> None:
        self._found.append(Fault(TABLE, number, code))

    # --- what our seat does ---

    def next_post(self) -> bytes | None:
        """Our next entry, if it is for us to post one and none is under way."""
        if self.over or self.seat is None or self.reader is None or self._pending or not self.caught_up:
            return None
        post = Post("leave", []) if self.leaving else self._answer(self.seat, self.reader.match)
        if post is None:
            return None
        raw = self.seat.entry(self.reader.log, post)
        self._pending = raw, self.number
        self._posted.add(raw)
        return raw

    def choose(self, action: Action) -> None:
        """A person's choice for the present turn."""
        self._chosen = self.number, action

    def _answer(self, seat: Seat, match: Match) -> Post | None:
        post = seat.respond(match)
        if post is not None:
            return post
        choices = seat.choices(match)
        if not choices:
            return None
        action = self._choice(seat, match, choices)
        return None if action is None else seat.move(match, action)

    def _choice(self, seat: Seat, match: Match, choices: tuple[Action, ...]) -> Action | None:
        chooser = self._means.chooser
        if chooser is not None:
            return chooser(match.setup.game, match.game, seat.number, seat.hand, choices, self._means.rng)
        if self._chosen is not None and self._chosen[0] == self.number and self._chosen[1] in choices:
            return self._chosen[1]
        if self._asked != self.number:
            self._asked = self.number
            self._means.tell(events.YourTurn(match, choices))
        return None

    # --- table talk ---

    def say(self, remark: str) -> list[tuple[int, bytes]]:
        """Envelopes for everybody else, by seat. Raises `LocalError` if it cannot be said now."""
        talk = self._talk_ready()
        if talk is None:
            raise LocalError("Nobody can hear you yet: wait until everybody is seated.")
        return talk.say(remark, self._means.rng)

    def hear(self, sender: int, envelope: bytes) -> None:
        """What the table brings from another seat; dropped unless it is new and that seat's."""
        talk = self._talk_ready()
        if talk is None:
            return
        try:
            remark = talk.hear(sender, envelope)
        except RemoteError:
            self._means.tell(events.Notice("Something was said that did not come from the seat it claims; dropped."))
            return
        self._means.tell(events.Said(sender, remark))

    def _talk_ready(self) -> Talk | None:
        if self._talk is None and self.reader is not None and self.seat is not None:
            self._talk = self.seat.talk(self.reader.match)
        return self._talk

    # --- the log on disk ---

    def _open_store(self, match_id: bytes, raw: bytes, head: bytes) -> None:
        if self._means.open_store is not None:
            self.store = self._means.open_store(match_id)
            self._keep(raw, head)

    def _keep(self, raw: bytes, head: bytes) -> None:
        if self.store is None:
            return
        try:
            self.store.append(raw, head)
        except LocalError as error:  # the game goes on: the table and the others keep the log too
            self.store = None
            self._means.tell(events.Notice(str(error)))

    def _set_aside(self, number: int, raw: bytes, head: bytes) -> None:
        if self.store is None:
            return
        try:
            path = self.store.set_aside(number, raw, head)
        except LocalError as error:  # the verdict stands without it
            self._means.tell(events.Notice(str(error)))
            return
        self._means.tell(events.Notice(f"What the table sent instead is kept in {path}"))
