"""Cheats of the table: subclasses of `table.match.live_match.LiveMatch`, with the same arguments."""

from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.crypto.envelopes import new_key, seal_to_slot
from protocol.dealing import TABLE, Post
from protocol.dealing.layered.primitives import encode_piece
from protocol.dealing.layered.table import LayeredTable
from protocol.errors import Refused
from protocol.match.log import Entry, EntryContent, Record, decode_entry, make_entry
from protocol.match.state import MatchStage
from table.match.live_match import LiveMatch
from tests.adversary.cheats.base import GARBAGE, When, deal_of

LONG = 10**9  # milliseconds of waiting, longer than any limit there is in these matches


class CheatTable(LiveMatch):
    """Table that turns one post of an honest table into another, or logs an entry that it had to
    refuse.
    """

    code: Code
    when: When
    game = "block-dominoes"
    options: dict[str, int | str] = {}  # noqa: RUF012
    kind = ""
    acted = False
    author: tuple[int, Code] | None = None  # a seat that is named besides the table

    def _duty(self) -> Post | None:
        post = super()._duty()
        if post is None or post.kind != self.kind:
            return post
        before = wire.encode(post.body)
        twisted = self.twist(Post(post.kind, wire.decode(before)))
        self.acted = self.acted or wire.encode(twisted.body) != before
        return twisted

    def twist(self, post: Post) -> Post:
        """Return the post that replaces the honest one."""
        return post

    @property
    def half(self) -> Any:
        """Return the table's secrets of the present deal."""
        assert isinstance(self._half, LayeredTable)
        return self._half

    def log_anyway(self, raw: bytes) -> bytes:
        """Log an entry without any check of its meaning."""
        self.acted = True
        self._append(decode_entry(raw), self.match)
        return raw


class DeckCheat(CheatTable):
    """Deals from a false deck."""

    code, when, kind = Code.BAD_DECK, When.ANY, "pseudonyms"

    def twist(self, post):
        if not self.acted:
            self.stack(self.half._deck)
        return self.half._pseudonyms(deal_of(self.match))

    def stack(self, deck):
        raise NotImplementedError


class TileTwice(DeckCheat):
    """One tile is in the deck twice, another not at all."""

    def stack(self, deck):
        deck[0] = (deck[1][0], deck[0][1])


class TileBeyond(DeckCheat):
    """Puts a tile that the game does not have in place of one that it has."""

    def stack(self, deck):
        deck[0] = (len(deck), deck[0][1])


class TileFarBeyond(DeckCheat):
    """Uses a tile whose number is too large to be opened, and opens another instead."""

    code = Code.BAD_PSEUDONYM

    def stack(self, deck):
        self.missing = deck[0][0]
        deck[0] = (300, deck[0][1])

    def _duty(self):
        post = super()._duty()
        if post is not None and post.kind == "open_table":
            post.body[0][0][0] = self.missing
        return post


class NamesTwice(CheatTable):
    """Publishes one pseudonym twice."""

    code, when, kind = Code.BAD_LIST, When.AT_ONCE, "pseudonyms"

    def twist(self, post):
        return Post("pseudonyms", [[post.body[0][0], *post.body[0][:-1]], post.body[1]])


class NamesShort(CheatTable):
    """Publishes one pseudonym too few."""

    code, when, kind = Code.BAD_LIST, When.AT_ONCE, "pseudonyms"

    def twist(self, post):
        return Post("pseudonyms", [post.body[0][1:], post.body[1]])


class IdentityPoint(CheatTable):
    """Posts a point for oblivious transfer that would show every choice."""

    code, when, kind = Code.BAD_POINT, When.AT_ONCE, "pseudonyms"

    def twist(self, post):
        return Post("pseudonyms", [post.body[0], bytes(32)])


class AssignCheat(CheatTable):
    """Tells a seat a false piece."""

    code, when, kind = Code.BAD_ASSIGNMENT, When.PROTEST, "assign"

    def sealed(self, index, position):
        """Return the content that the table seals to a slot for this position."""
        deal, half = deal_of(self.match), self.half
        told = encode_piece(*half._deck[position])
        return seal_to_slot(deal.slots[index], half._ephemeral, told, "piece", deal.deal_id, index)


class TellsAnothersPiece(AssignCheat):
    """Tells the owner of slot 0 the piece of slot 1, with that slot's key."""

    def twist(self, post):
        post.body[1][0] = self.sealed(0, deal_of(self.match).taken_positions[1])
        return post


class TellsAStockPiece(AssignCheat):
    """Replaces a dealt piece by one of the stock, after the seats have committed to their hands."""

    def twist(self, post):
        post.body[1][0] = self.sealed(0, deal_of(self.match).stock_positions[0])
        return post


class TellsNonsense(AssignCheat):
    """Sends garbage instead of a sealed piece."""

    def twist(self, post):
        post.body[1][0] = GARBAGE.randbytes(len(post.body[1][0]))
        return post


class LowOrderEphemeral(AssignCheat):
    """Posts a batch key with which everybody can read all slots."""

    def twist(self, post):
        return Post("assign", [b"\1" + bytes(31), post.body[1]])


class TellsOneTooFew(AssignCheat):
    """Sends fewer sealed pieces than there are slots."""

    when = When.AT_ONCE

    def twist(self, post):
        return Post("assign", [post.body[0], post.body[1][1:]])


class SpoilsTheTransfer(CheatTable):
    """Spoils every slot of the oblivious transfer."""

    code, when, kind = Code.BAD_TRANSFER, When.PROTEST, "draw_reply"
    game = "draw-dominoes"
    options = {"hand": 3}  # noqa: RUF012

    def twist(self, post):
        return Post("draw_reply", [[GARBAGE.randbytes(len(sealed)) for sealed in post.body[0]]])


class SpoilsOneSlot(SpoilsTheTransfer):
    """Spoils one slot, to learn from a protest whether it was chosen; without a protest the close
    shows it.
    """

    when = When.ANY

    def twist(self, post):
        post.body[0][-1] = GARBAGE.randbytes(len(post.body[0][-1]))
        return post


class ShortReply(SpoilsTheTransfer):
    """Answers with one slot too few."""

    when = When.AT_ONCE

    def twist(self, post):
        return Post("draw_reply", [post.body[0][1:]])


class OpenCheat(CheatTable):
    """Opens a false secret at the close."""

    kind = "open_table"
    when = When.CLOSE


class OpensOtherKeys(OpenCheat):
    """Opens a made-up key of a piece."""

    code = Code.BAD_PSEUDONYM

    def twist(self, post):
        post.body[0][0][1] = bytes(32)
        return post


class OpensOtherPieces(OpenCheat):
    """Swaps two pieces in the opening."""

    code = Code.BAD_PSEUDONYM

    def twist(self, post):
        deck = post.body[0]
        deck[0][0], deck[1][0] = deck[1][0], deck[0][0]
        return post


class OpensNoDeck(OpenCheat):
    """Opens no deck."""

    code = Code.BAD_PSEUDONYM

    def twist(self, post):
        return Post("open_table", [[], *post.body[1:]])


class OpensOtherTransferSecret(OpenCheat):
    """Opens a transfer secret that does not belong to its point."""

    code = Code.BAD_TRANSFER

    def twist(self, post):
        post.body[1] = b"\1" + bytes(31)
        return post


class OpensNoTransferSecret(OpenCheat):
    """Opens no transfer secret."""

    code = Code.BAD_TRANSFER

    def twist(self, post):
        post.body[1] = b""
        return post


class OpensOtherEphemeral(OpenCheat):
    """Opens another batch key."""

    code = Code.BAD_ASSIGNMENT

    def twist(self, post):
        post.body[2] = new_key(self._rng).private
        return post


class OpensNoEphemeral(OpenCheat):
    """Opens no batch key."""

    code = Code.BAD_ASSIGNMENT

    def twist(self, post):
        post.body[2] = b""
        return post


class EntryCheatTable(CheatTable):
    """Changes, forges or lets through one entry."""

    when = When.AT_ONCE

    def offer(self, raw: bytes, seat: int) -> list[Record]:
        entry = decode_entry(raw)
        if self.acted:
            return []  # no player reads on
        return self.cheat(raw, entry) or super().offer(raw, seat)

    def cheat(self, raw: bytes, entry: Entry) -> list[Record] | None:
        raise NotImplementedError


class SwapsMatchKey(EntryCheatTable):
    """Replaces a seat's match key with its own, to read envelopes to that seat."""

    code = Code.TABLE_FORGED

    def cheat(self, raw, entry):
        if entry.kind != "sit" or entry.author != 1:
            return None
        content = [*wire.decode(entry.content)[:-1], [new_key(self._rng).public, *entry.body[1:]]]
        return [self.log_anyway(wire.encode([wire.encode(content), entry.signature]))]


class MovesForASeat(EntryCheatTable):
    """Makes a seat's move in the seat's name."""

    code = Code.TABLE_FORGED

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        sequence, seen = self.log.sequence(entry.author), self.log.newest_head
        forged = make_entry(
            self._identity,
            self.log.match_id,
            EntryContent(entry.author, sequence, seen, "move", [["pass"], []]),
        )
        return [self.log_anyway(forged)]


class MisquotesASeat(EntryCheatTable):
    """Changes a move, and keeps the seat's signature."""

    code = Code.TABLE_FORGED

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        content = [*wire.decode(entry.content)[:-1], [["pass"], []]]
        return [self.log_anyway(wire.encode([wire.encode(content), entry.signature]))]


class LogsTwice(EntryCheatTable):
    """Logs a seat's entry a second time."""

    code = Code.TABLE_ACCEPTED

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        before = next(raw for raw in self.entries if decode_entry(raw).author == entry.author)
        return [self.log_anyway(before)]


class LogsGarbage(EntryCheatTable):
    """Logs bytes that are no entry."""

    code = Code.TABLE_ACCEPTED

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        self.acted = True
        self.log.append_unchecked(b"\xc1")
        self._append_raw(b"\xc1")
        return [b"\xc1"]


class OfItsOwnCheat(EntryCheatTable):
    """Posts an entry of the table's own that breaks a rule."""

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        post, seen = self.post()
        sequence = self.log.sequence(TABLE)
        return [
            self.log_anyway(
                make_entry(
                    self._identity, self.log.match_id, EntryContent(TABLE, sequence, seen, *post)
                )
            )
        ]

    def post(self):
        raise NotImplementedError


class LapsesWhoOwesNothing(OfItsOwnCheat):
    """Declares a seat without a duty lapsed."""

    code = Code.NOT_NOW

    def post(self):
        duties = {duty.author for duty in self.match.duties()}
        idle = next(seat for seat in range(self.match.setup.seats) if seat not in duties)
        return Post("lapse", [idle, LONG]), self.log.newest_head


class AssignsAgain(OfItsOwnCheat):
    """Posts the sealed pieces of the deal a second time."""

    code = Code.NOT_NOW

    def post(self):
        deal = deal_of(self.match)
        return Post("assign", [deal.ephemeral, list(deal.assigned)]), self.log.newest_head


class PassesForItself(OfItsOwnCheat):
    """Posts a move, although the table has no seat."""

    code = Code.NOT_NOW

    def post(self):
        return Post("move", [["pass"], []]), self.log.newest_head


class Protests(OfItsOwnCheat):
    """Posts a protest, which only a seat may do."""

    code = Code.WRONG_AUTHOR
    when = When.ANY

    def post(self):
        return Post("protest", [0]), self.log.newest_head


class SawLess(OfItsOwnCheat):
    """Posts a warning with an old head, although the table always knows the newest."""

    code = Code.STALE

    def post(self):
        return Post("warning", [self.match.duties()[0].author, LONG]), (0, self.log.chain_hashes[0])


class SawAnother(OfItsOwnCheat):
    """Claims to have seen a log other than its own."""

    code = Code.TABLE_FORKED

    def post(self):
        return Post("warning", [self.match.duties()[0].author, LONG]), (
            self.log.next_number - 1,
            bytes(32),
        )


class LetsThrough(EntryCheatTable):
    """Logs an entry that its fold refused: the author is named besides the table, if the author had
    seen the whole log.
    """

    code = Code.TABLE_ACCEPTED
    author = (1, Code.ILLEGAL_MOVE)

    def offer(self, raw, seat):
        if self.acted:
            return []
        try:
            return LiveMatch.offer(self, raw, seat)
        except Refused:
            return [self.log_anyway(raw)]


class PostsAfterTheEnd(CheatTable):
    """Adds an entry to a match that is over."""

    code, when = Code.TABLE_ACCEPTED, When.AT_ONCE

    def offer(self, raw, seat):
        super().offer(raw, seat)
        if self.match.stage is MatchStage.OVER:
            sequence = self.log.sequence(TABLE)
            more = make_entry(
                self._identity,
                self.log.match_id,
                EntryContent(TABLE, sequence, self.log.newest_head, "warning", [0, LONG]),
            )
            self.log_anyway(more)


TABLE_CHEATS = [
    TileTwice,
    TileBeyond,
    TileFarBeyond,
    NamesTwice,
    NamesShort,
    IdentityPoint,
    TellsAnothersPiece,
    TellsAStockPiece,
    TellsNonsense,
    LowOrderEphemeral,
    TellsOneTooFew,
    SpoilsTheTransfer,
    SpoilsOneSlot,
    ShortReply,
    OpensOtherKeys,
    OpensOtherPieces,
    OpensNoDeck,
    OpensOtherTransferSecret,
    OpensNoTransferSecret,
    OpensOtherEphemeral,
    OpensNoEphemeral,
    SwapsMatchKey,
    MovesForASeat,
    MisquotesASeat,
    LogsTwice,
    LogsGarbage,
    LapsesWhoOwesNothing,
    AssignsAgain,
    PassesForItself,
    Protests,
    SawLess,
    SawAnother,
    PostsAfterTheEnd,
]
