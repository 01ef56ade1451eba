"""Games and dealings that a program under test has: it is tested for these alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.case import Case, CaseLeftOut
from protocol.dealing.registry import DEALINGS
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.match.terms import Terms

PROFILES = ("minimal", "whole")
# the first row that a program has is played where any match will do: game, its options, dealing
USUAL: tuple[tuple[str, dict[str, int | str], str], ...] = (
    ("block-dominoes", {"hand": 1, "target": 1}, "layered"),
    ("block-dominoes", {"hand": 1, "target": 1}, "verified"),
    ("block-dominoes", {"hand": 1, "target": 1}, "commutative"),
    ("draw-dominoes", {"hand": 1, "target": 1}, "layered"),
    ("draw-dominoes", {"hand": 1, "target": 1}, "verified"),
    ("draw-dominoes", {"hand": 1, "target": 1}, "commutative"),
    ("nim", {}, "none"),
    ("matches", {}, "none"),
    ("hexapawn", {}, "none"),
    ("connect-four", {}, "none"),
)


@dataclass(frozen=True)
class Scope:
    """Games and dealings of a program under test; None: all."""

    games: frozenset[str] | None = None
    dealings: frozenset[str] | None = None

    @property
    def is_whole(self) -> bool:
        """Check that nothing is left out."""
        return self.games is None and self.dealings is None

    def admits(self, game: str, dealing: str) -> bool:
        """Check that the program has this game and this dealing; unknown names are admitted, since
        a case means something else by them.
        """
        return (self.games is None or game in self.games or game not in BUILT_IN.specs) and (
            self.dealings is None or dealing in self.dealings or dealing not in DEALINGS
        )

    def check(self, game: str, dealing: str) -> None:
        """Raise CaseLeftOut if the program does not have this game and this dealing."""
        if not self.admits(game, dealing):
            raise CaseLeftOut(f"needs {game} dealt by {dealing}")

    def check_case(self, case: Case) -> None:
        """Raise CaseLeftOut if the program does not have what the case names."""
        if not self.admits(case.game, case.dealing):
            raise CaseLeftOut(f"needs {' dealt by '.join(filter(None, (case.game, case.dealing)))}")

    def check_terms(self, terms: Terms) -> Terms:
        """Return the terms. Raises: CaseLeftOut."""
        self.check(terms.game.name, terms.dealing.name)
        return terms

    def usual(self, seats: int = 2) -> tuple[str, dict[str, int | str], str]:
        """Return the game, its options and the dealing of a match where any will do. Raises:
        CaseLeftOut.
        """
        for game, options, dealing in USUAL:
            least, most = BUILT_IN.specs[game].seats
            if self.admits(game, dealing) and least <= seats <= most:
                return game, options, dealing
        raise CaseLeftOut(f"needs a game for {seats} that the kit plays where any game will do")

    def fill(self, terms: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of `wire_terms` with a game and a dealing that the program
        has, where a case names none. Raises: CaseLeftOut.
        """
        filled = dict(terms)
        if self.is_whole:
            return filled
        if "options" in filled and "game" not in filled:
            filled["game"] = "block-dominoes"
        if not filled.keys() & {"game", "dealing"}:
            game, options, dealing = self.usual(filled.get("seats", 2))
            wire = [list(option) for option in sorted(options.items())]
            return filled | {"game": game, "options": wire, "dealing": dealing}
        game = filled.setdefault("game", "block-dominoes")
        if "dealing" not in filled:
            dealings = (row[2] for row in USUAL if row[0] == game and self.admits(game, row[2]))
            filled["dealing"] = next(dealings, "layered")
        self.check(str(game), str(filled["dealing"]))
        return filled

    def to_text(self) -> str:
        """Return the scope in words."""
        parts = []
        for name, chosen in (("games", self.games), ("dealings", self.dealings)):
            if chosen is not None:
                parts.append(f"{name}: {', '.join(sorted(chosen))}")
        return "; ".join(parts)


WHOLE = Scope()
MINIMAL = Scope(frozenset({"nim"}), frozenset({"none"}))


def check_kind(kind: str, dealing: str) -> None:
    """Raise CaseLeftOut if an entry of this kind belongs to other dealings than this one. A case
    that waits for such an entry where any match will do needs another dealing.
    """
    having = [name for name, row in DEALINGS.items() if kind in row.entry_shapes]
    if having and dealing not in having:
        raise CaseLeftOut(f"needs a deal by {' or '.join(having)}, for its {kind}")


def read_scope(profile: str, games: str, dealings: str) -> Scope:
    """Return the scope that a command line names: a profile, or lists with commas (empty: all).
    Raises: LocalError for an unknown name.
    """
    scope = MINIMAL if profile == "minimal" else WHOLE
    return Scope(
        _names(games, BUILT_IN.specs) or scope.games, _names(dealings, DEALINGS) or scope.dealings
    )


def _names(text: str, known: Mapping[str, Any]) -> frozenset[str] | None:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise LocalError("conformance.wrong.scope", name=name, known=", ".join(known))
    return frozenset(names) or None
