"""A table as witness: its signatures, its refusals, and valid proofs. Any other table says that it
is no witness.
"""

import secrets
from dataclasses import dataclass, field
from typing import Any

from conformance.case import CaseFailed, CaseGroup, CaseSkipped
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.proofs.signed_heads import WitnessHead, read_head
from protocol.ledger.record_contents import CardTransfer, CardType, Creator, Instance, Trade
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.witness.answer_checks import (
    check_attestations,
    check_next_head,
    proven_trade,
    read_map_proof,
)

GROUP = CaseGroup("witnesses")


@dataclass
class CardCreator:
    """A creator that names the table under test as witness, with three cards and two collectors."""

    peer: PlayerConnection
    people: list[Identity] = field(
        default_factory=lambda: [Identity(secrets.token_bytes(32)) for _ in range(3)]
    )

    def __post_init__(self) -> None:
        maker = self.people[0]
        self.named = sign_record(
            Creator(maker.public, 0, None, "Maker", None, "", (self.peer.table_key,), 1), maker
        )
        self.type = sign_record(
            CardType(maker.public, None, 0, None, "Newt", "", None, (), True, ""), maker
        )
        self.cards = [
            sign_record(Instance(maker.public, self.type.id, serial, bytes(16)), maker)
            for serial in range(3)
        ]
        self.ground = [self.named, self.type, *self.cards]

    def given(self, to: int, card: int) -> LedgerRecord:
        """Return the creator's first gift of a card."""
        return self.trade(0, to, CardTransfer(self.cards[card].id, 0, 0, None, None))

    def trade(self, giver: int, taker: int, one: CardTransfer) -> LedgerRecord:
        """Return the transfer of one card to another owner."""
        ours = self.people[giver]
        theirs = self.people[taker]
        a, b = sorted((ours.public, theirs.public))
        sent = CardTransfer(one.instance, int(ours.public != a), one.index, one.prev, one.over)
        return sign_record(Trade(a, b, (sent,)), ours, theirs)


async def _witness(arena: TableEnvironment) -> CardCreator:
    """Return a creator whose witness is the table under test."""
    peer = await arena.guest()
    await peer.send("witness", None)
    message = await peer.receive()
    if (
        message is not None
        and message.name == "error"
        and message.values == [str(Code.NOT_A_WITNESS)]
    ):
        raise CaseSkipped("this table is no witness: start it with --witness")
    if message is None or message.name != "head":
        raise CaseFailed(f"{peer.described(message)} instead of head")
    _read_head(peer, message.values[0])
    return CardCreator(peer)


def _read_head(peer: PlayerConnection, values: list[Any]) -> WitnessHead:
    try:
        return read_head(peer.table_key, values)
    except RemoteError:
        raise CaseFailed("a head that the table has not signed") from None


async def _offer(maker: CardCreator, trade: LedgerRecord, *below: LedgerRecord) -> None:
    await maker.peer.send("records", [record.raw for record in (*below, trade)])
    await maker.peer.send("certify", trade.id)


async def _certified(
    maker: CardCreator, trade: LedgerRecord, *below: LedgerRecord
) -> tuple[list[bytes], WitnessHead]:
    """Offer a trade that the table must sign. Return the signed statement about it, and the head
    that covers the statement.
    """
    await _offer(maker, trade, *below)
    name, words, values = await maker.peer.expect("certified")
    head = _read_head(maker.peer, values)
    try:
        said = check_attestations(maker.peer.table_key, trade, words, head)
    except RemoteError as error:
        raise CaseFailed(f"words that are none for this trade ({error.code})") from None
    if name != trade.id or len(said) != 1:
        raise CaseFailed("not one word for each slot of this trade")
    return words, head


def _slot(trade: LedgerRecord) -> bytes:
    assert isinstance(trade.content, Trade)
    return trade.content.transfers[0].slot


async def _spent_on(maker: CardCreator, slot: bytes) -> bytes | None:
    """Return the trade that has a slot, by the table's proof."""
    await maker.peer.send("prove", slot)
    name, values, siblings, found, told = await maker.peer.expect("proof")
    head = _read_head(maker.peer, values)
    try:
        trade, _ = proven_trade(head, slot, read_map_proof(siblings, found), told)
    except RemoteError as error:
        raise CaseFailed(f"a proof that does not hold ({error.code})") from None
    if name != slot or (trade is None) != (told is None):
        raise CaseFailed("a proof of something else")
    return trade


@GROUP.case("27.6.1", "head or not_a_witness")
async def asked_for_its_head(arena: TableEnvironment) -> None:
    try:
        await _witness(arena)
    except CaseSkipped:
        peer = await arena.guest()
        await peer.send("certify", bytes(32))
        await peer.expect_error(Code.NOT_A_WITNESS)


@GROUP.case("27.2.2", "spent")
async def second_trade_for_a_slot(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await _certified(maker, maker.given(1, 0), *maker.ground)
    await _offer(maker, maker.given(2, 0))
    await maker.peer.expect_error(Code.SPENT)


@GROUP.case("27.6.3", "the same words")
async def trade_that_is_offered_again(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    words, _ = await _certified(maker, maker.given(1, 0), *maker.ground)
    again, _ = await _certified(maker, maker.given(1, 0))
    if again != words:
        raise CaseFailed("other words for the same trade")


@GROUP.case("27.2.1", "not_in_charge")
async def card_of_a_creator_who_names_nobody(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await _offer(maker, maker.given(1, 0), *maker.ground[1:])
    await maker.peer.expect_error(Code.NOT_IN_CHARGE)


@GROUP.case("27.2.2", "lacking")
async def trade_that_it_has_not_been_shown(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await maker.peer.send("certify", maker.given(1, 0).id)
    await maker.peer.expect_error(Code.LACKING)


@GROUP.case("27.2.2", "not_owned")
async def card_that_somebody_else_made(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await _offer(
        maker, maker.trade(1, 2, CardTransfer(maker.cards[0].id, 0, 0, None, None)), *maker.ground
    )
    await maker.peer.expect_error(Code.NOT_OWNED)


@GROUP.case("27.2.2", "unsettled")
async def trade_on_one_that_is_not_certified(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    first = maker.given(1, 0)
    second = maker.trade(1, 2, CardTransfer(maker.cards[0].id, 0, 1, first.id, None))
    await _offer(maker, second, *maker.ground, first)
    await maker.peer.expect_error(Code.UNSETTLED)
    await _certified(maker, first, *maker.ground)
    await _certified(maker, second)


@GROUP.case("27.6.2", "lacking")
async def records_whose_parents_are_missing(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await maker.peer.send("records", [maker.cards[0].raw])
    await maker.peer.expect_error(Code.LACKING)


@GROUP.case("27.6.2", "bad_signature")
async def record_that_nobody_signed(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    raw = bytearray(maker.type.raw)
    raw[-1] ^= 1
    await maker.peer.send("records", [bytes(raw)])
    await maker.peer.expect_error(Code.BAD_SIGNATURE)


@GROUP.case("27.6.2", "lacking again")
async def records_after_an_offer_that_was_refused(arena: TableEnvironment) -> None:
    """A refused offer also discards the records that waited for it."""
    maker = await _witness(arena)
    await maker.peer.send("records", [record.raw for record in maker.ground])
    await maker.peer.send("certify", bytes(32))
    await maker.peer.expect_error(Code.LACKING)
    names = [record.id for record in maker.ground]
    await maker.peer.send("which", names)
    (lacking,) = await maker.peer.expect("lacking")
    if lacking != names:
        raise CaseFailed("records are kept that no offer needed")


@GROUP.case("27.1.2", "a proof that holds")
async def slots_that_are_spent_and_free(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    trade = maker.given(1, 0)
    if await _spent_on(maker, _slot(trade)) is not None:
        raise CaseFailed("a slot is spent that nobody has used")
    await _certified(maker, trade, *maker.ground)
    if await _spent_on(maker, _slot(trade)) != trade.id:
        raise CaseFailed("it denies what it has signed")


@GROUP.case("27.1.1", "a proof that holds")
async def log_that_goes_on(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    _, old = await _certified(maker, maker.given(1, 0), *maker.ground)
    _, new = await _certified(maker, maker.given(1, 1), *maker.ground)
    await maker.peer.send("follow", old.size, new.size)
    *sizes, path = await maker.peer.expect("followed")
    try:
        check_next_head(old, new, tuple(path))
    except RemoteError:
        raise CaseFailed("its newer head does not go on from the older one") from None
    if sizes != [old.size, new.size]:
        raise CaseFailed("a proof for other sizes")


@GROUP.case("27.1.1", str(Code.BAD_MERKLE_PROOF))
async def sizes_that_its_log_never_had(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await maker.peer.send("follow", 1, 2**62)
    await maker.peer.expect_error(Code.BAD_MERKLE_PROOF)


@GROUP.case("27.6.5", "bad_signature")
async def head_that_is_not_its_own(arena: TableEnvironment) -> None:
    maker = await _witness(arena)
    await maker.peer.send("witness", [2**40, bytes(32), bytes(32), bytes(64)])
    await maker.peer.expect_error(Code.BAD_SIGNATURE)


@GROUP.case("27.1.4", "the same words")
async def witness_that_is_killed(arena: TableEnvironment) -> None:
    await arena.host()
    maker = await _witness(arena)
    words, _ = await _certified(maker, maker.given(1, 0), *maker.ground)
    await arena.restart()
    maker.peer = await arena.guest()
    await _offer(maker, maker.given(2, 0), *maker.ground)
    await maker.peer.expect_error(Code.SPENT)
    again, _ = await _certified(maker, maker.given(1, 0))
    if again != words:
        raise CaseFailed("other words than before it was killed")
