"""`--help` of every command and of every command of a command, in every language."""

import argparse
import re
import shlex

import pytest

from conformance.command import make_parser as conformance_parser
from directory.command import make_parser as directory_parser
from fairdeal.__main__ import COMMANDS, main
from fairdeal.cluster.command import make_parser as cluster_parser
from fairdeal.host_arguments import make_parser as host_parser
from fairdeal.lan import make_parser as lan_parser
from fairdeal.play_arguments import make_parser as play_parser
from fairdeal.replay_arguments import make_parser as replay_parser
from fairdeal.web_arguments import make_parser as web_parser
from player.cli.app_arguments import parser as app_parser
from player.cli.arguments import parser as join_parser
from player.cli.arguments import side_parser
from player.cli.cards.arguments import parser as cards_parser
from player.cli.cards.creator_arguments import parser as creator_parser
from player.cli.direct_arguments import parser as peer_parser
from player.cli.lobby_arguments import parser as lobby_parser
from player.cli.mail_arguments import parser as mail_parser
from player.cli.profile_arguments import parser as profile_parser
from player.cli.rules_arguments import RULE_SETS
from player.cli.tables_arguments import make_parser as tables_parser
from protocol.__main__ import make_parser as protocol_parser
from protocol.games.registry import BUILT_IN
from protocol.i18n import FILE, catalogue_folder, load_translator, read_po
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.view.text import phrase_renderer
from relay.command import make_parser as relay_parser
from search.__main__ import make_parser as solve_parser
from simulation.arguments import make_parser as simulate_parser
from simulation.machines.command import make_parser as machines_parser
from table.control.command import make_parser as control_parser
from table.ops.signer_program import make_parser as signer_parser
from table.standby.command import make_parser as standby_parser
from verification.__main__ import make_parser as verify_parser

LANGUAGES = ("en", "de")
SCREEN = 24  # lines of the smallest usual terminal
# one of them, or an argument, says what is run: none has a default
ALTERNATIVES = {
    ("fairdeal conformance", "--table"),
    ("fairdeal conformance", "--player"),
    ("fairdeal conformance", "--peer"),
    ("fairdeal conformance", "--trader"),
    ("fairdeal conformance", "--auditor"),
    ("fairdeal simulate", "--web"),
}
DEFAULT = {"en": "default", "de": "sonst"}
TITLE = {"en": "examples:", "de": "Beispiele:"}
OPTION = re.compile(r"^  (?:-[a-z], )?(--[a-z-]+)", re.MULTILINE)
TEXTS = read_po((catalogue_folder() / "en" / FILE).read_text("utf-8"))


def made_parsers():
    """Return the parsers of all programs."""
    return [
        protocol_parser(True, RULE_SETS),
        solve_parser(BUILT_IN),
        verify_parser(),
        play_parser(),
        *(play_parser(BUILT_IN, row) for row in BUILT_IN.specs.values()),
        host_parser(),
        join_parser(),
        peer_parser("join", BUILT_IN),
        peer_parser("invite", BUILT_IN),
        lobby_parser(BUILT_IN),
        mail_parser(),
        side_parser("contacts"),
        side_parser("identity"),
        profile_parser(),
        cards_parser(),
        creator_parser(),
        lan_parser(),
        web_parser(),
        cluster_parser(),
        standby_parser(),
        signer_parser(),
        relay_parser(),
        directory_parser(),
        tables_parser(),
        simulate_parser(),
        machines_parser(),
        replay_parser(),
        app_parser(),
        control_parser(),
        conformance_parser("fairdeal conformance"),
    ]


def below(parser):
    """Yield a parser, and those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from below(one)


def all_parsers():
    """Return the parsers of all commands; `fairdeal` itself has its own overview."""
    found = [one for parser in made_parsers() for one in below(parser)]
    return [one for one in found if one.prog != "fairdeal"]


NAMES = sorted({one.prog for one in all_parsers()})
TYPED = [name for name in NAMES if name.startswith("fairdeal ") and "ledger" not in name]


@pytest.fixture(params=LANGUAGES)
def language(request, monkeypatch):
    monkeypatch.setenv("LANGUAGE", request.param)
    monkeypatch.setenv("COLUMNS", "80")
    return request.param


def said(text, language):
    """Return a text of an option in a language."""
    translate = load_translator(language)
    if isinstance(text, HelpText):
        return phrase_renderer(translate, ())(text.said)
    assert text in TEXTS, text
    return translate(text, None)


def options(parser):
    return [one for one in parser._actions if one.help != argparse.SUPPRESS]


def test_every_command_has_a_parser_here():
    assert {name.split()[1] for name in TYPED} == set(COMMANDS)


def test_every_parser_speaks_the_persons_language():
    assert [one.prog for one in all_parsers() if not isinstance(one, HelpParser)] == []


@pytest.mark.parametrize("name", TYPED)
def test_help_is_printed_and_exits_with_0(name, language, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*name.split()[1:], "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert name in printed.splitlines()[0]
    assert re.findall(r"\b(?:help|usage)(?:\.[a-z_]+)+", printed) == []


@pytest.mark.parametrize("columns", [80, 30])
def test_help_has_no_line_wider_than_terminal(language, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    wide = [
        (one.prog, line)
        for one in all_parsers()
        for line in one.format_help().splitlines()
        if len(line) > columns
    ]
    assert wide == []


def test_first_screen_has_usage_and_examples(language):
    late = [
        one.prog
        for one in all_parsers()
        if TITLE[language] not in one.format_help().splitlines()[: SCREEN - 1]
    ]
    assert late == []


def test_help_lists_each_option_once(language):
    for one in all_parsers():
        listed = OPTION.findall(one.format_help())
        flags = [flag for action in options(one) for flag in action.option_strings if "--" in flag]
        assert sorted(listed) == sorted(flags), one.prog


def test_every_option_has_a_text_in_each_language():
    for parser in all_parsers():
        for option in options(parser):
            if isinstance(option, argparse._SubParsersAction):
                continue
            english, german = (said(option.help, language) for language in LANGUAGES)
            assert english != german, (parser.prog, option.dest)


def test_every_command_is_listed_with_a_text_in_each_language():
    for parser in all_parsers():
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for one in action._choices_actions:
                    assert said(one.help, "en") != said(one.help, "de"), (parser.prog, one.dest)


def test_every_option_with_a_value_says_its_default(language):
    silent = {
        (parser.prog, option.option_strings[0])
        for parser in all_parsers()
        for option in options(parser)
        if option.option_strings
        and option.nargs != 0
        and not option.required
        and DEFAULT[language] not in said(option.help, language)
    }
    assert silent == ALTERNATIVES


def test_titles_of_groups_are_in_each_language():
    titles = {group.title for one in all_parsers() for group in one._action_groups}
    assert [title for title in titles if said(title, "en") == said(title, "de")] == []


def test_examples_are_command_lines_that_parsers_accept():
    parsers = {}
    for one in all_parsers():
        parsers.setdefault(one.prog, one)
    for one in list(parsers.values()):
        for command, _ in one.examples:
            words = shlex.split(command)
            if words[0] != "fairdeal":
                continue
            length = max(n for n in range(2, len(words) + 1) if " ".join(words[:n]) in parsers)
            parsers[" ".join(words[:length])].parse_args(words[length:])


def test_every_command_has_an_example_of_itself():
    without = [
        one.prog
        for one in all_parsers()
        if not any(command.startswith(one.prog) for command, _ in one.examples)
        and "ledger" not in one.prog
    ]
    assert without == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["audit"], "Es fehlt: FILE"),
        (["audit", "a", "--jsn"], "Das kennt dieser Befehl nicht: --jsn"),
        (["audit", "a", "--compare"], "Zu --compare: Danach fehlt ein Wert."),
        (["mail", "lesen"], "'lesen' geht hier nicht. Möglich sind: "),
        (["rules", "play", "a", "--seats", "x"], "Erwartet wird eine ganze Zahl, nicht 'x'."),
        (["solve", "nim", "--nodes", "0"], "Erwartet wird eine Zahl von 1 bis "),
        (["cards", "trade", "--listen", "--letter"], "Das geht nicht zusammen mit --listen."),
        (["join", "--pace", "61"], "Erwartet wird eine Zahl von Sekunden, 0 bis 60, nicht 61."),
        (["conformance"], "Gib ein Programm zum Testen an"),
    ],
)
def test_wrong_usage_is_told_in_german_with_what_to_do(words, told, monkeypatch, capsys):
    monkeypatch.setenv("LANGUAGE", "de")
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert told in error and error.startswith("Aufruf: fairdeal ")
    assert re.search(r"Mehr sagt `fairdeal [a-z ]+ --help`\.$", error.strip())


def test_unknown_command_is_told_in_german(monkeypatch, capsys):
    monkeypatch.setenv("LANGUAGE", "de")
    assert main(["spiele"]) == 2
    assert "Den Befehl spiele gibt es nicht. Es gibt: app, play, " in capsys.readouterr().err
