"""Plan of one match of a campaign, drawn from its seed: the game, the bots, and each wrong with its
author and time.
"""

from dataclasses import dataclass, field, replace
from random import Random

from protocol.games.dominoes.scoring import PARTNERS
from protocol.games.intruder_spec import OWN_PROTOCOL
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from tests.support.strangers import strange_rules

POKER, DOMINOES = ("texas-holdem", "five-card-draw"), ("block-dominoes", "draw-dominoes")
OPEN = ("matches", "nim", "hexapawn", "connect-four")  # games without hidden pieces and deals
AT_ONCE = "ligretto"  # game in which seats act simultaneously
SHARE = 0.08  # share of matches with simultaneous play: each has some hundred entries
# games by rule files: dealings, seats
SCRIPTS: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "element-duel": (("verified", "seeded", "residue"), (2,)),
    "mau-mau": (("verified", "seeded"), (2,)),
    "mau-mau-shared": (("verified", "verified", "residue"), (2, 3, 4)),
    "crazy-eights": (("verified",), (3,)),
}
SCRIPT_SHARE = 0.15
# shares of matches with owned cards, with choices under way together, and with strangers' rules
OWNED_SHARE, TOGETHER_SHARE, STRANGE_SHARE = 1 / 3, 0.08, 0.08
# ways in which a cheat's deck is false; "own": it is not
LIES = ("own", "own", "twice", "given", "later")
CARD_WRONGS = ("dispute", "dispute", "dispute", "answer")  # wrongs with owned cards
MINI_DECK = 3  # cards of a deck by `OWN_CARDS`
DUEL_DECK = 10  # cards of a deck of element-duel
OWN_CARDS = """\
RULES = {"name": "own cards", "edition": 1, "seats": 2, "decks": "own", "turns": "alternate"}
REGIONS = [
    region("deck", "each"), region("hand", "each", see = "owner", order = "hand"),
    region("row", "each", see = "all"),
]
ACTIONS = [action("play", card = "hand", face = "up")]
COUNTERS = {"points": "each"}
CARDS = [{"name": "c%d" % n, "element": "fire", "strength": n + 1} for n in range(6)]
STARTER = [0, 2, 4]
def size_errors(count): return [] if count == 3 else ["three cards"]
def card_errors(c): return [] if c.get("strength") in [1, 2, 3, 4, 5, 6] else [c["name"]]
def start(g):
    return ([shuffle("deck", s) for s in range(g["seats"])]
            + [draw("deck", "hand", s, 2) for s in range(g["seats"])])
def legal(g, me, act): return True
def apply(g, me, act):
    more = [draw("deck", "hand", me, 1)] if cards(g, "deck", me) and len(cards(g, "row", me)) < 1 else []
    return [move(act["card"], "row", me), add("points", me, act["face"]["strength"])] + more
def lapsed(g, me): return [end_turn()]
def winner(g):
    if g["turns"] < 2 * g["seats"]: return None
    p = g["counters"]["points"]
    return [s for s in range(g["seats"]) if p[s] == max(p)]
"""
# Seats choose together, a card is face up as soon as it is chosen, and whoever passes says that no
# card of the own hand beats those that lie open.
TOGETHER = """\
RULES = {"name": "together", "edition": 1, "seats": [2, 4], "decks": "shared", "turns": "alternate"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"),
    region("row", "one", see = "all"),
]
ACTIONS = [action("lay", card = "hand", face = "up"), action("pass")]
COUNTERS = {"points": "each"}
CARDS = [{"name": "c%d" % n, "n": n} for n in range(16)]
def start(g): return [shuffle("deck")] + [draw("deck", "hand", s, 4) for s in range(g["seats"])]
def to_act(g): return [s for s in range(g["seats"]) if s not in g["out"]]
def legal(g, me, act): return act["name"] == "pass" or len(cards(g, "hand", me)) > 1
def open_numbers(g): return [f["n"] for f in g["faces"] if f]
def judge(g, me, act, hand):
    if act["name"] == "lay" or len(hand) < 2: return True
    TEST
def apply(g, me, act):
    return [move(act["card"], "row"), add("points", me, 1)] if act["name"] == "lay" else []
def lapsed(g, me): return []
def winner(g):
    p = g["counters"]["points"]
    return [s for s in range(g["seats"]) if p[s] == max(p)] if g["turns"] > 6 else None
"""
# what a hand must be for a pass to be true
TESTS = (
    "return max([c['n'] for c in hand]) < max(open_numbers(g) + [0])",
    "return len(open_numbers(g)) % 2 == 1",
    "return len(open_numbers(g)) % 3 == 0",
    "return min([c['n'] for c in hand]) > min(open_numbers(g) + [99])",
    "return len(open_numbers(g)) % 2 == 0 or hand[0]['n'] < 8",
    "return len(g['out']) == 0 or max([c['n'] for c in hand]) < 8",
    "return len(open_numbers(g)) + len(g['out']) < 3 or hand[0]['n'] % 2 == 0",
)
STACK = 40
# wrongs of a seat; see `crooks`
WRONGS = ("spoil", "spoil", "act", "protest", "leave", "silence", "all in")
TABLE_WRONGS = ("spoil", "accept", "hurry", "alter")  # wrongs of a table


@dataclass(frozen=True)
class Wrong:
    """A wrong that a seat does once, from a given entry on."""

    since: int
    how: str


@dataclass(frozen=True)
class Plot:
    """One match. Seats that are not in `wrongs` are honest; so is the table if `table` has no
    wrong.
    """

    seed: int
    terms: Terms
    bots: tuple[str, ...]  # by seat
    has_table: bool = True
    # by seat; these seats may collude
    wrongs: dict[int, tuple[Wrong, ...]] = field(default_factory=dict)
    table: Wrong | None = None
    slow: float = 0.0  # chance that an honest seat has not read the newest entries when it posts
    # chance, at each round, that the posts of all honest seats are under way at the same time
    blind: float = 0.0
    # chance, at each turn, that the program of an honest seat or table restarts
    restarts: float = 0.0
    text: str = ""  # rule file that every seat brings
    strange: bool = False  # the file may give points to whom it likes
    deck: int = 0  # number of owned cards that each seat brings
    # by seat of `wrongs`: in which way its deck of owned cards is false
    lies: dict[int, str] = field(default_factory=dict)
    stirs: float = 0.0  # chance, at each turn, that somebody outside trades, cheats or tells

    def __str__(self) -> str:
        """Return the whole plot in one line."""
        terms, table = self.terms, self.table
        wrongs = [
            f"seat {seat}: {wrong.how} from {wrong.since}"
            for seat, all in self.wrongs.items()
            for wrong in all
        ]
        wrongs += [f"seat {seat} brings: {lie}" for seat, lie in self.lies.items()]
        wrongs += [f"the table: {table.how} from {table.since}"] if table else []
        dealing = " ".join(
            [terms.dealing.name, *(f"{name}={value}" for name, value in terms.dealing.options)]
        )
        return (
            f"{self.seed}: {terms.seats} seats, {terms.game.name}, {dealing}; "
            f"{', '.join(wrongs) or 'nobody'}"
        )


def plot(seed: int) -> Plot:
    """Draw the match of a seed."""
    kinds = (with_cards, choosing_together, by_a_stranger, of_old_kind)
    shares = (OWNED_SHARE, TOGETHER_SHARE, STRANGE_SHARE)
    (kind,) = Random(f"kind {seed}").choices(kinds, (*shares, 1 - sum(shares)))
    return kind(seed)


def of_old_kind(seed: int) -> Plot:
    """Draw a match of a game that the program brings along."""
    rng = Random(f"campaign {seed}")
    game = rng.choice(POKER + DOMINOES) if rng.random() < 0.8 else rng.choice(OPEN)
    if Random(f"at once {seed}").random() < SHARE:
        game = AT_ONCE
    if (script := Random(f"by a file {seed}")).random() < SCRIPT_SHARE:
        return _by_a_file(script, seed)
    hidden = ("verified", "verified", "commutative", *(("layered",) if game in DOMINOES else ()))
    dealing = "none" if game in OPEN else "verified" if game == AT_ONCE else rng.choice(hidden)
    seats = 2 if game in OPEN else rng.choice((2, 3, 4))
    has_table = dealing == "layered" or game == AT_ONCE or rng.random() < 0.75
    terms = make_terms(
        Selection(game, _rules(rng, game, seats)),
        Selection(dealing, _leavers(rng, seats) if dealing == "verified" else ()),
        Allowance(extensions=1).options() if has_table else (),
        seats,
    )
    return _going_wrong(rng, seed, terms, ("random", "sensible"), has_table)


def with_cards(seed: int) -> Plot:
    """Draw a match with owned cards."""
    rng = Random(f"with cards {seed}")
    duel = rng.random() < 0.2
    seats = 2  # files with decks of one's own have no more
    dealing = rng.choice(("verified", "seeded", "seeded")) if duel else "verified"
    has_table = rng.random() < 0.75
    mode = ("mode", rng.choice(("closing", "open", "hidden")))
    rules = () if duel else (("rules", rule_digest(OWN_CARDS)),)
    terms = make_terms(
        Selection("element-duel" if duel else "script", (("cards", "owned"), mode, *rules)),
        Selection(dealing, _leavers(rng, seats) if dealing == "verified" else ()),
        Allowance(extensions=1).options() if has_table else (),
        seats,
    )
    drawn = _going_wrong(rng, seed, terms, ("random",), has_table)
    bad = rng.sample(range(seats), rng.choice((0, 1, 1, 2)))
    few = (*CARD_WRONGS, rng.choice(WRONGS))
    return replace(
        drawn,
        text="" if duel else OWN_CARDS,
        deck=DUEL_DECK if duel else MINI_DECK,
        wrongs={
            seat: tuple(_card_wrong(rng, seats, few) for _ in range(rng.choice((1, 2, 3))))
            for seat in bad
        },
        lies={seat: rng.choice(LIES) for seat in bad},
        stirs=rng.choice((0.0, 0.1, 0.4)),
    )


def _card_wrong(rng: Random, seats: int, hows: tuple[str, ...]) -> Wrong:
    how = rng.choice(hows)
    return Wrong(0, how) if how in CARD_WRONGS else _wrong(rng, (how,), seats, "script")


def choosing_together(seed: int) -> Plot:
    """Draw a match in which seats choose at once, and some leave while choices are under way."""
    rng = Random(f"together {seed}")
    text, seats = TOGETHER.replace("TEST", rng.choice(TESTS)), rng.choice((2, 3, 3, 4))
    has_table = rng.random() < 0.9
    terms = make_terms(
        Selection("script", (("rules", rule_digest(text)),)),
        Selection("verified", _leavers(rng, seats)),
        Allowance(extensions=1).options() if has_table else (),
        seats,
    )
    drawn = _going_wrong(rng, seed, terms, ("random",), has_table)
    wrongs = drawn.wrongs if rng.random() < 0.5 else {}
    return replace(drawn, text=text, wrongs=wrongs, blind=rng.choice((0.5, 1.0)))


def by_a_file(seed: int) -> Plot:
    """Draw the match of a game by a rule file."""
    return _by_a_file(Random(f"by a file {seed}"), seed)


def _by_a_file(rng: Random, seed: int) -> Plot:
    game = rng.choice(tuple(SCRIPTS))
    dealings, numbers = SCRIPTS[game]
    dealing, seats = rng.choice(dealings), rng.choice(numbers)
    has_table = dealing == "residue" or rng.random() < 0.75
    switches = ("early", "together") if game == "element-duel" else ()
    options: list[tuple[str, int | str]] = [(name, rng.choice(("no", "yes"))) for name in switches]
    if numbers == (2,):
        options.append(("mode", rng.choice(("closing", "open", "hidden"))))
    more: dict[str, tuple[tuple[str, int | str], ...]] = {"residue": (("bits", "breakable-512"),)}
    given = _leavers(rng, seats) if dealing == "verified" else more.get(dealing, ())
    clock = Allowance(extensions=1).options() if has_table else ()
    terms = make_terms(
        Selection(game, tuple(sorted(options))), Selection(dealing, given), clock, seats
    )
    return _going_wrong(rng, seed, terms, ("foresight",), has_table)


def by_a_stranger(seed: int) -> Plot:
    """Draw the match of a game whose rules, or whose protocol, a stranger has written."""
    rng = Random(f"by a stranger {seed}")
    clock = Allowance(extensions=1).options()
    if rng.random() < 0.3:
        options = (("protocol", OWN_PROTOCOL), ("sessions", rng.choice((1, 2, 3))))
        terms = make_terms(Selection("intruder", options), Selection("none", ()), clock, 1)
        return Plot(seed, terms, ("random",))
    text, seats = strange_rules(rng), rng.choice((2, 3))
    terms = make_terms(
        Selection("script", (("rules", rule_digest(text)),)),
        Selection("verified", _leavers(rng, seats)),
        clock,
        seats,
    )
    return replace(_going_wrong(rng, seed, terms, ("random",), True), text=text, strange=True)


def _going_wrong(
    rng: Random, seed: int, terms: Terms, bots: tuple[str, ...], has_table: bool
) -> Plot:
    """Draw the seats that do wrong, and their wrongs."""
    game, seats = terms.game.name, terms.seats
    bad = rng.sample(range(seats), rng.choice((0, 1, 1, *range(1, seats))))
    lying = has_table and rng.random() < 0.3
    return Plot(
        seed,
        terms,
        tuple(rng.choice(bots) for _ in range(seats)),
        has_table,
        {
            seat: tuple(_wrong(rng, WRONGS, seats, game) for _ in range(rng.choice((1, 1, 2))))
            for seat in bad
        },
        _wrong(rng, TABLE_WRONGS, seats, game) if lying else None,
        slow=rng.choice((0.0, 0.2, 0.5)),
        restarts=rng.choice((0.0, 0.0, 0.02)),
    )


def drawn(game: str, dealing: str, seats: int, seed: int, **options: int | str) -> Plot:
    """Draw a match of this kind without wrongs."""
    rng, clock = Random(f"campaign {seed}"), Allowance(extensions=1).options()
    terms = make_terms(
        Selection(game, _rules(rng, game, seats)),
        Selection(dealing, tuple(options.items())),
        clock,
        seats,
    )
    return Plot(seed, terms, ("random",) * seats)


def with_only(plot: Plot, wrongs: dict[int, tuple[Wrong, ...]]) -> Plot:
    """Return the same match with these wrongs."""
    return replace(plot, wrongs=wrongs)


def _rules(rng: Random, game: str, seats: int) -> tuple[tuple[str, int | str], ...]:
    if game in OPEN:
        misere = (("misere", rng.choice(("no", "yes"))),)
        sizes = {
            "matches": (*misere, ("n", rng.choice((1, 7, 20)))),
            "nim": (*misere, ("rows", "1-3-5")),
        }
        return sizes.get(game, ())
    if game == AT_ONCE:
        return (
            ("redeal", rng.choice(("no", "yes"))),
            ("rescues", rng.choice((0, 1))),
            ("rounds", 1),
            ("target", 1),
        )
    if game in POKER:
        more = rng.choice(((), (("rebuys", 1),), (("levels", 1), ("rebuys", 2))))
        hands = rng.choice((1, 2, 3))
        limit = rng.choice((("limit", "fixed"), ("limit", "none"), None))
        return (("hands", hands), ("stack", STACK), *more, *((limit,) if limit else ()))
    target = rng.choice((1, 15))
    scoring = rng.choice(((), (("scoring", "fives"),)))
    partners = (("partners", "yes"),) if seats == PARTNERS and rng.random() < 0.6 else ()
    return (("hand", 4), *partners, *scoring, ("target", target))


def _leavers(rng: Random, seats: int) -> tuple[tuple[str, int | str], ...]:
    if rng.random() < 0.3:
        return ()
    quorum = (("quorum", rng.randrange(2, seats)),) if seats > 3 and rng.random() < 0.5 else ()
    return (("leavers", "threshold"), *quorum)


def _wrong(rng: Random, hows: tuple[str, ...], seats: int, game: str) -> Wrong:
    latest = (
        (3, 6, 12)
        if game in OPEN
        else (12, 25, 40, *((120,) * (game == AT_ONCE)), *((60,) * (game in SCRIPTS)))
    )
    return Wrong(
        rng.randrange(rng.choice((1, 2 * seats)), rng.choice(latest) * seats), rng.choice(hows)
    )
