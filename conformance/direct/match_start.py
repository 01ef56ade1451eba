"""The begin of a match without a table: invitations that a guest must refuse, and acceptances that
are none.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.direct.environment import DirectEnvironment
from conformance.direct.kit_player import TERMS, KitPlayer
from conformance.weak_keys import random_identity
from protocol import wire
from protocol.codes import Code
from protocol.dealing import Post
from protocol.identity.keys import Identity, fingerprint
from protocol.match.log import Log
from protocol.match.setup import Setup
from protocol.match.terms import Terms, make_terms
from protocol.messages.parcel import EntriesParcel, Invitation
from protocol.options import Selection

OFFER_GROUP = CaseGroup("invitations")  # to a guest, who accepts none of them: no match
GUEST_GROUP = CaseGroup("guest")
HOST_GROUP = CaseGroup("host")


def sign_invitation(identity: Identity, invitation: Invitation) -> Invitation:
    """Return the invitation with the inviter's signature over its present content."""
    return replace(
        invitation, signature=identity.sign("invitation", wire.encode(invitation.body()))
    )


# --- for guests ---


def offer_case(code: Code, make: Callable[[KitPlayer], bytes]) -> CaseBody:
    """Make a case: a guest receives this invitation, and does not accept it."""

    async def run(arena: DirectEnvironment) -> None:
        await arena.start()
        line = await arena.line()
        await line.send_bytes(make(arena.side))
        await arena.expect_closed(line, [code])

    return run


def with_terms(**changes: Any) -> Callable[[KitPlayer], bytes]:
    """Return a maker of a signed invitation to other terms."""

    def make(side: KitPlayer) -> bytes:
        terms: Terms = TERMS._replace(**changes)
        return encode_invitation(
            sign_invitation(side.identity, replace(side.invite(), terms=terms))
        )

    return make


def encode_invitation(invitation: Invitation, version: int | None = None) -> bytes:
    """Return an invitation's bytes, valid or not."""
    said, *rest = invitation.body()
    return wire.encode(
        ["invitation", said if version is None else version, *rest, invitation.signature]
    )


def badly_signed(side: KitPlayer) -> bytes:
    invitation = side.invite()
    return encode_invitation(replace(invitation, signature=bytes(64)))


def other_nonce(side: KitPlayer) -> bytes:
    """An invitation whose signature belongs to another invitation."""
    return encode_invitation(replace(side.invite(), nonce=bytes(32)))


BAD_OPTIONS = Code.BAD_OPTIONS
for name, section, code, make in (
    ("invitation-that-nobody-signed", "19.1.1", Code.BAD_SIGNATURE, badly_signed),
    ("invitation-signed-for-another", "19.1.1", Code.BAD_SIGNATURE, other_nonce),
    ("invitation-for-three", "19.1.1", BAD_OPTIONS, with_terms(seats=3)),
    ("invitation-dealt-by-a-table", "17.1", BAD_OPTIONS, with_terms(dealing=Selection("layered"))),
    (
        "invitation-with-a-clock",
        "17.1",
        BAD_OPTIONS,
        with_terms(clock=(("extensions", 0), ("step", 60), ("turn", 60))),
    ),
    ("invitation-to-other-rules", "19.2.2", Code.UNKNOWN_RULES, with_terms(rules="0")),
    (
        "invitation-of-another-version",
        "19.1",
        Code.WRONG_VERSION,
        lambda side: encode_invitation(side.invite(), 9),
    ),
):
    OFFER_GROUP.add(name, section, str(code), offer_case(code, make))


@OFFER_GROUP.case("19.5.1", "dropped")
async def another_fingerprint_than_the_links(arena: DirectEnvironment) -> None:
    arena.named = fingerprint(random_identity().public)
    await arena.start()
    try:
        await arena.line()
    except CaseFailed:
        return
    raise CaseFailed("the program takes anybody for the one who invited it")


@GUEST_GROUP.case("19.2.3", "accepts nothing")
async def invitation_after_a_match_with_its_nonce(arena: DirectEnvironment) -> None:
    """The kit drops its match: the program goes on with its own log, and never begins another
    match.
    """
    line = await arena.begin()
    await arena.reach(line, "commit")
    assert arena.side.invitation is not None
    line.cut()
    line = await arena.line()
    await line.send(arena.side.invitation)
    await arena.finish(line)


# --- for guests who are invited to something with nothing hidden ---


def open_game_terms(game: str, **options: int | str) -> Terms:
    """Return the terms of a game without a deal."""
    return make_terms(Selection(game, tuple(sorted(options.items()))), Selection("none"), (), 2)


def whole_match_case(terms: Terms) -> CaseBody:
    """Make a case: a match to its end."""

    async def run(arena: DirectEnvironment) -> None:
        await arena.finish(await arena.begin(terms))

    return run


PAWNS = open_game_terms("hexapawn")
for name, section, terms in (
    ("matches-to-the-last", "21.3", open_game_terms("matches", n=7)),
    ("rows-to-the-last", "21.4", open_game_terms("nim", misere="yes", rows="2-3")),
    ("pawns-to-the-end", "21.5", PAWNS),
    ("four-in-line", "21.6", open_game_terms("connect-four", height=4, width=5)),
):
    GUEST_GROUP.add(name, section, "clean", whole_match_case(terms))


@GUEST_GROUP.case("21.2.2", "stops")
async def pawn_that_stays(arena: DirectEnvironment) -> None:
    """The kit sends an illegal move under a valid head."""
    line = await arena.begin(PAWNS)
    await arena.reach(line, "move")
    await arena.give(line, arena.side.entry(Post("move", [["move", 4, 4], []])))
    await arena.expect_stopped(line)


# --- for hosts ---


def acceptance_case(
    code: Code, change: Callable[[Setup], Setup], signer: Identity | None = None
) -> CaseBody:
    """Make a case: the kit accepts something that was not offered. No match begins, and the next
    guest can have the seat.
    """

    async def run(arena: DirectEnvironment) -> None:
        await arena.start()
        line = await arena.line()
        await arena.invited(line)
        record = arena.side.accept(change, signer)
        await line.send(EntriesParcel(_match_id(record.entry), 0, (record,)))
        await arena.expect_closed(line, [code])
        await line.close()
        line = await arena.line()
        await arena.invited(line)
        arena.side.add(arena.side.accept())
        await arena.finish(line)

    return run


def _match_id(raw: bytes) -> bytes:
    return Log(raw).match_id


def _as_somebody_else(setup: Setup) -> Setup:
    host, guest = setup.people
    return replace(setup, people=(host, guest._replace(identity=OTHER_IDENTITY.public)))


OTHER_IDENTITY = random_identity()
HOST_GROUP.add(
    "acceptance-with-another-nonce",
    "19.2.1",
    str(Code.NOT_INVITED),
    acceptance_case(Code.NOT_INVITED, lambda setup: replace(setup, nonce=bytes(32))),
)
HOST_GROUP.add(
    "acceptance-at-another-time",
    "19.2.1",
    str(Code.NOT_INVITED),
    acceptance_case(Code.NOT_INVITED, lambda setup: replace(setup, created=1)),
)
HOST_GROUP.add(
    "acceptance-by-another-key-than-the-sessions",
    "19.5.2",
    str(Code.NOT_INVITED),
    acceptance_case(Code.NOT_INVITED, _as_somebody_else, OTHER_IDENTITY),
)


@HOST_GROUP.case("19.5.2", str(Code.TABLE_FULL))
async def third_person_at_the_door(arena: DirectEnvironment) -> None:
    line = await arena.begin()
    await arena.reach(line, "commit")
    third = await arena.line(random_identity())
    await arena.expect_closed(third, [Code.TABLE_FULL])
    await arena.finish(line)
