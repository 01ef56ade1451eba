"""The form for an own table, made from the option tables of games and dealings, and its values.

The range of a number can depend on the seats and on other options. The page therefore asks for a
new form after every change, and knows no rules itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from commandline.rule_file import GAME as SCRIPT
from player.client.requirements import Requirements
from player.presenter.terms_text import terms_lines
from player.ui.web.lobby.decks import DeckChoice
from protocol.dealing import Dealing
from protocol.dealing.registry import DEALINGS, fitting_dealings
from protocol.errors import LocalError
from protocol.games.decks.accepted_lists import OWNED_CARDS
from protocol.games.registry import DEFAULT_GAME, Games, UnknownRules, unknown_rules_phrase
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.spec import TurnOrder
from protocol.limits import (
    DEFAULT_EXTENSIONS,
    DEFAULT_STEP_SECONDS,
    DEFAULT_TURN_SECONDS,
    MAX_CLOCK_SECONDS,
    MAX_EXTENSIONS,
    MAX_LEVEL,
)
from protocol.match.terms import Terms, make_terms
from protocol.options import BadOptions, Option, Selection, Value, Values
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say

ACCEPTED = "accepted"  # field for conditions on the cards that people own
NOTHING: Values = MappingProxyType({})
CLOCK = (  # by the names of a match's clock, in the order in which people ask for them
    Option(
        name="turn",
        help_key="form.turn",
        default=DEFAULT_TURN_SECONDS,
        least=1,
        most=MAX_CLOCK_SECONDS,
    ),
    Option(
        name="extensions",
        help_key="form.extensions",
        default=DEFAULT_EXTENSIONS,
        most=MAX_EXTENSIONS,
    ),
    Option(
        name="step",
        help_key="form.step",
        default=DEFAULT_STEP_SECONDS,
        least=1,
        most=MAX_CLOCK_SECONDS,
    ),
)
# words for the values of options; others are names
CHOICES = {
    "no": "form.choice.no",
    "yes": "form.choice.yes",
    "points": "form.choice.points",
    "fives": "form.choice.fives",
    "moving": "form.choice.moving",
    "dead": "form.choice.dead",
    "none": "form.choice.none",
    "pot": "form.choice.pot",
    "fixed": "form.choice.fixed",
    "priced": "form.choice.priced",
    "free": "form.choice.free",
    "proxies": "form.choice.proxies",
    "owned": "form.choice.owned",
    "closing": "form.choice.closing",
    "open": "form.choice.open",
    "hidden": "form.choice.hidden",
    "own": "form.choice.own",
}
# options that people look for, of all games; the page shows the first ones, and folds the rest
COMMON = (
    *("target", "hands", "length", "stack", "blind", "scoring", "limit", "partners", "hand"),
    *("rows", "n", "misere", "width", "height", "popout", "blitz", "rounds", "early", "together"),
    *("protocol", "mode"),
)
# where seats act at the same time
LEVEL = Option(name="level", help_key="form.level", default=0, most=MAX_LEVEL)


# of `Pace.clock`, for people who sit together, and for people who do something else meanwhile
QUICK: Values = MappingProxyType({"turn": 30, "extensions": 2, "step": 120})
USUAL: Values = MappingProxyType(
    {"turn": DEFAULT_TURN_SECONDS, "extensions": DEFAULT_EXTENSIONS, "step": DEFAULT_STEP_SECONDS}
)
SLOW: Values = MappingProxyType({"turn": 3600, "extensions": 3, "step": 3600})
SHORT_TURN = 60  # seconds; shorter times are said in seconds
USUAL_PACE = "usual"
# the dealing in which the table knows nothing of hands
TRUSTLESS = "verified"


class Pace(NamedTuple):
    """A clock that a person chooses by a name. `about` is the key of the text that explains it."""

    about: str
    clock: Values


PACES = {
    "quick": Pace("form.pace.quick", QUICK),
    USUAL_PACE: Pace("form.pace.usual", USUAL),
    "slow": Pace("form.pace.slow", SLOW),
}


class WrongField(LocalError):
    """An invalid value in the form. `field`: the name of its field; empty if it is the whole form."""

    def __init__(self, said: Phrase, field: str = "") -> None:
        super().__init__(said)
        self.field = field


@dataclass(frozen=True)
class FormValues:
    """The values in the form. A missing value is the default."""

    game: str = DEFAULT_GAME
    seats: int | None = None  # None: as many as usual
    options: Values = field(default_factory=dict)
    dealing: str | None = None
    dealing_options: Values = field(default_factory=dict)
    clock: Values = field(default_factory=dict)
    deck: str | None = None  # "": none; None: the usual one
    pace: str = USUAL_PACE


def read_form(body: Mapping[str, Any]) -> FormValues:
    """Read a page's form. Raises: WrongField if it is no form of this program."""
    made = FormValues(
        body.get("game", DEFAULT_GAME),
        body.get("seats"),
        body.get("options", {}),
        body.get("dealing"),
        body.get("dealing_options", {}),
        body.get("clock", {}),
        body.get("deck"),
        body.get("pace", USUAL_PACE),
    )
    texts = isinstance(made.dealing, str | None) and isinstance(made.deck, str | None)
    fits = (
        isinstance(made.game, str)
        and (made.seats is None or type(made.seats) is int)
        and texts
        and made.pace in PACES
    )
    if not fits or not all(map(_are_values, (made.options, made.dealing_options, made.clock))):
        raise WrongField(phrase("form.none"))
    return made


def _are_values(options: object) -> bool:
    return isinstance(options, dict) and all(
        type(value) in (int, str) for value in options.values()
    )


class Form:
    """A form with its present values: every field with its range, and the terms if all values are
    valid.
    """

    def __init__(
        self,
        form: FormValues,
        games: Games,
        say: Say,
        requires: Requirements,
        decks: DeckChoice,
        *,
        hosts: bool = False,
        own_cards: bool = False,
    ) -> None:
        """`hosts`: the table is the person's own, so the default dealing is one that hides hands from
        it. `own_cards`: the default is to play with owned cards. Raises: WrongField for a game that
        is not here.
        """
        if form.game not in games.specs:
            raise WrongField(phrase("form.game", game=form.game), "game")
        self._hosts = hosts
        self._games = games
        self._say = say
        self._requires = requires
        self._decks = decks
        self._row = games.specs[form.game]
        self._wrong: dict[str, Phrase] = {}  # problems by the names of fields
        usual = self._row.default_seats
        self._typed_seats = usual if form.seats is None else form.seats  # valid or not
        self._count = self._seats(self._typed_seats)
        self._values = form
        # by area: the options that the terms have to name
        self._named: dict[str, list[tuple[str, Value]]] = {}
        named: dict[str, Value] = {}
        if decks.text and self._row.name == SCRIPT:
            named["rules"] = rule_digest(decks.text)
        if own_cards:
            named[OWNED_CARDS[0]] = OWNED_CARDS[1]
        self._options = self._fields("options", self._row.options, self._values.options, named)
        if self._row.lists and OWNED_CARDS in self._named["options"]:
            self._options.append(self._accepted())
        self._dealing = self._choose_dealing()
        if self._row.dealing.name == self._dealing.name:
            preset = dict(self._row.dealing.options)
        else:
            preset = {}
        self._dealing_options = self._fields(
            "dealing_options", self._dealing.options, self._values.dealing_options, preset
        )
        level = (LEVEL,) if self._row.dynamics is TurnOrder.INDEPENDENT else ()
        self._clock = self._fields(
            "clock", (*CLOCK, *level), self._values.clock, PACES[self._values.pace].clock
        )

    def terms(self) -> Terms:
        """Return the terms. Raises: WrongField, which says which value is wrong."""
        terms = self.filled_terms()
        if (missing := self._requires.unmet(terms)) is not None:
            raise WrongField(missing)
        if (misfit := self._decks.wrong(self._values.deck, terms)) is not None:
            raise WrongField(misfit, "deck")
        return terms

    def filled_terms(self) -> Terms:
        """Return the terms of the form, without a check of the person's requirements and deck.
        Raises: WrongField.
        """
        for name, problem in self._wrong.items():
            raise WrongField(problem, name)
        game = Selection(self._row.name, tuple(self._named["options"]))
        dealing = Selection(self._dealing.name, tuple(self._named["dealing_options"]))
        clock = tuple(
            (each["name"], each["value"])
            for each in self._clock
            if each["value"] or each["name"] != "level"
        )
        try:
            return make_terms(game, dealing, clock, self._count, self._games)
        except UnknownRules as unknown:
            raise WrongField(unknown_rules_phrase(unknown), "game") from None
        except BadOptions as unfit:
            raise WrongField(phrase("form.unfit", game=game.name, why=unfit.reason)) from None

    def shown(self) -> dict[str, Any]:
        """Return the form for a page: fields with their names, ranges and errors, and the terms in
        words.
        """
        least, most = self._row.seats
        seats_problem = self._wrong.get("seats")
        seats = {
            "value": self._typed_seats,
            "least": least,
            "most": most,
            "usual": self._row.default_seats,
            "wrong": self._say(seats_problem) if seats_problem else None,
        }
        try:
            terms = self.terms()
            words = terms_lines(
                terms, self._say, games=self._games, creators=self._decks.creators(terms)
            )
            wrong = None
        except WrongField as error:
            words, wrong = [], self._say(error.phrase)
        return {
            "deck": self._deck(),
            "game": self._row.name,
            "sheet": bool(self._row.sheet),
            "games": [
                {"name": row.name, "about": self._say(phrase(row.about))}
                for row in self._games.specs.values()
            ],
            "seats": seats,
            "options": self._options,
            "dealing": self._dealing.name,
            "dealings": list(self._fitting_dealings()),
            "dealing_options": self._dealing_options,
            "clock": self._clock,
            "pace": self._values.pace,
            "paces": [
                {"name": name, "about": self._say(_pace_phrase(pace))}
                for name, pace in PACES.items()
            ],
            "terms": [line.strip() for line in words],
            "wrong": wrong,
        }

    def _deck(self) -> dict[str, Any] | None:
        try:
            shown = self._decks.shown(self.filled_terms())
        except WrongField:
            return None
        if shown is None or self._values.deck is None:
            return shown
        return shown | {"value": self._values.deck}

    def _seats(self, typed: int) -> int:
        """Return the nearest valid number of seats, for which the other fields are made."""
        least, most = self._row.seats
        if not least <= typed <= most:
            self._wrong["seats"] = phrase(
                "form.wrong", about=phrase("form.seats"), allowed=_range(least, most)
            )
        return min(max(typed, least), most)

    def _fields(
        self, area: str, options: Sequence[Option], given: Values, preset: Values = NOTHING
    ) -> list[dict[str, Any]]:
        """Return the fields of one area. `preset`: the defaults of the game, where they differ from
        those of the options.
        """
        values: dict[str, Value] = {}
        rows = []
        named = self._named.setdefault(area, [])
        for option in options:
            if not option.applies(values):
                continue
            default = option.default_value(self._count, values)
            usual = preset.get(option.name, default)
            row = self._field(area, option, given.get(option.name, usual), values)
            row["usual"] = row["value"] == usual
            if row["value"] != default:
                named.append((option.name, row["value"]))
            values[option.name] = default if row["wrong"] else row["value"]
            rows.append(row)
        return rows

    def _field(self, area: str, option: Option, value: Value, values: Values) -> dict[str, Any]:
        low, high = option.bounds(self._count, values)
        about = self._say(phrase(option.help_key))
        row: dict[str, Any] = {"name": option.name, "about": about, "value": value, "wrong": None}
        row |= self._range_of(option, low, high)
        row["rank"] = COMMON.index(option.name) if option.name in COMMON else len(COMMON)
        # a default need not be a value that can be chosen
        if value == option.default_value(self._count, values):
            return row
        try:
            option.check(value, self._count, values)
        except BadOptions:
            allowed = _allowed(option, low, high)
            row["wrong"] = self._say(allowed)
            self._wrong[f"{area}-{option.name}"] = phrase(
                "form.wrong", about=phrase(option.help_key), allowed=allowed
            )
        return row

    def _accepted(self) -> dict[str, Any]:
        """Return the field for conditions on the cards that people own."""
        about = phrase("form.accepted")
        text = str(self._values.options.get(ACCEPTED, ""))
        row: dict[str, Any] = {"name": ACCEPTED, "about": self._say(about), "value": text}
        row |= {"form": self._say(phrase("form.accepted.form")), "wrong": None, "usual": not text}
        row["rank"] = len(COMMON)
        try:
            self._named["options"] += self._decks.accepted(text)
        except LocalError as error:
            row["wrong"] = self._say(error.phrase)
            self._wrong[f"options-{ACCEPTED}"] = error.phrase
        return row

    def _range_of(self, option: Option, low: int, high: int) -> dict[str, Any]:
        """Return an option's range for the page."""
        if option.text_format is not None:
            return {"form": self._say(option.text_format.description)}
        if option.choices:
            names = [self._choice(value) for value in option.choices]
            return {"choices": list(option.choices), "names": names}
        return {"least": low, "most": high}

    def _choice(self, value: Value) -> str:
        """Return a value of an option in words."""
        key = CHOICES.get(str(value))
        return str(value).replace("-", " ").capitalize() if key is None else self._say(phrase(key))

    def _fitting_dealings(self) -> tuple[str, ...]:
        """Return the dealings that fit the game with these options. While the game cannot be created,
        return its usual dealing alone.
        """
        values = {each["name"]: each["value"] for each in self._options if not each["wrong"]}
        usual = (self._row.dealing.name,)
        if self._row.version is None:
            return usual
        try:
            return fitting_dealings(self._row.create(self._count, values))
        except BadOptions:
            return usual

    def _choose_dealing(self) -> Dealing[Any]:
        fit = self._fitting_dealings()
        usual = self._row.dealing.name
        if self._hosts and DEALINGS[usual].needs_table and TRUSTLESS in fit:
            usual = TRUSTLESS
        name = self._values.dealing or usual
        return DEALINGS[name if name in fit else fit[0]]


def _pace_phrase(pace: Pace) -> Phrase:
    """Return what a pace means. Long times are said in minutes."""
    turn = int(pace.clock["turn"])
    if turn < SHORT_TURN:
        return phrase(pace.about, time=phrase("form.pace.seconds", seconds=turn))
    return phrase(pace.about, time=phrase("form.pace.minutes", minutes=turn // 60))


def _allowed(option: Option, least: int, most: int) -> Phrase:
    """Return an option's range in words."""
    if option.text_format is not None:
        return option.text_format.description
    if option.choices:
        return phrase("form.choices", choices=", ".join(map(str, option.choices)))
    return _range(least, most)


def _range(least: int, most: int) -> Phrase:
    return phrase("form.range", least=least, most=most)
