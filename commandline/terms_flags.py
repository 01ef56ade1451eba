"""Command-line flags for the terms of a match: definition, conversion to `Terms`, and errors."""

import argparse
from collections.abc import Container
from typing import Any

from commandline.rule_file import GAME as SCRIPT
from commandline.rule_file import RuleFile
from protocol.dealing.registry import DEALINGS, fitting_dealings
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import (
    DEFAULT_FOR_TWO,
    DEFAULT_GAME,
    Games,
    UnknownRules,
    unknown_rules_phrase,
)
from protocol.games.spec import GameSpec, Information, options_help
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
    Option,
    OptionList,
    Selection,
    Value,
    or_phrase,
    parse_option,
)

SEATS = 2  # number of seats without a table
CLOCK_FLAGS = ("extensions", "step_seconds", "turn_seconds", "level")  # in the order of `Allowance`
FLAGS = ("game", "option", "target", "deal", "deal_option", "leavers", "seats", *CLOCK_FLAGS)


def add_terms_flags(
    made: "argparse._ActionsContainer", *, has_table: bool, without: Container[str] = ()
) -> None:
    """Add the flags for terms: all of `FLAGS` if the match has a table, otherwise those that apply
    without one. Flags in `without` are left out.
    """

    def add(flag: str, **more: Any) -> None:
        if flag not in without:
            made.add_argument(flag, **more)

    usual = DEFAULT_GAME if has_table else DEFAULT_FOR_TWO.name
    add("--game", metavar="GAME", help=f"what is played (default: {usual})")
    add(
        "--option",
        action="append",
        type=option_argument,
        metavar="NAME=VALUE",
        help="an option of the game, as hand=5",
    )
    add("--target", type=int, metavar="N", help="short for --option target=N: the points that win")
    dealt = (
        "as usual for the game"
        if has_table
        else f"{DEFAULT_FOR_TWO.dealing}, or else as at a table"
    )
    add("--deal", metavar="PROTOCOL", help=f"by which protocol pieces are dealt (default: {dealt})")
    add(
        "--deal-option",
        action="append",
        type=option_argument,
        metavar="NAME=VALUE",
        help="an option of the deal, as take=25",
    )
    if not has_table:
        return
    add(
        "--leavers",
        metavar="VALUE",
        help="short for --deal-option leavers=VALUE: what becomes of the match when a seat leaves",
    )
    add(
        "--seats",
        type=int,
        metavar="N",
        help="how many play (default: two, if the game is for two)",
    )
    add(
        "--turn-seconds",
        type=int,
        metavar="N",
        help=f"how long a seat may think about a move (default: {DEFAULT_TURN_SECONDS})",
    )
    add(
        "--extensions",
        type=int,
        metavar="N",
        help="how often a seat gets that time once more, in a match (default: "
        f"{DEFAULT_EXTENSIONS})",
    )
    add(
        "--step-seconds",
        type=int,
        metavar="N",
        help="how long a seat's program may take for anything else (default: "
        f"{DEFAULT_STEP_SECONDS})",
    )
    add(
        "--level",
        type=int,
        metavar="MS",
        help="where seats act at the same time: make every round trip take so many milliseconds, "
        "for who is nearer to "
        "the table (default: 0, as it is)",
    )


def terms_help(games: Games, *, has_table: bool) -> str:
    """Describe the games and dealing protocols with their options, for the end of `--help`."""
    lines = ["games, and what --option sets:"]
    lines += [f"  {line}" for line in options_help(list(games.specs.values()))]
    lines.append("dealing protocols, and what --deal-option sets:")
    for name in _available_dealings(has_table=has_table):
        options = [option_argument.help_text() for option_argument in DEALINGS[name].options]
        lines += [f"  {name}:", *(f"    {text}" for text in options)] if options else [f"  {name}"]
    return "\n".join(lines)


def examples(command: str, games: Games) -> str:
    """Show for each game, one per line, a command line that chooses it: with an option, and the
    installation command if it needs one.
    """
    width = 3 + len(command) + max(map(len, games.specs))
    lines = [
        f"{f'  {command} {row.name}':{width}}"
        + "".join(
            f" --option {option_argument.name}={_example(row, option_argument)}"
            for option_argument in row.options[:1]
        )
        + (f"   (first: {row.install})" if row.install else "")
        for row in games.specs.values()
    ]
    return "\n".join(lines)


def _example(row: GameSpec, option_argument: Option) -> Value:
    """Return a value for an example. For an option with named choices it differs from the
    default.
    """
    return (
        option_argument.choices[-1]
        if option_argument.choices
        else option_argument.default_value(row.seats[0], {})
    )


def option_argument(text: str) -> tuple[str, Value]:
    """Parse `NAME=VALUE`; a value that looks like a number becomes a number. For argparse. Raises:
    ArgumentTypeError.
    """
    found = parse_option(text)
    if found is None:
        raise argparse.ArgumentTypeError("an option looks like NAME=VALUE, for example hand=5")
    return found


def parse_terms(args: argparse.Namespace, games: Games, *, has_table: bool) -> Terms:
    """Make the terms from the flags. Raises: LocalError that says what is wrong with them."""
    clock = _clock_options(args) if has_table else ()
    rules = named_rule_file(args)
    name = args.game or (SCRIPT if rules else DEFAULT_GAME if has_table else DEFAULT_FOR_TWO.name)
    if name not in games.specs:
        raise LocalError("wrong.no_game", name=name, names=or_phrase(tuple(games.specs)))
    usual = (rules.seats if rules else games.specs[name].default_seats) if has_table else SEATS
    seats = args.seats if has_table and args.seats is not None else usual
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
        raise LocalError("script.seats", least=least, most=most)


def terms_arguments(args: argparse.Namespace) -> list[str]:
    """Return the given flags as arguments for a child process."""
    given = {flag: value for flag in FLAGS if (value := getattr(args, flag)) is not None}
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
    return (*(args.option or ()), *target, *((("rules", rules.digest),) if rules else ()))


def _choose_dealing(
    args: argparse.Namespace, row: GameSpec, options: OptionList, has_table: bool
) -> Selection:
    """Make the selection of the dealing. Options that are not given have the game's defaults;
    `make_terms` finds options that are given twice.
    """
    usual = (
        row.dealing
        if has_table or row.information is Information.PERFECT
        else _dealing_without_table(row, options)
    )
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
