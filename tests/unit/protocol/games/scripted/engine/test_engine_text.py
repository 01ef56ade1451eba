"""The engine as chapter 33 has it comes to the same states as the engine of the program."""

import pytest

from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import JointRandomness
from protocol.games import Act, Action, Over, Settle
from protocol.games.decks.match_decks import DeckPhase
from protocol.games.operations import CardOperation, Lay, LookAt, RevealCards, ShuffleCards
from protocol.games.scripted.engine.state import Effect, ScriptPhase, ScriptState
from tests.support.engine_text import EngineText
from tests.support.scripts import BOUND, ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import mini

SEVERAL = """
def to_act(g): return [s for s in range(g['seats']) if s not in g['out']]
def turn_begins(g, me):
    return [add('round', None, 1)] + [show(card) for card in cards(g, 'deck')[:1]]
def turn_ends(g, me):
    return [mark(card, 'old', g['turns']) for card in cards(g, 'hand', me)[:1]]
def left(g, seat): return [move_all('hand', 'pile', seat), add('points', seat, -1)]
def lapsed(g, me): return [add('points', me, -2), end_turn()]
def landed(g, value): return [add('points', value, 1), then('after')]
def after(g): return [shuffle(cards(g, 'pile')), look(cards(g, 'pile')[:1], g['turn'])]
def low(g, me, face): return face['n'] < 6
"""
CHOICES = {
    "cards that are laid": "[move(act['card'], 'pile')] + [end_turn(), add('points', me, 1)]",
    "a coin": "[toss(g['seats'], 'landed'), end_turn()]",
    "questions": "[ask([0, 1], ['go']), say('x'), end_turn()] if g['turns'] < 3 else [end_turn()]",
    "searches": "[take('deck', 'hand', me, 'low'), move_all('pile', 'deck'), end_turn()]",
    "cards that return": "[move(cards(g, 'hand', me), 'deck'), shuffle('deck'), "
    "draw('deck', 'hand', me, 1), shuffle(cards(g, 'deck'), None, me), end_turn()]",
}


class Twin(ClearTable):
    """Match whose steps are done by the text of chapter 33 as well."""

    twin: EngineText | None = None

    def face(self, piece: int) -> object:
        return self.game.table(self.state).face(self.state, piece)

    def lay(self, lay: Lay) -> None:
        self.deal.lay(lay.piles)
        table = self.game.table(self.state)
        self.twin = EngineText(table.contract, self.game.seats, dict(table.options))
        self.twin.lay([pile.size for pile in lay.piles], self.state.first)
        decks = self.state.decks
        if decks is not None and not table.tells:
            self.twin.owners = {card: decks.owner(card) for card in range(sum(decks.sizes))}
        self.state = self.game.after_deal(self.state, ())
        self.onwards()

    def onwards(self) -> None:
        """Let the text go on, and compare."""
        assert self.twin is not None
        decks = self.state.decks
        playing = decks is not None and decks.phase is DeckPhase.PLAY
        self.twin.step_owed = playing and bool(decks.seats_due)
        self.twin.go_on(self.face)
        assert text_state(self.twin) == program_state(self.state)

    def post(self, seat: int, action: Action) -> None:
        before = self.state
        super().post(seat, action)
        if self.twin is None or before.phase is not ScriptPhase.PLAY:
            return
        toss = before.toss
        if toss is not None:
            if self.state.toss is None or self.state.toss.number != toss.number:
                nonces = [*toss.nonces]
                nonces[seat] = action[1]
                begun = digest("toss chance", BOUND.match_id, toss.number)
                known = [nonce for nonce in nonces if nonce is not None]
                self.twin.coin_lands(JointRandomness(begun, known).uniform_below(toss.sides))
        elif before.ask is not None:
            self.twin.choose(seat, action)
        self.onwards()

    def quit(self, seat: int) -> None:
        self.state = self.game.forfeit(self.state, seat)
        assert self.twin is not None
        self.twin.leave(seat)
        self.onwards()

    def lapse(self, seat: int) -> None:
        action = self.game.timeout(self.state, seat)
        assert action is not None
        self.state = self.game.apply(self.state, seat, action)
        assert self.twin is not None
        self.twin.choose(seat, action)
        self.onwards()

    def advance(self) -> Act | None:
        """Deal, and post steps, until a seat has a choice or the game is won."""
        while True:
            want = self.game.wants(self.state)
            match want:
                case Lay():
                    self.lay(want)
                case _ if self.state.phase in (ScriptPhase.CLOSE, ScriptPhase.OVER):
                    return None
                case tuple():
                    turned = self.deal.handle(want)
                    self.state = self.game.after_deal(self.state, turned)
                    self.twin.wanted_done(turned)
                    self.onwards()
                case Act() if want.automatic:
                    seat = self.rng.choice(want.seats)
                    self.post(seat, self.halves[seat].respond(self.state, self.held(seat)))
                case Act():
                    return want
                case Settle() | Over():
                    return None


def text_state(twin: EngineText) -> dict[str, object]:
    """Return the variables of the text, in the form of `program_state`."""
    ask = twin.ask and {**twin.ask, "chosen": sorted(twin.ask["chosen"])}
    return {
        "won": twin.winners,
        "lies": [tuple(cards) for cards in twin.lies],
        "pieces": tuple(twin.piece),
        "seen": [frozenset(seats) for seats in twin.seen],
        "marks": [tuple(sorted(marks.items())) for marks in twin.marks],
        "counters": [
            tuple(value) if isinstance(value, list) else (value,)
            for value in twin.counters.values()
        ],
        "turn": (twin.turn, twin.turns, twin.first),
        "out": frozenset(twin.out),
        "coin": twin.coin,
        "ask": ask,
        **({"wanted": twin.wanted, "queue": plain(twin.queue)} if twin.winners is None else {}),
    }


def program_state(state: ScriptState) -> dict[str, object]:
    """Return the variables of 33.8.1 from the state of the program."""
    ask = state.ask and {
        "seats": list(state.ask.seats),
        "kinds": None if state.ask.kinds is None else list(state.ask.kinds),
        "by turn": state.ask.turn,
        "search": state.ask.search and (state.ask.search.source, state.ask.search.to),
        "chosen": sorted(state.ask.chosen),
    }
    wanted = [operation(one) for one in state.wanted]
    found: dict[str, object] = {
        "won": state.winners if state.phase is not ScriptPhase.PLAY else None,
        "lies": list(state.lies),
        "pieces": state.pieces,
        "seen": list(state.seen),
        "marks": list(state.marks),
        "counters": list(state.counters),
        "turn": (state.turn, state.turns, state.first),
        "out": state.out,
        "coin": state.toss and (state.toss.sides, state.toss.then),
        "ask": ask,
    }
    if state.phase is ScriptPhase.PLAY:
        found |= {"wanted": wanted, "queue": plain([named(one) for one in state.queue])}
    return found


def operation(one: CardOperation) -> tuple[object, ...]:
    """Return an operation in the form of the text."""
    match one:
        case ShuffleCards(cards, by):
            return ("shuffle cards", cards, by)
        case LookAt(cards, seats):
            return ("look at", cards, seats)
        case RevealCards(cards):
            return ("reveal cards", cards)


def named(effect: Effect) -> tuple[object, ...]:
    """Return an effect of the program in the form of the text."""
    if effect.name == ".found":
        seat, action, search = effect.args
        return ("found", seat, action, search.source, search.to)
    return (effect.name.removeprefix("."), *effect.args)


def plain(value: object) -> object:
    """Replace lists by tuples."""
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def play(found: Twin, most: int, hazards: bool = False) -> int:
    """Play with random choices, lapses and leavers. Return the number of choices."""
    for number in range(most):
        want = found.advance()
        if want is None:
            return number
        seat = found.rng.choice(want.seats)
        if hazards and found.rng.random() < 0.04 and len(found.state.out) + 2 < found.game.seats:
            found.quit(found.rng.choice(found.game.table(found.state).present(found.state)))
        elif hazards and found.rng.random() < 0.1 and found.game.timeout(found.state, seat):
            found.lapse(seat)
        else:
            choices = found.choices(seat)
            names = sorted({action[0] for action in choices})
            name = found.rng.choice(names)
            found.post(seat, found.rng.choice([one for one in choices if one[0] == name]))
    return most


@pytest.mark.match
@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("element-duel", 2, {}),
        ("element-duel", 2, {"early": "yes", "together": "yes", "mode": "open"}),
        ("mau-mau", 2, {"mode": "hidden"}),
        ("mau-mau-shared", 4, {}),
        ("crazy-eights", 3, {}),
    ],
)
def test_shipped_games_run_alike_by_text_and_program(name, seats, options):
    for seed in range(3):
        found = Twin(script(name, seats, **options), seed)
        assert play(found, 300, hazards=seats > 2) > 5


@pytest.mark.match
@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("turns", ["free", "alternate"])
def test_files_with_each_effect_run_alike_by_text_and_program(name, turns):
    body = CHOICES[name]
    if "act['card']" in body:
        body = f"{body} if 'card' in act else [end_turn()]"
    text = mini(body, SEVERAL).replace(
        '"decks": "shared"', f'"decks": "shared", "turns": "{turns}"'
    )
    text = text.replace("[2, 3]", "[2, 4]").replace("range(8)]", "range(20)]")
    text = text.replace("> 3 else", "> 9 else")
    for seed in range(12):
        found = Twin(script(text, 4), seed, text)
        play(found, 60, hazards=True)
        assert found.state.error is None, found.state.error


def test_changed_text_is_noticed(monkeypatch):
    monkeypatch.setattr(EngineText, "do_skip", lambda self, seat, turns: None)
    monkeypatch.setattr(EngineText, "do_end", lambda self: None)
    with pytest.raises(AssertionError):
        play(Twin(script("crazy-eights", 3), 1), 300, hazards=True)
