"""The command of the Ligretto machines: arguments, output and exit codes."""

import json
from dataclasses import asdict

import pytest

from protocol.i18n import english_text
from simulation.machines.command import (
    VOID,
    VOIDS,
    main,
    make_parser,
    play_round,
    ranges,
    report,
    void_phrase,
)
from simulation.machines.coordinator import VoidRound
from simulation.machines.result import as_round


def options(*words):
    return make_parser().parse_args(words)


def test_local_round_repeats_for_the_same_seed(capsys):
    words = ["--players", "4", "--seed", "2", "--strategy", "look", "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    round_ = as_round(play_round(options(*words)))
    assert said == json.loads(json.dumps(asdict(round_)))


def test_machines_command_prints_the_result(capsys):
    assert main(["--players", "5", "--seed", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        len(lines) == 4
        and "emptied its stock after" in lines[0]
        and "has the most points" in lines[3]
    )


@pytest.mark.slow
def test_round_without_possible_lay_ends(capsys):
    assert main(["--players", "2", "--seed", "3", "--patience", "1"]) == 0
    assert "Nobody emptied its stock in 1,000.0 ms" in capsys.readouterr().out


@pytest.mark.parametrize("why", (*VOIDS, "server", "coordinator", "cards"))
def test_void_round_says_why_and_how_to_repeat(why, capsys):
    void = VoidRound(why, (49, 50, 51, 60), 1_340_000, (41, 42))
    assert report(void, options("--seed", "77")) == VOID
    said = capsys.readouterr().err
    assert "is void" in said and "--seed 77" in said
    assert why in ("server", "coordinator") or "50–52, 61" in said
    assert said.strip() == english_text(void_phrase(void, 77))


@pytest.mark.parametrize(
    "words",
    (
        ["--players", "1"],
        ["--players", "10001"],
        ["--row", "6"],
        ["--seed", "-1"],
        ["--processes", "0"],
    ),
    ids=str,
)
def test_argument_out_of_range_error_states_the_range(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2 and "a number from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    (
        (["--join", "0" * 16], "--join needs two more options: --nats"),
        (
            ["--join", "0" * 16, "--nats", "nats://127.0.0.1:1"],
            "--join needs two more options: --nats",
        ),
        (
            ["--nats", "nats://127.0.0.1:1", "--players", "4", "--here", "3-5"],
            "there are 4, from 1 on",
        ),
    ),
)
def test_unreachable_coordinator_is_reported(words, said, capsys):
    assert main(words) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", (["--here", "5-4"], ["--here", "0-4"], ["--here", "x"], ["--join", "zz"]), ids=str
)
def test_invalid_span_or_run_is_reported(words):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2


def test_localised_numbers_are_parsed():
    assert ranges((0,)) == "1" and ranges((0, 2, 3, 4, 9)) == "1, 3–5, 10" and ranges(()) == ""
