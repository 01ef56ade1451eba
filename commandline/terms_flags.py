"""Command-line flags for the terms of a match: definition, conversion to `Terms`, and errors."""

import argparse
from collections.abc import Container, Iterable, Sequence
from typing import Any

from commandline.rule_file import GAME as SCRIPT
from commandline.rule_file import RuleFile
from protocol.dealing.registry import DEALINGS, fitting_dealings
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.accepted_lists import CREATORS, EDITIONS, LIMITS, OWNED_CARDS
from protocol.games.game_names import no_game
from protocol.games.registry import (
    DEFAULT_FOR_TWO,
    DEFAULT_GAME,
    Games,
    UnknownRules,
    unknown_rules_phrase,
)
from protocol.games.spec import GameSpec, Information
from protocol.i18n.help_parser import HelpText, help_renderer
from protocol.i18n.language_choice import own_language
from protocol.installation import here
from protocol.limits import (
    DEFAULT_EXTENSIONS,
    DEFAULT_STEP_SECONDS,
    DEFAULT_TURN_SECONDS,
    MAX_CLOCK_SECONDS,
    MAX_EXTENSIONS,
    MAX_LEVEL,
)
from protocol.match.clock import Allowance, parse_clock
from protocol.match.terms import Terms, make_terms
from protocol.options import (
    BadOptions,
    ListOption,
    OptionList,
    Selection,
    Value,
    option_argument,
)
from protocol.view.phrase import phrase
from protocol.view.text import Say

SEATS = 2  # number of seats without a table
RULES = "rules"  # an option that a rule file sets
ANY_CARD = "any"  # word of `--cards` for cards without conditions
CLOCK_FLAGS = ("extensions", "step_seconds", "turn_seconds", "level")  # in the order of `Allowance`
FLAGS = (
    "game",
    "option",
    "target",
    "cards",
    "deal",
    "deal_option",
    "leavers",
    "seats",
    *CLOCK_FLAGS,
)


def add_terms_flags(
    made: "argparse._ActionsContainer",
    *,
    has_table: bool,
    clock: "argparse._ActionsContainer | None" = None,
    without: Container[str] = (),
    example: tuple[str, Value] = ("hand", 5),
) -> None:
    """Add the flags that choose what is played, except those in `without`.

    Without a table, only the flags of game and deal exist. `clock` is the group for the flags of
    time; usually it is `made`. `example` is an option of a game and its value.
    """

    def add(flag: str, **more: Any) -> None:
        if flag not in without:
            made.add_argument(flag, **more)

    shown = f"{example[0]}={example[1]}"
    usual = DEFAULT_GAME if has_table else DEFAULT_FOR_TWO.name
    add("--game", metavar="GAME", help=HelpText(phrase("help.flag.game", usual=usual)))
    add(
        "--option",
        action="append",
        type=option_argument,
        metavar="NAME=VALUE",
        help=HelpText(phrase("help.flag.option", example=shown)),
    )
    add("--target", type=int, metavar="N", help="help.flag.target")
    dealt = phrase("help.flag.deal")
    if not has_table:
        dealt = phrase("help.flag.deal_for_two", usual=DEFAULT_FOR_TWO.dealing)
    add("--cards", action="append", metavar="WHICH", help="help.flag.cards")
    add("--deal", metavar="PROTOCOL", help=HelpText(dealt))
    add(
        "--deal-option",
        action="append",
        type=option_argument,
        metavar="NAME=VALUE",
        help="help.flag.deal_option",
    )
    if not has_table:
        return
    add("--leavers", metavar="VALUE", help="help.flag.leavers")
    add("--seats", type=int, metavar="N", help="help.flag.seats")
    made = clock or made
    add(
        "--turn-seconds",
        type=int,
        metavar="N",
        help=HelpText(phrase("help.flag.turn_seconds", usual=DEFAULT_TURN_SECONDS)),
    )
    add(
        "--extensions",
        type=int,
        metavar="N",
        help=HelpText(phrase("help.flag.extensions", usual=DEFAULT_EXTENSIONS)),
    )
    add(
        "--step-seconds",
        type=int,
        metavar="N",
        help=HelpText(phrase("help.flag.step_seconds", usual=DEFAULT_STEP_SECONDS)),
    )
    add("--level", type=int, metavar="MS", help="help.flag.level")


def terms_help(games: Games, *, has_table: bool) -> str:
    """Return the names of the games, and the dealing protocols with their options, for help."""
    say = help_renderer()
    return "\n".join(
        [
            f"{say(phrase('help.games'))}:",
            f"  {', '.join(games.specs)}",
            f"  {say(phrase('help.games.more'))}",
            *_dealings_help(_available_dealings(has_table=has_table), say),
        ]
    )


def game_help(row: GameSpec) -> str:
    """Return the options of one game, for help; nothing if it has none."""
    say = help_renderer()
    if not row.options:
        return ""
    title = f"{say(phrase('help.game.options', game=row.name))}:"
    return "\n".join([title, *(f"  {option.help_text(say)}" for option in row.options)])


def dealings_help(row: GameSpec) -> str:
    """Return the dealing protocols that fit one game, for help."""
    return "\n".join(_dealings_help(_dealings_of(row), help_renderer()))


def _dealings_help(names: Iterable[str], say: Say) -> list[str]:
    lines = [f"{say(phrase('help.dealings'))}:"]
    for name in names:
        options = [option.help_text(say) for option in DEALINGS[name].options]
        lines += [f"  {name}", *(f"    {text}" for text in options)]
    return lines


def _dealings_of(row: GameSpec) -> tuple[str, ...]:
    """Return the dealing protocols that fit a game; without its library, only its usual one."""
    if row.version is None:
        return (row.dealing.name,)
    return fitting_dealings(row.create(row.default_seats, {}))


def deal_options(row: GameSpec) -> set[str]:
    """Return the names of the options of all dealing protocols that fit a game."""
    return {option.name for name in _dealings_of(row) for option in DEALINGS[name].options}


def game_example(row: GameSpec) -> tuple[str, Value] | None:
    """Return one option of a game with a value; not the usual value, if the option has names."""
    option = next((option for option in row.options if option.name != RULES), None)
    if option is None:
        return None
    usual = option.default_value(row.seats[0], {})
    return option.name, option.choices[-1] if option.choices else usual


def game_examples(command: str, row: GameSpec) -> list[tuple[str, str]]:
    """Return `command` for one game, as it is and with one option: rows for `example_lines`."""
    rows = [(f"{command} {row.name}", "")]
    if row.install:
        rows.insert(0, (here(row.install), "help.game.install"))
    if example := game_example(row):
        rows.append((f"{command} {row.name} --option {example[0]}={example[1]}", ""))
    return rows


def parse_terms(args: argparse.Namespace, games: Games, *, has_table: bool) -> Terms:
    """Make the terms from the flags. Raises: LocalError that says what is wrong with them."""
    clock = _clock_options(args) if has_table else ()
    rules = named_rule_file(args)
    name = args.game or (SCRIPT if rules else DEFAULT_GAME if has_table else DEFAULT_FOR_TWO.name)
    if name not in games.specs:
        raise no_game(name, games, own_language())
    if has_table:
        if rules:
            usual = rules.seats
        else:
            usual = games.specs[name].default_seats
    else:
        usual = SEATS
    if has_table and args.seats is not None:
        seats = args.seats
    else:
        seats = usual
    options = _game_options(args)
    _check_rules(name, rules, options, seats)
    try:
        return make_terms(
            Selection(name, options),
            _choose_dealing(args, games.specs[name], options, has_table),
            clock,
            seats,
            games,
        )
    except UnknownRules as unknown:
        raise LocalError(unknown_rules_phrase(unknown)) from None
    except BadOptions as unfit:
        raise LocalError("wrong.unfit", name=name, why=unfit.reason) from None


def named_rule_file(args: argparse.Namespace) -> RuleFile | None:
    """Return the rule file of the flag `--rules`, if given."""
    found: RuleFile | None = getattr(args, "rules", None)
    return found


def _check_rules(game: str, rules: RuleFile | None, options: OptionList, seats: int) -> None:
    """Check the rule file against game and seats. Only a program that has the file can do this
    before the match. Raises: LocalError.
    """
    if rules is None:
        if game == SCRIPT and "rules" not in dict(options):
            raise LocalError("wrong.rules.none")
        return
    if game != SCRIPT:
        raise LocalError("wrong.rules.game", game=game, script=SCRIPT)
    least, most = rules.contract.seats
    if not least <= seats <= most:
        raise LocalError("wrong.rules.seats", least=least, most=most)


def terms_arguments(args: argparse.Namespace) -> list[str]:
    """Return the given flags as arguments for a child process."""
    given = {flag: value for flag in FLAGS if (value := getattr(args, flag, None)) is not None}
    return [
        f"--{flag.replace('_', '-')}={'='.join(map(str, one)) if isinstance(one, tuple) else one}"
        for flag, value in given.items()
        for one in (value if isinstance(value, list) else [value])
    ] + rule_file_arguments(args)


def rule_file_arguments(args: argparse.Namespace) -> list[str]:
    """Return the flag `--rules` as an argument for a child process, if given."""
    rules = named_rule_file(args)
    return [f"--rules={rules.path}"] if rules else []


def _game_options(args: argparse.Namespace) -> OptionList:
    target = () if args.target is None else (("target", args.target),)
    rules = named_rule_file(args)
    given = (*(args.option or ()), *target, *((("rules", rules.digest),) if rules else ()))
    words = getattr(args, "cards", None)
    if words is None:
        return given
    owned = () if OWNED_CARDS in given else (OWNED_CARDS,)
    return (*given, *owned, *accepted_options(words))


def accepted_options(words: Sequence[str]) -> OptionList:
    """Return the options for the words of `--cards`, which name creators by their fingerprints.
    Raises: LocalError for any other word.
    """
    if ANY_CARD in words:
        if len(words) > 1:
            raise LocalError("wrong.accepted.any")
        return ()
    found: dict[ListOption, list[str]] = {CREATORS: [], EDITIONS: [], LIMITS: []}
    for word in words:
        kind, _, text = word.partition(":")
        if kind == CREATORS.name and CREATORS.text_format.accepts(text.replace("-", "")):
            found[CREATORS].append(text.replace("-", ""))
        elif kind == CREATORS.name or word == "trusted":
            raise LocalError("wrong.accepted.fingerprint", word=word)
        elif kind == EDITIONS.name and EDITIONS.text_format.accepts(text):
            found[EDITIONS].append(text)
        elif LIMITS.text_format.accepts(limit := word.replace(" ", "")):
            found[LIMITS].append(limit)
        else:
            raise LocalError("wrong.accepted.word", word=word)
    try:
        return tuple(
            option for accepted, texts in found.items() for option in accepted.notation(texts)
        )
    except BadOptions as unfit:
        raise LocalError(unfit.reason) from None


def _choose_dealing(
    args: argparse.Namespace, row: GameSpec, options: OptionList, has_table: bool
) -> Selection:
    """Make the selection of the dealing. Options that are not given have the game's defaults;
    `make_terms` finds options that are given twice.
    """
    if has_table or row.information is Information.PERFECT:
        usual = row.dealing
    else:
        usual = _dealing_without_table(row, options)
    name = args.deal or usual.name
    given = tuple(args.deal_option or ())
    if has_table and args.leavers is not None:
        given = (*given, ("leavers", args.leavers))
    said = {option_argument for option_argument, _ in given}
    rest = (pair for pair in usual.options if pair[0] not in said) if name == usual.name else ()
    return Selection(name, (*given, *rest))


def _dealing_without_table(row: GameSpec, options: OptionList) -> Selection:
    """Default dealing without a table: `DEFAULT_FOR_TWO.dealing` for every game that it fits.
    Otherwise the game's default, if this dealing works without a table.
    """
    own = row.dealing.name
    if row.version is None or own not in _available_dealings(has_table=False):
        return Selection(DEFAULT_FOR_TWO.dealing)
    try:
        fit = fitting_dealings(row.create(SEATS, dict(options)))
    except BadOptions:  # `make_terms` reports this error
        fit = ()
    return Selection(
        DEFAULT_FOR_TWO.dealing if DEFAULT_FOR_TWO.dealing in fit or own not in fit else own
    )


def _available_dealings(*, has_table: bool) -> tuple[str, ...]:
    return tuple(
        name
        for name, dealing in DEALINGS.items()
        if has_table or (dealing.fits_parcels and not dealing.needs_table)
    )


def _clock_options(args: argparse.Namespace) -> OptionList:
    given = [getattr(args, flag) for flag in CLOCK_FLAGS]
    usual = zip(given, Allowance(), strict=True)
    options = Allowance(
        *(default if value is None else value for value, default in usual)
    ).options()
    try:
        parse_clock(options)
    except RemoteError:
        raise LocalError(
            "wrong.clock", seconds=MAX_CLOCK_SECONDS, extensions=MAX_EXTENSIONS, level=MAX_LEVEL
        ) from None
    return options
