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
    # chance, at each turn, that the program of an honest seat or table restarts
    restarts: float = 0.0
    text: str = ""  # rule file that every seat brings

    def __str__(self) -> str:
        """Return the whole plot in one line."""
        terms, table = self.terms, self.table
        wrongs = [
            f"seat {seat}: {wrong.how} from {wrong.since}"
            for seat, all in self.wrongs.items()
            for wrong in all
        ]
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
    return replace(_going_wrong(rng, seed, terms, ("random",), True), text=text)


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
