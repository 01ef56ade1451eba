"""Dutch Blitz: its rules one by one, and random rounds beside a second implementation on lists.

Rules: Dutch Blitz, "The Rules" of the game's box, as reprinted at oocities.org/faughtfam/rules1.html.
Ten cards in the Blitz pile, three post piles (five for two players), the wood pile by threes; post
piles downwards, boys and girls in turn; one point for each card in the Dutch piles, two off for each
left in the Blitz pile; 75 points win.
"""

from dataclasses import dataclass
from random import Random

import pytest

from bots.ligretto import ligretto_bot
from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Act, Settle
from protocol.games.ligretto import text, view
from protocol.games.ligretto.blitz import DutchBlitz
from protocol.games.ligretto.cards import fits_post
from protocol.games.ligretto.moves import DRY_FLIPS, resolve_deadlock
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.spec import SPECS
from protocol.games.ligretto.state import LigrettoPhase, can_post
from protocol.games.operations import Lay, Turn
from protocol.limits import LIGRETTO_TAKE_UPS
from tests.support.ligretto import DECK, Dealer, ligretto
from tests.support.views import legal_in, position, saying

SAY = saying()
FLIP = ("flip",)
BOYS = (0, 3)  # red and blue; yellow and green are girls


def blitz(seats=3, **options):
    return ligretto(seats, blitz="yes", **options)


def card(name, seat=0):
    """Return a card by name: "r1" is a red one, "b10" a blue ten."""
    return 40 * seat + 10 * "rygb".index(name[0]) + int(name[1:]) - 1


def table(*seats, stock="", **options):
    """Return decks with these post piles and hands; the Blitz pile has the cards `stock`, from the
    top, and then any others.
    """
    dealer, decks = Dealer.of(blitz(len(seats), **options)), []
    for seat, names in enumerate(seats):
        first, below = ([card(name, seat) for name in part.split()] for part in (names, stock))
        rest = [each for each in range(40 * seat, 40 * seat + 40) if each not in first + below]
        count = 10 - len(below)
        decks.append([*below, *rest[len(rest) - count :], *first, *rest[: len(rest) - count]])
    dealer.deal(decks)
    return dealer


def run(dealer, *acts):
    for seat, action in acts:
        assert dealer.act(seat, action)
    return dealer.state


def refused(dealer, seat, action):
    with pytest.raises(Refused) as refusal:
        dealer.game.check(dealer.state, seat, action)
    return refusal.value.code


class Cards:
    """Cards in front of one seat, as lists; the next card to take is last."""

    def __init__(self, deck, row):
        self.blitz, self.hand, self.wood = deck[9::-1], deck[: 9 + row : -1], []
        self.posts = [[each] for each in deck[10 : 10 + row]]
        self.shifts = 0

    def piles(self):
        """All piles whose top card may be played, by slot."""
        return [*self.posts, self.wood, self.blitz]

    def flip(self):
        if not self.hand:
            self.hand, self.wood = self.wood[::-1], []
        for _ in range(min(3, len(self.hand))):
            self.wood.append(self.hand.pop())

    def take(self, slot):
        taken = self.piles()[slot].pop()
        for post in self.posts:
            if not post:
                post.append(self.blitz.pop())
        return taken

    def rescue(self):
        self.hand, self.wood = self.hand + self.wood[::-1], []
        self.hand[:0] = [self.hand.pop()] if self.hand else []
        self.shifts = 0


def colour_of(piece):
    return piece % 40 // 10


def number_of(piece):
    return piece % 10 + 1


@dataclass
class Sheet:
    """A second implementation: who may do what, and what becomes of it."""

    seats: list
    piles: list

    def legal(self, seat, may_flip):
        own, found = self.seats[seat], {FLIP} if may_flip else set()
        for slot, pile in enumerate(own.piles()):
            if not pile:
                continue
            top = pile[-1]
            if number_of(top) == 1:
                found.add(("open", slot))
            for at, other in enumerate(self.piles):
                if (colour_of(other[-1]), number_of(other[-1]) + 1) == (
                    colour_of(top),
                    number_of(top),
                ):
                    found.add(("lay", slot, at))
            for at, post in enumerate(own.posts):
                sexes = {colour_of(top) in BOYS, colour_of(post[-1]) in BOYS}
                tired = slot < len(own.posts) and len(pile) > 1 and own.shifts >= LIGRETTO_TAKE_UPS
                if number_of(top) + 1 == number_of(post[-1]) and len(sexes) == 2 and not tired:
                    found.add(("post", slot, at))
        return found

    def act(self, seat, action):
        own = self.seats[seat]
        if action == FLIP:
            own.flip()
            return
        slot = action[1]
        shifted = action[0] == "post" and slot < len(own.posts) and len(own.posts[slot]) > 1
        goal = own.posts[action[2]] if action[0] == "post" else None
        taken = own.take(slot)
        if goal is not None:
            goal.append(taken)
        elif action[0] == "open":
            self.piles.append([taken])
        else:
            self.piles[action[2]].append(taken)
        if shifted:
            own.shifts += 1
        else:
            for each in self.seats:
                each.shifts = 0

    def points(self, seat):
        laid = sum(each // 40 == seat for pile in self.piles for each in pile)
        return laid - 2 * len(self.seats[seat].blitz)


def agree(dealer, sheet):
    """Check that the rules and the sheet have every card at the same place, and allow the same."""
    state = dealer.state
    for seat, (deck, own, cards) in enumerate(
        zip(dealer.decks, state.seats, sheet.seats, strict=True)
    ):
        posts = [[*below, top] for below, top in zip(own.below, own.row, strict=True)]
        known = [deck[~each] if each < 0 else each for each in own.hand]
        assert posts == cards.posts
        assert (known[: own.mark], known[own.mark :]) == (cards.wood, cards.hand[::-1])
        assert own.stock == len(cards.blitz)
        assert own.front == (cards.blitz[-1] if cards.blitz else None)
        if state.phase is LigrettoPhase.PLAY:
            may_flip = bool(own.hand) and state.dry[seat] < LIGRETTO_TAKE_UPS
            legal = dealer.game.legal(state, seat)
            assert len(legal) == len(set(legal))
            assert set(legal) == sheet.legal(seat, may_flip)
    assert [list(pile.cards) for pile in state.piles] == sheet.piles


def play_round(dealer, lag=0):
    """Play a round at random, in which every seat has missed the newest `lag` actions of others."""
    game = dealer.game
    sheet = Sheet([Cards(deck, game.row) for deck in dealer.decks], [])
    own = [0] * game.seats
    kinds = dict.fromkeys(("open", "lay", "post", "flip"), 0)
    agree(dealer, sheet)
    while dealer.state.phase in (LigrettoPhase.PLAY, LigrettoPhase.RESCUE):
        if dealer.go_on():
            if dealer.state.phase is LigrettoPhase.PLAY:
                for cards in sheet.seats:
                    cards.rescue()
                dealer.states = [dealer.state] * (dealer.state.actions + 1)
                own = [dealer.state.actions] * game.seats
            continue
        seat = dealer.rng.choice(dealer.state.present)
        seen = max(own[seat], dealer.state.actions - dealer.rng.randint(0, lag))
        *others, last = game.legal(dealer.states[seen], seat) or (None,)
        action = dealer.rng.choice(others) if others and dealer.rng.random() < 0.8 else last
        if action is None:
            continue
        before = dealer.state
        if dealer.act(seat, action, seen):
            sheet.act(seat, action)
            own[seat] = dealer.state.actions
            kinds[action[0]] += 1
        else:
            assert dealer.state is before
        agree(dealer, sheet)
    return sheet, kinds


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 9])
def test_blitz_agrees_with_second_implementation(seats):
    stops, posts = 0, 0
    for seed in range(6):
        dealer = Dealer.of(blitz(seats), seed)
        dealer.deal()
        sheet, kinds = play_round(dealer, lag=4)
        everything = sorted(
            each for own in sheet.seats for pile in (*own.piles(), own.hand) for each in pile
        ) + [each for pile in sheet.piles for each in pile]
        assert sorted(everything) == list(range(40 * seats))
        stopped = dealer.state.stopped
        assert dealer.go_on() and dealer.state.result is not None
        assert dealer.state.result.points == tuple(sheet.points(seat) for seat in range(seats))
        assert stopped is None or not sheet.seats[stopped].blitz
        stops, posts = stops + (stopped is not None), posts + kinds["post"]
    assert stops and posts > 20


@pytest.mark.slow
def test_blitz_round_of_two_ends_without_rescues():
    for seed in range(20):
        dealer = Dealer.of(blitz(2, rescues=0), seed)
        dealer.deal()
        for _ in range(5000):
            if dealer.state.phase is LigrettoPhase.SCORE:
                break
            if not dealer.go_on():
                want = dealer.game.wants(dealer.state)
                assert isinstance(want, Act) and want.seats
                seat = dealer.rng.choice(want.seats)
                dealer.act(seat, dealer.rng.choice(dealer.game.legal(dealer.state, seat)))
        assert dealer.state.phase is LigrettoPhase.SCORE


@pytest.mark.parametrize(("seats", "row"), [(2, 5), (3, 3), (4, 3), (9, 3)])
def test_blitz_has_its_own_defaults(seats, row):
    game = blitz(seats)
    assert isinstance(game, DutchBlitz) and (game.row, game.target) == (row, 75)
    assert (blitz(seats, row=4, target=20).row, blitz(seats, target=20).target) == (4, 20)


def test_without_the_option_game_is_ligretto():
    game = SPECS[0].create(3, {})
    assert type(game) is type(SPECS[0].create(3, {"blitz": "no"})) is Ligretto
    with pytest.raises(Refused) as refusal:
        game.parse(["post", 0, 1])
    assert refusal.value.code is Code.BAD_ACTION
    assert SPECS[0].edition == "2" and (game.row, game.target) == (4, 99)


def test_blitz_deal_turns_up_stock_and_posts():
    game = blitz(3)
    want = game.wants(game.start())
    assert isinstance(want, Lay)
    assert {pile.face_up_places for pile in want.piles} == {(0, 10, 11, 12)}
    dealer = Dealer.of(game)
    dealer.deal()
    own, deck = dealer.state.seats[1], dealer.decks[1]
    assert (own.front, own.row, own.stock) == (deck[0], tuple(deck[10:13]), 10)
    assert own.below == ((),) * 3 and len(own.hand) == DECK - 13


@pytest.mark.parametrize(
    ("top", "below", "fits"),
    [
        ("g5", "r6", True),
        ("y5", "b6", True),
        ("r5", "g6", True),
        ("b5", "y6", True),
        ("r5", "b6", False),  # two boys
        ("g5", "y6", False),  # two girls
        ("g6", "r5", False),  # upwards
        ("g4", "r6", False),  # not the next lower one
        ("g1", "r10", False),
    ],
)
def test_post_pile_takes_next_lower_of_other_sex(top, below, fits):
    assert fits_post(card(top), card(below)) is fits


def test_stock_card_goes_to_post_pile_and_next_is_turned():
    dealer = table("r6 b8 y2", "r2 g6 b9", "r9 y9 g9", stock="g5 b3 y7")
    assert dealer.game.check(dealer.state, 0, ("post", 4, 0)) == (Turn(0, (1,)),)
    state = run(dealer, (0, ("post", 4, 0)))
    own = state.seats[0]
    assert (own.row[0], own.below[0]) == (card("g5"), (card("r6"),))
    assert (own.front, own.stock, own.laid) == (card("b3"), 9, 0)


def test_empty_post_pile_is_filled_from_stock():
    dealer = table("r6 g5 y2", "r2 g6 b9", "r9 y9 g9", stock="b8 b3")
    assert dealer.game.check(dealer.state, 0, ("post", 1, 0)) == (Turn(0, (1,)),)
    own = run(dealer, (0, ("post", 1, 0))).seats[0]
    assert own.row == (card("g5"), card("b8"), card("y2"))
    assert own.below == ((card("r6"),), (), ()) and (own.front, own.stock) == (card("b3"), 9)


def test_card_below_appears_without_turning():
    dealer = table("r2 g1 b8", "r2 g6 b9", "r9 y9 g9", stock="b7 b3")
    run(dealer, (0, ("post", 1, 0)))
    assert dealer.game.check(dealer.state, 0, ("open", 0)) == ()
    own = run(dealer, (0, ("open", 0))).seats[0]
    assert (own.row[0], own.below[0], own.stock, own.laid) == (card("r2"), (), 9, 1)


def test_wood_card_goes_to_post_pile():
    dealer = table("r6 b8 y2 r9 r8 g5", "r2 g6 b9", "r9 y9 g9")
    run(dealer, (0, FLIP))
    assert dealer.game.check(dealer.state, 0, ("post", 3, 0)) == (Turn(0, (14,)),)
    own = run(dealer, (0, ("post", 3, 0))).seats[0]
    assert (own.row[0], own.top, own.mark, own.laid) == (card("g5"), card("r8"), 2, 0)


@pytest.mark.parametrize(
    "action", [("post", 0, 0), ("post", 1, 0), ("post", 3, 0), ("open", 4), ("lay", 4, 0)]
)
def test_illegal_blitz_action_is_refused(action):
    dealer = table("r6 b8 y2", "r2 g6 b9", "r9 y9 g9", stock="g4")
    assert refused(dealer, 0, action) is Code.ILLEGAL_MOVE


@pytest.mark.parametrize("raw", [["post", 5, 0], ["post", 0, 3], ["post", 0], ["post", True, 0]])
def test_malformed_post_is_refused(raw):
    with pytest.raises(Refused) as refusal:
        blitz(3).parse(raw)
    assert refusal.value.code is Code.BAD_ACTION


def last_but_one():
    """Return a round in which seat 0 has two cards left in its Blitz pile, and both fit."""
    red = " ".join(f"r{number}" for number in range(2, 10))
    dealer = table("r1 b5 y9", "r9 g6 b8", "r10 y8 g9", stock=f"g3 {red} g4")
    run(dealer, (0, ("open", 0)), *[(0, ("lay", 4, 0))] * 8)
    assert dealer.state.seats[0].stock == 1 and dealer.state.seats[0].front == card("g4")
    return dealer


def test_last_stock_card_on_post_pile_ends_round():
    dealer = last_but_one()
    assert dealer.game.check(dealer.state, 0, ("post", 4, 1)) == ()
    state = run(dealer, (0, ("post", 4, 1)))
    assert (state.stopped, state.ended, state.seats[0].front) == (0, 9, None)
    assert dealer.game.wants(state) == Settle(())
    state, _ = dealer.game.settle(state)
    assert state.totals == (9, -20, -20)
    said = [SAY(each) for each in view.result(dealer.game, state)]
    assert said[0] == "Blitz! Ann has no card left in the Blitz pile: the round is over."


def test_last_stock_card_that_fills_post_pile_ends_round():
    dealer = last_but_one()
    before = dealer.state
    own = before.seats[0]._replace(row=(card("g1"), *before.seats[0].row[1:]))
    dealer.state = replace(before, seats=(own, *before.seats[1:]))
    assert dealer.game.check(dealer.state, 0, ("open", 0)) == ()
    state = run(dealer, (0, ("open", 0)))
    assert state.stopped == 0 and state.seats[0].row[0] == card("g4")


def test_post_after_unseen_stop_is_late():
    dealer = last_but_one()
    dealer.state = replace(
        dealer.state,
        seats=(
            dealer.state.seats[0],
            dealer.state.seats[1]._replace(row=(card("r6", 1), card("g5", 1), card("b8", 1))),
            dealer.state.seats[2],
        ),
    )
    post = ("post", 1, 0)
    dealer.game.check(dealer.state, 1, post)
    state = run(dealer, (0, ("post", 4, 1)))
    assert refused(dealer, 1, post) is Code.NOT_NOW
    assert dealer.game.was_overtaken(state, 1, post, 9)
    assert not dealer.game.was_overtaken(state, 1, post, 10)  # the seat had seen the stop
    assert not dealer.game.was_overtaken(state, 1, ("post", 0, 1), 9)  # never right


def test_card_on_others_is_moved_to_and_fro_so_often():
    dealer = table("r6 b6 g5", "r2 g6 b9", "r9 y9 g9", stock="y9 r4")
    run(dealer, (0, ("post", 2, 0)))
    at = 0
    for count in range(LIGRETTO_TAKE_UPS):
        assert dealer.state.shifts == (count, 0, 0)
        run(dealer, (0, ("post", at, 1 - at)))
        at = 1 - at
    assert refused(dealer, 0, ("post", at, 1 - at)) is Code.ILLEGAL_MOVE
    assert ("post", at, 1 - at) not in dealer.game.legal(dealer.state, 0)
    run(dealer, (0, ("post", 4, at)))  # another card: it begins anew
    assert dealer.state.shifts == (0, 0, 0)


def test_nobody_is_stuck_while_card_fits_post_pile():
    dealer = table("r6 b8 y2", "r3 g7 b9", "r9 y9 g9", stock="g5")
    assert can_post(dealer.state.seats[0]) and not can_post(dealer.state.seats[1])
    assert not can_post(table("r6 b8 y2", "r3 g7 b9", stock="g4", row=3).state.seats[0])
    stuck = replace(dealer.state, dry=(DRY_FLIPS,) * 3)
    stuck = replace(stuck, seats=tuple(own._replace(mark=0) for own in stuck.seats))
    assert resolve_deadlock(stuck, 0).phase is LigrettoPhase.PLAY
    left = dealer.game.forfeit(stuck, 0)
    assert left.phase is LigrettoPhase.RESCUE


def test_blitz_view_shows_piles_with_keys():
    dealer = table("r6 b8 y2", "r2 g6 b9", stock="g5 b3", row=3)
    run(dealer, (0, ("post", 4, 0)), (0, FLIP))
    shown = position(dealer.game, dealer.state, 0)
    assert legal_in(shown) == dealer.game.legal(dealer.state, 0)
    assert {key for offer in shown.offers for key in offer.key} <= set(SPECS[0].keys)
    names = [SAY(region.name) for region in shown.board.regions if region.seat == 0]
    assert names == ["post pile 1", "post pile 2", "post pile 3", "wood pile", "hand", "Blitz pile"]
    post, *_, stock = (region for region in shown.board.regions if region.seat == 0)
    assert [piece.faces for piece in post.pieces] == [("red", "6"), ("green", "5")]
    assert [piece.faces for piece in stock.pieces] == [("blue", "3")] and stock.count == 8
    line = text.table_text(shown, SAY, 200)[-1]
    assert line.startswith("Ann    0  1: green 5 on red 6, 2: blue 8, 3: yellow 2 | 0: ")
    assert line.endswith("| b: Blitz pile: blue 3 | hand 24, stock 9")
    said = SAY(view.narrate(dealer.game, dealer.states[0], 0, ("post", 4, 0)))
    assert said == "Ann puts green 5 on post pile 1."


def test_blitz_view_has_no_unturned_card():
    dealer = Dealer.of(blitz(3), 5)
    dealer.deal()
    play_round(dealer)
    for state in dealer.states[::9]:
        dealer.state = state
        open_cards = {
            each
            for own in state.seats
            for each in (*own.row, *sum(own.below, ()), own.top, own.front)
        } | {pile.cards[-1] for pile in state.piles}
        seen = position(dealer.game, state, 0)
        shown = {piece.index for region in seen.board.regions for piece in region.pieces}
        assert shown == open_cards - {None}


def test_bot_empties_stock_first_and_moves_nothing_to_and_fro():
    rng = Random(1)
    dealer = table("r1 b8 y2", "r2 g6 b9", stock="g1 b3", row=3)
    assert ligretto_bot(position(dealer.game, dealer.state, 0), rng) == ("open", 4)
    dealer = table("r6 g5 y2", "r2 g6 b9", stock="y5 b3", row=3)
    assert ligretto_bot(position(dealer.game, dealer.state, 0), rng) == ("post", 4, 0)
    dealer = table("r6 b6 g5", "r2 g6 b9", stock="y9 r3", row=3)
    run(dealer, (0, ("post", 2, 0)))
    assert ("post", 0, 1) in dealer.game.legal(dealer.state, 0)
    assert {ligretto_bot(position(dealer.game, dealer.state, 0), rng) for _ in range(20)} == {FLIP}


@pytest.mark.slow
def test_blitz_match_by_bots_ends():
    dealer = Dealer.of(blitz(4, target=30), 3)
    for _ in range(20_000):
        if dealer.state.phase is LigrettoPhase.OVER:
            break
        if isinstance(dealer.game.wants(dealer.state), Lay):
            dealer.deal()
        elif not dealer.go_on():
            seat = dealer.rng.randrange(4)
            if dealer.game.legal(dealer.state, seat):
                shown = position(dealer.game, dealer.state, seat)
                dealer.act(seat, ligretto_bot(shown, dealer.rng))
    winner = dealer.game.winner(dealer.state)
    assert winner is not None and dealer.state.totals[winner] >= 30
