"""A session of a trade: who meets whom, standings, merges, proposals and signatures (26)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.kit_cards import CardMaker, give, trade_of, waive
from conformance.mutations import flip_bit
from conformance.trade.environment import TradeEnvironment, TradeTalk
from conformance.weak_keys import ORDER_TWO, random_identity
from protocol import wire
from protocol.codes import Code
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import content_id
from protocol.limits import MAX_OFFERS

MEETING = CaseGroup("meeting")
MERGE = CaseGroup("merge")
TRADE = CaseGroup("trade")

Step = Callable[[TradeEnvironment, TradeTalk], Awaitable[None]]


def meeting_case(code: Code, step: Step) -> CaseBody:
    """Make a case: instead of `meet` something else; the program ends the trade."""

    async def run(arena: TradeEnvironment) -> None:
        talk = await arena.talk()
        await step(arena, talk)
        await arena.refused(talk, code)

    return run


def says(name: str, *values: Any, number: int | None = None) -> Step:
    """Return a step: a message with these fields."""

    async def step(arena: TradeEnvironment, talk: TradeTalk) -> None:
        await talk.say(name, *values, number=number)

    return step


def meets(version: int = wire.VERSION, name: str = "Quentin", trusted: Any = ()) -> Step:
    """Return a step: `meet` with other fields."""

    async def step(arena: TradeEnvironment, talk: TradeTalk) -> None:
        await talk.meet(version, talk.me.public, name, list(trusted))

    return step


def meets_as(key: bytes | None) -> Step:
    """Return a step: `meet` with another key, of the program itself if none is given."""

    async def step(arena: TradeEnvironment, talk: TradeTalk) -> None:
        await talk.meet(wire.VERSION, key or talk.line.peer, "Quentin", [])

    return step


for name, section, code, step in (
    ("key-of-somebody-else", "26.4.1", Code.BAD_IDENTITY, meets_as(random_identity().public)),
    ("key-of-the-program", "26.4.1", Code.BAD_IDENTITY, meets_as(None)),
    ("key-of-small-order", "26.4.1", Code.BAD_IDENTITY, meets_as(ORDER_TWO)),
    ("name-that-steers", "26.4.1", Code.BAD_NAME, meets(name="A\x1b[2J")),
    ("other-version", "26.3", Code.WRONG_VERSION, meets(version=1)),
    (
        "standing-before-meet",
        "26.3",
        Code.BAD_MESSAGE,
        says("standing", [0, bytes(32), bytes(64)], None, []),
    ),
    ("message-that-there-is-not", "26.2.3", Code.BAD_MESSAGE, says("wave")),
    ("meet-of-another-shape", "26.2.3", Code.BAD_MESSAGE, says("meet", wire.VERSION)),
    ("trusted-that-are-no-keys", "26.2.3", Code.BAD_MESSAGE, meets(trusted=[b"x"])),
    ("payload-with-a-gap", "26.2.2", Code.GAP, says("exit", number=5)),
):
    MEETING.add(name, section, str(code), meeting_case(code, step))


@MEETING.case("26.2.2", str(Code.ANOTHER_SESSION))
async def another_salt(arena: TradeEnvironment) -> None:
    talk = await arena.met()
    talk.salt = flip_bit(talk.salt)
    await talk.say("say", "hello")
    await arena.refused(talk, Code.ANOTHER_SESSION)


@MEETING.case("26.2.2", "clean")
async def payload_that_comes_again(arena: TradeEnvironment) -> None:
    """A payload whose number has been there is no news."""
    talk = await arena.met()
    await talk.say("say", "no meet", number=0)
    await talk.hear("standing")
    await talk.stand()
    await _goes_on(talk)


async def _goes_on(talk: TradeTalk) -> None:
    """Expect that the session goes on: a trade that is no proposal of the kit is rejected."""
    await talk.say("agree", bytes(32))
    while (said := await talk.next()) is not None:
        if said.name == "reject":
            if said.values != [bytes(32), str(Code.NOT_NOW)]:
                raise CaseFailed("the program rejects another trade, or for another reason")
            return
    raise CaseFailed("the program ended the trade")


def after_meeting(code: Code, step: Step) -> CaseBody:
    """Make a case: instead of `standing` something else; the program ends the trade."""

    async def run(arena: TradeEnvironment) -> None:
        talk = await arena.met()
        await step(arena, talk)
        await arena.refused(talk, code)

    return run


async def _standing_of_another(arena: TradeEnvironment, talk: TradeTalk) -> None:
    mine = talk.standing()
    talk.me = random_identity()
    await talk.say("standing", [*talk.standing()[:2], mine[2]], None, [])


async def _badly_signed(arena: TradeEnvironment, talk: TradeTalk) -> None:
    made, digest, signature = talk.standing()
    await talk.say("standing", [made + 1, digest, signature], None, [])


async def _badly_signed_of_theirs(arena: TradeEnvironment, talk: TradeTalk) -> None:
    await talk.say("standing", talk.standing(), [7, bytes(32), bytes(64)], [])


for name, section, code, step in (
    ("standing-that-is-not-signed", "26.7.2", Code.BAD_SIGNATURE, _badly_signed),
    (
        "standing-of-the-program-that-is-not-signed",
        "26.7.2",
        Code.BAD_SIGNATURE,
        _badly_signed_of_theirs,
    ),
    ("meet-twice", "26.3", Code.BAD_MESSAGE, meets()),
    ("offer-before-standing", "26.3", Code.BAD_MESSAGE, says("offer", [], [], [])),
):
    MEETING.add(name, section, str(code), after_meeting(code, step))


# --- merges ---


def merge_case(code: Code, *message: Any) -> CaseBody:
    """Make a case: the kit sends this message of a merge, whoever's turn it is. It sends the message
    again when the program has changed its offer: one under an earlier offer is dropped.
    """

    async def send(talk: TradeTalk) -> None:
        await talk.say("merge", *talk.offers, wire.encode(list(message)))

    async def run(arena: TradeEnvironment) -> None:
        talk = await arena.met()
        talk.merges = False
        await talk.hear("standing")
        await talk.stand()
        await send(talk)
        await arena.ended(talk, send)
        if talk.line.code is not code:
            raise CaseFailed(f"the program closed with {talk.line.code or 'no code'}")

    return run


BAD = Code.BAD_MESSAGE
KIT_TYPE = CardMaker(Random("a type of the kit")).type
for name, section, code, message in (
    ("want-of-what-was-never-listed", "25.4.6", BAD, ("want", bytes(8))),
    ("records-that-nobody-asked-for", "25.4.7", BAD, ("records", [KIT_TYPE.raw])),
    ("have-without-ids", "25.4.4", BAD, ("have", 0, [[0, b"", bytes(8)]])),
    ("message-of-a-merge-that-there-is-not", "25.3.6", BAD, ("wave",)),
    (
        "ranges-of-a-space-that-there-is-not",
        "25.3.3",
        BAD,
        ("ranges", 2, [[0, b"", [[0, b"", 0, bytes(16)]]]]),
    ),
    ("ids-that-descend", "25.4.4", BAD, ("ids", 0, [[5, b"", 4, b"", bytes(8)]])),
    ("shorts-cut-short", "25.3.6", BAD, ("want", bytes(9))),
):
    MERGE.add(name, section, str(code), merge_case(code, *message))


@MERGE.case("25.6.3", str(BAD))
async def image_that_nobody_asked_for(arena: TradeEnvironment) -> None:
    talk = await arena.standing()
    await talk.say("image", wire.encode(["image", bytes(32), 1, b"x"]))
    await arena.refused(talk, BAD)


@MERGE.case("25.6.2", "no_image")
async def image_that_is_none_of_its_own(arena: TradeEnvironment) -> None:
    """Nobody finds out which images the program has."""
    talk = await arena.standing()
    await talk.say("image", wire.encode(["images", [bytes(32)]]))
    while (said := await talk.next()) is not None:
        if said.name == "image":
            if wire.decode(said.values[0]) != ["no_image", bytes(32)]:
                raise CaseFailed("the program answers something else than no_image")
            return
    raise CaseFailed("the program ended the trade")


# --- trades ---


def trade_case(code: Code, step: Step) -> CaseBody:
    """Make a case: after both standings the kit says something that ends the trade."""

    async def run(arena: TradeEnvironment) -> None:
        talk = await arena.standing()
        await step(arena, talk)
        await arena.refused(talk, code)

    return run


async def _waive_of_strangers(arena: TradeEnvironment, talk: TradeTalk) -> None:
    ann, bob = random_identity(), random_identity()
    trade = give(arena.maker.card(1), ann, bob)
    await talk.say("waive", waive(trade, ann).raw)


async def _waive_of_nothing(arena: TradeEnvironment, talk: TradeTalk) -> None:
    trade = give(arena.maker.card(1), arena.maker.identity, talk.me)
    await talk.say("waive", waive(trade, talk.me).raw)


async def _trade_of_strangers(arena: TradeEnvironment, talk: TradeTalk) -> None:
    content = trade_of(arena.maker.card(1), random_identity(), random_identity())
    await talk.say("propose", content_bytes(content))


async def _no_trade(arena: TradeEnvironment, talk: TradeTalk) -> None:
    await talk.say("propose", content_bytes(KIT_TYPE.content))


for name, section, code, step in (
    ("proposal-that-is-no-trade", "26.4.5", Code.BAD_TRADE, _no_trade),
    ("proposal-of-a-trade-of-others", "26.4.5", Code.BAD_TRADE, _trade_of_strangers),
    (
        "counter-to-what-was-never-signed",
        "26.4.10",
        Code.NOT_NOW,
        says("counter", bytes(32), bytes(64)),
    ),
    ("waive-of-a-trade-of-others", "26.4.10", Code.BAD_TRADE, _waive_of_strangers),
    ("waive-of-what-was-never-signed", "26.4.10", Code.NOT_NOW, _waive_of_nothing),
    ("second-standing", "26.3", BAD, says("standing", [0, bytes(32), bytes(64)], None, [])),
    ("offer-that-descends", "26.3", BAD, says("offer", [b"b" * 32, b"a" * 32], [], [])),
):
    TRADE.add(name, section, str(code), trade_case(code, step))


@TRADE.case("26.4.7", str(Code.NOT_NOW))
async def agreement_to_nothing(arena: TradeEnvironment) -> None:
    """The program rejects it, and the session goes on."""
    talk = await arena.standing()
    await _goes_on(talk)
    await _goes_on(talk)


@TRADE.case("26.4.5", str(Code.OTHER_TRADE))
async def proposal_of_what_was_not_offered(arena: TradeEnvironment) -> None:
    """The kit proposes a trade of a card that nobody has offered: the program rejects it by
    itself.
    """
    talk = await arena.standing()
    transfer = trade_of(arena.maker.card(1), talk.me, random_identity()).transfers[0]
    a, b = sorted((talk.me.public, talk.line.peer))
    sender = int(talk.me.public != a)
    trade = Trade(a, b, (replace(transfer, sender=sender),))
    await talk.say("propose", content_bytes(trade))
    while (said := await talk.next()) is not None:
        if said.name == "reject":
            if said.values != [content_id(trade), str(Code.OTHER_TRADE)]:
                raise CaseFailed("the program rejects another trade, or for another reason")
            return
        if said.name in ("agree", "sign", "counter"):
            raise CaseFailed(f"the program says {said.name}")
    raise CaseFailed("the program ended the trade")


@TRADE.case("26.4.4", str(Code.TOO_MANY))
async def offers_without_end(arena: TradeEnvironment) -> None:
    talk = await arena.standing()
    for _ in range(MAX_OFFERS + 1):
        await talk.say("offer", [], [], [])
    await arena.ended(talk)
    # bytes that are still under way may cut the line before its close record has come
    if talk.line.closed and talk.line.code is not Code.TOO_MANY:
        raise CaseFailed(f"the program closed with {talk.line.code or 'no code'}")


@TRADE.case("26.3", "clean")
async def exit_at_once(arena: TradeEnvironment) -> None:
    """The kit leaves: the program ends the trade without a code, and has signed nothing."""
    talk = await arena.standing()
    await talk.say("exit")
    await arena.ended(talk)
    if talk.line.code is not None:
        raise CaseFailed(f"the program closed with {talk.line.code}")


async def honest_session(arena: TradeEnvironment) -> None:
    """Meet, say standings, merge, and offer a card: the program gets its records, and goes on."""
    talk = await arena.standing()
    maker, card = arena.maker, arena.maker.card(1)
    for record in (maker.type, card, give(card, maker.identity, talk.me)):
        talk.records.add(record)
    await talk.offer(card)
    while not (talk.merge and talk.merge.done and talk.offers[0]):
        if await talk.next() is None:
            raise CaseFailed("the program ended the trade in a merge")
    await _goes_on(talk)
