"""Defects of commutative dealing, of shared keys, and of poker."""

from dataclasses import replace
from random import Random
from typing import Any

from protocol.codes import Code
from protocol.crypto.group import encode, random_scalar
from protocol.dealing import DealLoss
from protocol.dealing.commutative import fold as commutative
from protocol.dealing.commutative.stages import CommutativeStage
from protocol.dealing.registry import DEALINGS
from protocol.dealing.verified import fold as verified
from protocol.dealing.verified import key_sharing
from protocol.errors import RemoteError
from protocol.games.dominoes.layout import Layout
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.scoring import Scoring
from protocol.games.ligretto import blitz
from protocol.games.poker import rules
from protocol.games.poker.betting import BettingHand
from protocol.games.poker.rules import Poker
from protocol.games.poker.state import PokerState
from protocol.match.state import Match
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect("leavers/answer-with-another-share")
def believes_shares_of_keys() -> None:
    key_sharing.share_fits = lambda *_: True


@defect(
    "leavers/confirmation-that-names-its-author",
    "leavers/confirmation-that-names-a-seat-twice",
    "leavers/confirmation-that-names-nobody-here",
    "leavers/confirmation-that-is-not-ascending",
)
def takes_accusations_in_any_form() -> None:
    accuse = verified.record_accusation
    verified.record_accusation = lambda state, accuser, dealers: accuse(
        state, accuser, sorted(set(dealers) & set(state.receivers(accuser)))
    )


@defect(
    "leavers/leave-instead-of-shuffle*",
    "leavers/leave-instead-of-shares",
    "leavers/leave-instead-of-move",
    "leavers/leave-instead-of-show",
    "leavers/sh*-while-the-others-go-on",
    "leavers/stand-in-with*",
    "leavers/stand-in-that-is-no-point",
    "leavers/stand-in-before-*",
    "leavers/seat-that-leaves-*",
    "leavers/entry-of-a-seat-that-has-left",
    "leavers/one-more-leaver-*",
    "leavers/answer-that-nobody-asked-for",
    "leavers/answer-without-a-share",
    "leavers/stand-in-for-a-seat-that-is-there",
    "leavers/share-withheld-while-the-others-can-go-on",
    "poker/player-who-leaves-in-a-hand",
    "restart/table-killed-while-others-stand-in",
    "ligretto/leave-of-one-of-three",
    "loose-cards/seat-of-three-that-leaves-with-cards",
    "game/partner-who-leaves",
    "game/both-of-a-team-who-leave",
)
def gives_up_when_a_seat_leaves() -> None:
    dealing = DEALINGS["verified"]
    leave = dealing.leave

    def broken(state: Any, seat: int, at: int) -> Any:
        left = leave(state, seat, at)
        return left if isinstance(left, DealLoss) else DealLoss.VOID

    dealing.leave = broken


@defect(
    "commutative/pack-with-a-card-*",
    "commutative/pack-one-card-short",
    "commutative/pack-in-no-envelopes",
    "commutative/pack-of-the-seat-before",
)
def takes_any_pack() -> None:
    pack = commutative.ENTRY_HANDLERS["pack"]

    def broken(state: Any, author: int, body: list[Any], at: int) -> Any:
        try:
            return pack(state, author, body, at)
        except RemoteError as error:
            if error.code is not Code.BAD_LIST:
                raise
            key = random_scalar(Random(at))
            return pack(state, author, [encode(key * card for card in state.deck)], at)

    commutative.ENTRY_HANDLERS["pack"] = broken


@defect(
    "commutative/choice-of-*",
    "commutative/choice-for-one-seat-alone",
    "commutative/choice-for-a-seat-too-many",
)
def takes_any_choice() -> None:
    choose = commutative.ENTRY_HANDLERS["choose"]

    def broken(state: Any, author: int, body: list[Any], at: int) -> Any:
        try:
            return choose(state, author, body, at)
        except RemoteError:
            cards = iter(state.stock)
            each = state.context.piles[0].hand_size
            hands = [[next(cards) for _ in range(each)] for _ in state.present]
            return choose(state, author, [hands], at)

    commutative.ENTRY_HANDLERS["choose"] = broken


@defect("commutative/key-opened-that-is-another", "commutative/key-opened-with-another-salt")
def believes_keys_that_are_opened() -> None:
    commutative.constant_time_equal = lambda *_: True


@defect(
    "commutative/pack-with-another-card",
    "commutative/*card-unwrapped-to-another",
    "commutative/protest-without-reason",
    "poker/show-of-other-cards",
)
def names_nobody_when_keys_are_opened() -> None:
    reckon = commutative.audit_openings

    def broken(state: Any) -> Any:
        result = reckon(state)
        return None if result.faults else result

    commutative.audit_openings = broken


@defect("commutative/protest-when-keys-are-opened")
def takes_protests_when_keys_are_opened() -> None:
    dealing = DEALINGS["commutative"]
    protest = dealing.protest

    def broken(state: Any, seat: int, at: int) -> Any:
        return state if state.stage is CommutativeStage.OPEN else protest(state, seat, at)

    dealing.protest = broken


@defect("commutative/draw-of-a-card-that-is-not-there")
def gives_another_card_than_was_drawn() -> None:
    chosen = commutative._stock_cards

    def broken(state: Any, seat: int, wanted: Any, part: list[Any]) -> tuple[int, ...]:
        stock = state.stock_of(wanted.pile)
        return chosen(state, seat, wanted, [card if card in stock else stock[0] for card in part])

    commutative._stock_cards = broken


@defect("poker/muck-when-all-are-in")
def lets_anybody_muck() -> None:
    _may("muck")


@defect("poker/hand-that-is-all-in-and-not-shown")
def mucks_for_who_is_silent() -> None:
    Poker.keep_claim = lambda self, state, seat, left: None


@defect("poker/stack-that-is-bought")
def sells_two_stacks_for_one() -> None:
    asked = PokerState.after_rebuy
    PokerState.after_rebuy = lambda self, chips: asked(self, 2 * chips)


@defect("poker/turn-that-is-sat-out")
def lets_seats_sit_out_again_and_again() -> None:
    Poker.sit_out_choice = lambda self, state, seat: seat not in state.away


@defect("poker/sitting-out-at-dominoes", "poker/turn-that-is-sat-out")
def lets_everybody_sit_out() -> None:
    Match.sit_kind = lambda self, seat: "sit_out"
    Dominoes.sit_out = lambda self, state, seat, out: state


@defect(
    "poker/raise-of-less-than-the-least",
    "poker/raise-of-more-than-one-has",
    "poker/raise-of-more-than-the-limit",
    "poker/raise-of-more-than-the-pot",
    "poker/raise-of-the-pot",
    "poker/raise-after-the-cap",
)
def takes_any_raise() -> None:
    _may("raise")


@defect("poker/raise-after-the-cap")
def lets_everybody_raise_for_ever() -> None:
    BettingHand._most_raises = property(lambda hand: 1000)


@defect("poker/raise-of-*-pot")
def knows_no_pot_limit() -> None:
    make = rules.Limit
    rules.Limit = lambda name: make.NONE if name == "pot" else make(name)


@defect("poker/fold-that-is-free")
def lets_nobody_fold_for_free() -> None:
    begin = rules.begin_hand
    rules.begin_hand = lambda stakes, *hand: begin(stakes._replace(free_folds=False), *hand)


@defect("poker/small-blind-of-its-own")
def halves_the_big_blind() -> None:
    Poker._with_small = lambda self, stakes, doubled: stakes._replace(small=stakes.blind // 2)


@defect("poker/blinds-that-rise", "poker/small-blind-of-its-own")
def never_raises_the_blinds() -> None:
    Poker.stakes_of = lambda self, hand: self.stakes


@defect("game/hand-that-is-the-last")
def deals_on_after_the_last_hand() -> None:
    settle = Dominoes.settle

    def broken(self: Dominoes, state: Any, dealt: Any, drawn: Any) -> Any:
        after, wrong = settle(self, replace(state, hand=0), dealt, drawn)
        return replace(after, hand=state.hand), wrong

    Dominoes.settle = broken


@defect("game/tile-at-a-short-side-of-the-spinner")
def has_two_ends_only() -> None:
    Layout.arms = property(lambda self: None)


@defect("game/short-side-of-a-closed-spinner")
def opens_the_short_sides_at_once() -> None:
    Layout.arms = property(lambda self: None if self.spinner is None else (self.up, self.down))


@defect("game/draw-of-the-reserve")
def draws_the_stock_empty() -> None:
    Dominoes.may_draw = lambda self, state: self.draws and state.stock > 0


@defect("game/all-fives-to-the-end", "game/move-after-the-target-is-reached")
def counts_no_ends() -> None:
    Scoring.points_of = lambda self, line: 0


@defect(
    "game/receipt-that-gives-a-partner-nothing",
    "game/partner-who-leaves",
    "game/both-of-a-team-who-leave",
)
def lets_partners_score_each_for_itself() -> None:
    Scoring.team = lambda self, seat: (seat,)


@defect(
    "poker/exchange-of-a-sixth-card",
    "poker/exchange-that-is-not-ascending",
    "poker/exchange-of-a-place-twice",
)
def takes_exchanges_in_any_order() -> None:
    _may("exchange")


@defect("poker/fold-with-nothing-to-pay")
def lets_seats_fold_what_is_free() -> None:
    _may("fold")


@defect("ligretto/two-who-lay-on-one-pile", "ligretto/act-that-crosses-the-stop")
def refuses_what_is_late() -> None:
    Match.is_overtaken = lambda self, author, action, seen: False


@defect("ligretto/card-that-does-not-fit-a-post-pile")
def puts_any_card_on_a_post_pile() -> None:
    blitz.fits_post = lambda card, below: True


def _may(allowed: str) -> None:
    """Permit these actions at any turn."""
    may = Poker._is_legal
    Poker._is_legal = lambda self, state, verb, numbers: (
        verb == allowed or may(self, state, verb, numbers)
    )
