"""`fairdeal simulate` at the command line: reports on the screen and in files, and errors with
permitted ranges.
"""

import json
from xml.etree import ElementTree

import pytest

from fairdeal.__main__ import main
from protocol.i18n import english
from protocol.view.text import phrase_renderer
from simulation.command import ProgressBar, ProgressLines, simulate
from simulation.rounds import play_rounds
from simulation.task.task_parser import task_of

SAY = phrase_renderer(english, ())
SMALL = ("simulate", "table", "--rounds", "3", "--seed", "1")
DECK = " ".join(map(str, range(40)))
WRONG = (
    (("simulate",), "What should be simulated?"),
    (("simulate", "--web", "1", "table"), "Leave out either --web or the model"),
    (("simulate", "table", "--seats", "1"), "`seats` must be a whole number from 2 to 100, not 1"),
    (
        ("simulate", "table", "--latency", "0.1 x"),
        "`latency` must be a number from 0 to 1,000,000, not x",
    ),
    (("simulate", "table", "--think", "1,1"), "each of the 4 seats, not 2"),
    (("simulate", "machines", "--spread", "1"), "from 0 to 0.999"),
    (
        ("simulate", "machines", "--nats", "x", "--call", "5", "--no-to-end"),
        "Leave out call or to_end",
    ),
    (
        ("simulate", "table", "--decks", "/nowhere/decks.txt"),
        "/nowhere/decks.txt cannot be read: No such file",
    ),
)
REFUSED = (
    (("simulate", "cards"), "'cards' is not possible here. Choose one of: "),
    (("simulate", "table", "--delta", "1"), "This command does not know: --delta 1"),
    (("simulate", "--web", "65536"), "0 to 65535, not 65536"),
    (("simulate", "--web", "1", "--seconds", "0"), "1 to 86,400"),
    (("simulate", "table", "--report", __file__), "must not have the name of a file"),
)


def test_simulate_prints_a_report(capsys):
    assert main(SMALL) == 0
    said = capsys.readouterr().out
    assert (
        said.startswith("Ligretto at a table: 4 seats, a row of 4\n")
        and "rounds played                3" in said
    )
    assert max(map(len, said.splitlines())) < 125


def test_simulate_json_repeats_exactly(capsys):
    told = []
    for _ in range(2):
        assert main([*SMALL, "--json"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] and told[0].count("\n") == 1 and json.loads(told[0])["played"] == 3


def test_simulate_writes_page_or_folder(tmp_path, capsys):
    page, folder = tmp_path / "out.html", tmp_path / "new" / "folder"
    assert main([*SMALL, "--report", str(page)]) == 0 == main([*SMALL, "--report", str(folder)])
    said = capsys.readouterr()
    assert sorted(path.name for path in folder.iterdir()) == [
        "report.json",
        "report.txt",
        "report.xhtml",
    ]
    assert page.read_bytes() == (folder / "report.xhtml").read_bytes() and str(page) in said.err
    assert ElementTree.parse(page).getroot().tag.endswith("html")
    assert (folder / "report.txt").read_text() in said.out
    assert json.loads((folder / "report.json").read_text())["played"] == 3


def test_simulate_reads_decks_from_file(tmp_path, capsys):
    decks = tmp_path / "decks.txt"
    decks.write_text(f"{DECK}\n{DECK}\n")
    assert main([*SMALL, "--decks", str(decks)]) == 0
    assert "2 seats" in capsys.readouterr().out
    decks.write_text(f"{DECK}\n{DECK[3:]}\n")
    assert main([*SMALL, "--decks", str(decks)]) == 2
    assert "Seat 2: card 0 is missing" in capsys.readouterr().err
    for data, said in ((b"\xff", "is not a text file"), (b" " * (4 << 20) + b"1", "too long")):
        decks.write_bytes(data)
        assert main([*SMALL, "--decks", str(decks)]) == 2 and said in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), WRONG, ids=range(len(WRONG)))
def test_simulate_error_states_permitted_values(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=range(len(REFUSED)))
def test_unknown_simulate_argument_is_refused(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_command_default_has_a_flag_to_reverse_it(capsys):
    assert main(["simulate", "machines", "--rounds", "2", "--no-to-end", "--look", "--json"]) == 0
    task = json.loads(capsys.readouterr().out)["task"]
    assert (task["to_end"], task["look"], task["instants"]) == (False, True, False)


def test_help_teaches_every_setting(capsys):
    for kind, words in (
        ("table", ("--think", "--level", "--rescues")),
        ("machines", ("--look", "--instants", "--delta")),
    ):
        with pytest.raises(SystemExit):
            main(["simulate", kind, "--help"])
        said = capsys.readouterr().out
        assert all(
            word in said
            for word in (*words, "examples:", "exit codes:", "--decks", "default: 1000")
        )


def test_unwritable_report_path_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main([*SMALL, "--report", str(tmp_path / "file" / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_interrupted_simulation_reports_played_rounds():
    task = task_of({"model": "table", "rounds": 5})

    def stop_after_two(done):
        if done == 2:
            raise KeyboardInterrupt

    assert play_rounds(task, stop_after_two).played == 2


def test_command_progress_appears_after_second_then_rarely(capsys):
    times = iter([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 20.0, 31.0])
    lines = ProgressLines(100, SAY, lambda: next(times))
    for done in range(10, 90, 10):
        lines.hear(done)
    assert capsys.readouterr().err.splitlines() == [
        "20 of 100 rounds in 1 s",
        "40 of 100 rounds in 2 s",
        "60 of 100 rounds in 4 s",
        "70 of 100 rounds in 20 s",
    ]


def test_command_progress_bar_grows_and_disappears(capsys):
    times = iter([0.0, 1.0, 2.0])
    bar = ProgressBar(100, SAY, lambda: next(times))
    bar.hear(50)
    bar.hear(100)
    bar.end()
    half, whole, end = capsys.readouterr().err.removeprefix("\r").split("\r")
    assert (
        "[###############...............] 50 of 100" in half and "." not in whole.partition("]")[0]
    )
    assert end == "\x1b[K"
    never = ProgressBar(100, SAY)
    never.end()
    assert capsys.readouterr().err == ""


def test_quick_simulation_shows_no_progress(capsys):
    assert simulate(task_of({"model": "table", "rounds": 2}), SAY, fast=False).played == 2
    assert capsys.readouterr().err == ""
