"""The context of a case: a program that trades, and the kit's side of the session (chapters 25, 26
and 30).
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from conformance.case import CaseFailed
from conformance.direct.connection import DirectConnection
from conformance.direct.environment import DirectEnvironment
from conformance.kit_cards import CardMaker
from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trading import messages
from protocol.ledger.trading.journal import (
    JournalStanding,
    check_standing,
    count_signed,
    sign_standing,
)
from protocol.ledger.trading.messages import SALT
from protocol.limits import MAX_LINE_PART
from protocol.messages.lines import (
    RUN,
    DataMessage,
    HeardMessage,
    WaysMessage,
    decode_line,
    encode_line,
)

KIT_NAME = "Quentin"
Step = Callable[["TradeTalk"], Awaitable[None]]


async def nothing_again(talk: "TradeTalk") -> None:
    """Do nothing."""


class TradeTalk:
    """The kit's side of one line of a trade: it confirms what it hears, and takes part in merges."""

    def __init__(self, arena: "TradeEnvironment", line: DirectConnection) -> None:
        self._arena = arena
        self.line = line
        self.me: Identity = arena.side.identity
        self.salt = arena.rng.randbytes(SALT)
        self.theirs = b""  # the program's salt
        self.number = 0  # of the kit's next payload
        self.part = 1  # of the kit's next part
        self.heard = 0  # newest part of the program
        self.confirms = True  # whether to confirm what it hears
        self.parts: dict[int, bytes] = {}  # the program's parts as they came first
        self.inbox: deque[messages.Payload] = deque()
        self.records = RecordSet()
        self.offers = [0, 0]  # revisions: the kit's, the program's
        self.gives: list[bytes] = []
        self.wanted: set[bytes] = set()  # cards that either side has named
        self.merge: MergeSession | None = None
        self.merges = True  # whether to take part in merges
        self._begun = b""

    @property
    def about(self) -> bytes:
        """The purpose of the lines of this trade (30.1.3)."""
        return digest("trade lines", *sorted((self.me.public, self.line.peer)))

    # --- what the kit says ---

    async def ways(self, about: bytes | None = None) -> None:
        """Send `ways` without addresses."""
        run = self._arena.run
        await self.line.send_bytes(encode_line(WaysMessage(about or self.about, run, ())))

    async def data(self, part: bytes, number: int | None = None, more: bool = False) -> None:
        """Send one part, with the next number or another one."""
        message = DataMessage(self.part if number is None else number, self.heard, more, part)
        await self.line.send_bytes(encode_line(message))
        if number is None:
            self.part += 1

    async def payload(self, payload: bytes) -> None:
        """Send a payload in parts."""
        parts = [payload[at : at + MAX_LINE_PART] for at in range(0, len(payload), MAX_LINE_PART)]
        for at, part in enumerate(parts, 1):
            await self.data(part, more=at < len(parts))

    async def say(self, name: str, *values: Any, number: int | None = None) -> None:
        """Send a message of the trade, right or wrong."""
        said = self.number if number is None else number
        await self.payload(wire.encode([self.salt, said, name, *values]))
        if number is None:
            self.number += 1

    async def meet(self, *values: Any) -> None:
        """Say who the kit is; `values` are other fields."""
        await self.say("meet", *(values or (wire.VERSION, self.me.public, KIT_NAME, [])))

    def standing(self) -> list[Any]:
        """Return the kit's standing: it has signed nothing."""
        return list(sign_standing(self.me, count_signed(())))

    async def stand(self) -> None:
        """Say the kit's standing, and begin the first merge."""
        await self.say("standing", self.standing(), None, [])
        await self.begin_merge()

    async def offer(self, *cards: LedgerRecord) -> None:
        """Offer cards."""
        self.gives = sorted(card.id for card in cards)
        self.wanted.update(self.gives)
        await self.say("offer", self.gives, [], [])
        self.offers[0] += 1
        await self.begin_merge()

    def merge_salt(self) -> bytes:
        """Return the salt of the present merge (26.4.2)."""
        mine, theirs = self.offers
        revisions = (mine, theirs) if self.me.public < self.line.peer else (theirs, mine)
        return digest("trade merge", *sorted((self.salt, self.theirs)), *revisions)

    async def begin_merge(self) -> None:
        """Begin the merge for the present offers."""
        if not self.merges:
            return
        calling = self.me.public < self.line.peer
        given = sorted(self.wanted)
        self.merge = MergeSession(self.records, self.merge_salt(), calling, given)
        await self._say_merge()

    async def _say_merge(self) -> None:
        assert self.merge is not None
        for message in self.merge.outgoing():
            await self.say("merge", *self.offers, message)

    # --- what the kit hears ---

    async def hear(self, name: str) -> list[Any]:
        """Return the fields of the program's next message of this name. Messages of merges, and
        offers, are dealt with. Raises: CaseFailed if another message comes, or the end.
        """
        while True:
            said = await self.next()
            if said is None:
                raise CaseFailed(f"the program ended the connection instead of saying {name}")
            if said.name == name:
                return said.values
            if said.name not in ("merge", "offer", "image", "say"):
                raise CaseFailed(f"the program says {said.name} instead of {name}")

    async def next(self) -> messages.Payload | None:
        """Return the program's next message; None when it has ended the connection."""
        while not self.inbox:
            if not await self._read():
                return None
        said = self.inbox.popleft()
        await self._follow(said)
        return said

    async def _read(self) -> bool:
        """Read one message of the line."""
        async with self._arena.patience("go on with the trade"):
            raw = await self.line.receive_bytes()
        if raw is None:
            return False
        try:
            message = decode_line(raw)
        except RemoteError as error:
            raise CaseFailed(f"the program sends a wrong message of a line: {error.code}") from None
        if message is None:
            raise CaseFailed("the program sends what is no message of a line")
        if isinstance(message, DataMessage):
            await self._came(message)
        return True

    async def _came(self, data: DataMessage) -> None:
        before = self.parts.setdefault(data.number, data.part)
        if before != data.part:
            raise CaseFailed("the program sends another part under a number that it had used")
        if data.number > self.heard + 1:
            raise CaseFailed("the program leaves parts out")
        if data.number == self.heard + 1:
            self.heard += 1
            self._begun += data.part
            if not data.more:
                payload, self._begun = self._begun, b""
                self.inbox.append(self._decoded(payload))
        if self.confirms:
            await self.line.send_bytes(encode_line(HeardMessage(self.heard)))

    def _decoded(self, payload: bytes) -> messages.Payload:
        try:
            said = messages.decode(payload)
        except RemoteError as error:
            raise CaseFailed(f"the program sends what is no payload: {error.code}") from None
        if self.theirs not in (b"", said.salt):
            raise CaseFailed("the program changes its salt")
        self.theirs = said.salt
        row = messages.MESSAGES.get(said.name)
        if row is None or not row.shape(said.values):
            raise CaseFailed("the program sends a message of a trade that there is not")
        return said

    async def _follow(self, said: messages.Payload) -> None:
        match said.name:
            case "meet":
                if said.values[:2] != [wire.VERSION, self.line.peer]:
                    raise CaseFailed("the program meets with another version or key")
            case "standing":
                try:
                    check_standing(self.line.peer, JournalStanding(*said.values[0]))
                except RemoteError:
                    raise CaseFailed("the program's standing is not signed") from None
            case "offer":
                self.wanted.update(said.values[0])
                self.offers[1] += 1
                await self.begin_merge()
            case "merge":
                await self._merged(*said.values)

    async def _merged(self, theirs: int, mine: int, message: bytes) -> None:
        """Take a message of a merge, unless it is one under an older offer of the kit."""
        if self.merge is None or [mine, theirs] != self.offers:
            return
        try:
            for record in self.merge.received(message):
                self.records.add(record)
        except RemoteError as error:
            raise CaseFailed(f"the program breaks the merge: {error.code}") from None
        await self._say_merge()


class TradeEnvironment(DirectEnvironment):
    """The program and the kit's side of the trade, for one case."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.run = self.rng.randbytes(RUN)
        self.maker = CardMaker(self.rng)

    async def talk(self) -> TradeTalk:
        """Start the program, and return the first line, on which both have said `ways`."""
        await self.start()
        return await self.next_talk()

    async def next_talk(self) -> TradeTalk:
        """Return the program's next line."""
        talk = TradeTalk(self, await self.line())
        await talk.ways()
        return talk

    async def met(self) -> TradeTalk:
        """Return a session in which both have said who they are."""
        talk = await self.talk()
        await talk.meet()
        await talk.hear("meet")
        return talk

    async def standing(self) -> TradeTalk:
        """Return a session in which both have said their standing, too."""
        talk = await self.met()
        await talk.hear("standing")
        await talk.stand()
        return talk

    async def refused(self, talk: TradeTalk, code: Code) -> None:
        """Expect that the program ends the trade with this code, and signs nothing."""
        await self.ended(talk)
        if not talk.line.closed or talk.line.code is not code:
            raise CaseFailed(f"the program closed with {talk.line.code or 'no code'}")

    async def ended(self, talk: TradeTalk, again: Step = nothing_again) -> None:
        """Expect that the program ends the trade, and signs nothing. `again` is done after each
        offer of the program.
        """
        async with self.patience("end the trade"):
            while (said := await talk.next()) is not None:
                if said.name in ("sign", "counter", "waive"):
                    raise CaseFailed(f"the program says {said.name}")
                if said.name == "offer":
                    await again(talk)
