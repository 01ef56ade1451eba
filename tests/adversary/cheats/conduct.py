"""Cheats with the log itself: silence, noise, forged authors and old entries."""

from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import EntryContent, make_entry
from protocol.match.state import MatchStage
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of


class FalseProtest(Cheat):
    """Protests against a correct entry, to void a hand."""

    code, when = Code.FALSE_PROTEST, When.PROTEST

    def respond(self, match):
        post = super().respond(match)
        if match.stage is not MatchStage.PLAYING:
            return post
        self.acted = True
        return Post("protest", [match.next_number - 1])


class FalseProtestInSelection(Cheat):
    """Protests against an envelope that opens."""

    code, when, kind = Code.FALSE_PROTEST, When.PROTEST, "hop"

    def twist(self, match, post):
        return Post("protest", [match.next_number - 1])


class FalseProtestAtTheClose(Cheat):
    """Protests when the hand is over and lost, instead of opening."""

    code, when, kind = Code.FALSE_PROTEST, When.PROTEST, "open_seat"

    def twist(self, match, post):
        return post if deal_of(match).protest else Post("protest", [match.next_number - 1])


class WrongMatchKeyAfterProtest(FalseProtest):
    """Protests, and then opens another match key."""

    code, when, kind = Code.BAD_MATCH_KEY_OPENING, When.PROTEST, "open_seat"

    def twist(self, match, post):
        post.body[5] = GARBAGE.randbytes(32)
        return post


class NoMatchKeyAfterProtest(FalseProtest):
    """Protests, and then keeps its match key."""

    code, when, kind = Code.BAD_MATCH_KEY_OPENING, When.PROTEST, "open_seat"

    def twist(self, match, post):
        post.body[5] = b""
        return post


class Leaves(Cheat):
    """Leaves after it has seen its hand."""

    code, when = Code.LEFT, When.AT_ONCE

    def respond(self, match):
        post = super().respond(match)
        if match.stage is not MatchStage.PLAYING:
            return post
        self.acted = True
        return Post("leave", [])


class Silent(Cheat):
    """Never again posts entries of one kind."""

    code, when = Code.LAPSED, When.LAPSE

    def twist(self, match, post):
        return None


def silent(kind: str, game: str = "block-dominoes") -> type[Cheat]:
    """Return a seat class that falls silent when this kind of entry is due."""
    name = f"Silent_{kind}"
    return type(
        name, (Silent,), {"kind": kind, "game": game, "__doc__": f"Falls silent at {kind}."}
    )


SILENT = [
    silent(kind)
    for kind in (
        "sit",
        "nonce",
        "layer",
        "hop",
        "commit",
        "strip",
        "slot_hop",
        "open_seat",
        "receipt",
    )
]


class NeverMoves(Cheat):
    """Falls silent when it is to act in the game."""

    code, when = Code.LAPSED, When.LAPSE

    def choices(self, match):
        self.acted = self.acted or bool(super().choices(match))
        return ()


class LowOrderMatchKey(Cheat):
    """Posts a match key for which everybody knows every shared secret."""

    code, when, kind = Code.BAD_MATCH_KEY, When.AT_ONCE, "sit"

    def twist(self, match, post):
        post.body[0] = b"\1" + bytes(31)
        return post


class CopiesMatchKey(Cheat):
    """Posts another seat's match key; after the refusal posts its own."""

    code, when, kind = Code.BAD_MATCH_KEY, When.REFUSED, "sit"
    done = False

    def twist(self, match, post):
        others = [key for key in match.keys if key is not None]
        if self.done or not others:
            return post if self.done else None
        self.done = True
        return Post("sit", [others[0], *post.body[1:]])


class EntryCheat(Cheat):
    """Signs one entry with one wrong field; after the refusal goes on honestly."""

    when = When.REFUSED
    done = False
    sent: bytes | None = None

    def entry(self, log, post):
        if self.done or post.kind != "move":
            return super().entry(log, post)
        self.done = self.acted = True
        return self.wrong(log, post)

    def signed(self, log, post, author=None, sequence=None, seen=None, match_id=None):
        """Return the entry with some fields replaced."""
        return make_entry(
            self._identity,
            match_id or log.match_id,
            EntryContent(
                self.number if author is None else author,
                log.sequence(self.number) if sequence is None else sequence,
                seen or log.newest_head,
                post.kind,
                post.body,
            ),
        )

    def wrong(self, log, post):
        raise NotImplementedError


class PostsForAnother(EntryCheat):
    """Names another seat as the author."""

    code = Code.BAD_ENTRY_SIGNATURE

    def wrong(self, log, post):
        return self.signed(log, post, author=0, sequence=log.sequence(0))


class PostsForTheTable(EntryCheat):
    """Names the table as the author."""

    code = Code.BAD_ENTRY_SIGNATURE

    def wrong(self, log, post):
        return self.signed(log, Post("lapse", [0, 10**9]), author=255, sequence=log.sequence(255))


class PostsForNobody(EntryCheat):
    """Names a seat that does not exist as the author."""

    code = Code.WRONG_AUTHOR

    def wrong(self, log, post):
        return self.signed(log, post, author=7)


class PostsTwice(EntryCheat):
    """Sends its last entry again."""

    code = Code.WRONG_SEQUENCE

    def entry(self, log, post):
        raw = super().entry(log, post)
        self.sent = raw if post.kind != "move" else self.sent
        return raw

    def wrong(self, log, post):
        return self.sent


class SkipsANumber(EntryCheat):
    """Numbers its entry one too high."""

    code = Code.WRONG_SEQUENCE

    def wrong(self, log, post):
        return self.signed(log, post, sequence=log.sequence(self.number) + 1)


class SignsForAnotherMatch(EntryCheat):
    """Signs an entry for another match."""

    code = Code.BAD_ENTRY_SIGNATURE

    def wrong(self, log, post):
        return self.signed(log, post, match_id=bytes(32))


class SawAnotherLog(EntryCheat):
    """Claims to have seen a head that is not in this log."""

    code = Code.WRONG_HEAD

    def wrong(self, log, post):
        return self.signed(log, post, seen=(log.next_number - 1, bytes(32)))


class SawTheFuture(EntryCheat):
    """Claims to have seen an entry that does not exist yet."""

    code = Code.WRONG_HEAD

    def wrong(self, log, post):
        return self.signed(log, post, seen=(log.next_number, bytes(32)))


class SawTooLittle(EntryCheat):
    """Answers an entry that it claims not to have seen."""

    code = Code.STALE

    def wrong(self, log, post):
        return self.signed(log, post, seen=(0, log.chain_hashes[0]))


class UnknownKind(EntryCheat):
    """Posts an entry of a kind that does not exist."""

    code = Code.BAD_ENTRY

    def wrong(self, log, post):
        return self.signed(log, Post("win", []))


class Garbage(EntryCheat):
    """Posts bytes that are not an entry."""

    code = Code.BAD_ENTRY

    def wrong(self, log, post):
        return b"\xc1" * 40


class LapsesAnother(EntryCheat):
    """Declares another seat lapsed, which only the table may."""

    code = Code.WRONG_AUTHOR

    def wrong(self, log, post):
        return self.signed(log, Post("lapse", [0, 10**9]))


class ProtestsTheFuture(EntryCheat):
    """Protests against an entry that does not exist yet."""

    code = Code.STALE

    def wrong(self, log, post):
        return self.signed(log, Post("protest", [log.next_number]))


class OutOfTurn(Cheat):
    """Moves on another seat's turn; after the refusal waits."""

    code, when = Code.NOT_NOW, When.REFUSED
    done = False

    def respond(self, match):
        post = super().respond(match)
        if (
            post is None
            and match.stage is MatchStage.PLAYING
            and not self.done
            and not self.choices(match)
        ):
            self.done = self.acted = True
            return Post("move", [["pass"], []])
        return post


class CommitOfAnotherHand(Cheat):
    """Repeats its own commitment of an earlier hand."""

    code, when, kind = Code.BAD_HAND_OPENING, When.CLOSE, "commit"
    options = {"target": 1000}  # noqa: RUF012
    first: Post | None = None

    def twist(self, match, post):
        self.first = self.first or post
        return self.first


CHEATS = [
    FalseProtest,
    FalseProtestInSelection,
    FalseProtestAtTheClose,
    WrongMatchKeyAfterProtest,
    NoMatchKeyAfterProtest,
    Leaves,
    *SILENT,
    NeverMoves,
    LowOrderMatchKey,
    CopiesMatchKey,
    PostsForAnother,
    PostsForTheTable,
    PostsForNobody,
    PostsTwice,
    SkipsANumber,
    SignsForAnotherMatch,
    SawAnotherLog,
    SawTheFuture,
    SawTooLittle,
    UnknownKind,
    Garbage,
    LapsesAnother,
    ProtestsTheFuture,
    OutOfTurn,
    CommitOfAnotherHand,
]
