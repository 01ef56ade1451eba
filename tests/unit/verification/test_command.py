"""The command `verify`: output, exit codes and written files."""

import json
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from protocol.__main__ import main as audit_main
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.view.text import phrase_renderer
from tests.support.docs import ROOT
from verification.__main__ import main
from verification.command import VerifyTools, run_verify
from verification.engine.verdict import Attack, NoAttack, SearchBound, verify
from verification.protocols.catalog import BUILT_IN_PROTOCOLS, ExpectedVerdict
from verification.protocols.loader import load_protocol
from verification.reports.message_chart import draw_message_chart
from verification.reports.message_sequence import message_sequence

FIGURE = ROOT / "docs/figures/man-in-the-middle.svg"


def test_verify_describes_man_in_the_middle(capsys):
    assert main(["verify", "needham-schroeder", "--sessions", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == [
        'Attack on Needham_Schroeder: "NB secret between A,B" does not hold.',
        "Strand 1: a as A, with i as B.",
        "Strand 2: b as B, with a as A.",
        "1. a → i: {NA(1),a}pk(i)",
        "      the intruder reads NA(1),a with inv(pk(i))",
        "2. i(a) → b: {NA(1),a}pk(b)",
        "3. b → i(a): {NA(1),NB(2)}pk(a)",
        "4. i → a: {NA(1),NB(2)}pk(a)",
        "5. a → i: {NB(2)}pk(i)",
        "In the end the intruder knows NB(2), although b thinks it is secret.",
    ]


def test_verify_describes_missing_partner_run(capsys):
    assert main(["verify", "wide-mouthed-frog", "--sessions", "1"]) == 1
    assert "In the end a believes that b took part and agreed on K(1)" in capsys.readouterr().out


def test_verify_says_no_attack_is_no_proof(capsys):
    assert main(["verify", "needham-schroeder-lowe", "--sessions", "1"]) == 0
    said = capsys.readouterr().out
    assert (
        "with 1 strand of each role; the search was complete" in said and "That is no proof" in said
    )
    assert "secure" not in said


def test_verify_prints_json(capsys):
    assert main(["verify", "denning-sacco", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["sessions"], found["typed"], found["goal"]) == (
        "attack",
        2,
        True,
        0,
    )
    assert found["messages"][0] == {
        "from": "a",
        "to": "i",
        "by": "a",
        "run": 0,
        "message": "{a,{K(1)}inv(pk(a))}pk(i)",
    }
    assert main(["verify", "denning-sacco-names", "--json", "--sessions", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "no attack"


def test_verify_lists_all_protocols_with_descriptions(capsys):
    assert main(["verify", "--list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in BUILT_IN_PROTOCOLS) and "CACM 21 (1978)" in said.replace(
        "\n", " "
    )
    assert max(map(len, said.splitlines())) <= 100


def file(folder: Path, text: str) -> str:
    path = folder / "mine.AnB"
    path.write_text(text)
    return str(path)


BEGIN = "Protocol: Mine Types: Agent A,B; Number N; Function pk Knowledge: A: A,B; B: A,B,pk "


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ([], 2, "verify --list"),
        (["."], 2, ". is a folder. Name a file with a protocol in it"),
        (["nobodys"], 2, "no protocol and no file nobodys"),
        (["needham-schroeder", "--sessions", "7"], 2, "--sessions is 1 to 6, not 7"),
        (["needham-schroeder", "--seconds", "0"], 2, "more than 0, not 0"),
        ([BEGIN + "Actions: A->B: N"], 2, '"Goals" is expected here, not the end'),
        (
            [BEGIN + "Actions: A->B: {N}pk(B) Goals: N secret between A,B"],
            3,
            "in action 1, A has to send pk",
        ),
        (
            [BEGIN + "Actions: A->B: N Goals: N guessable secret between A,B"],
            3,
            '"guessable secret" is not supported',
        ),
        (
            [BEGIN + "Actions: A->B: N\nGoals: N secrets between A,B"],
            2,
            "mine.AnB: Line 2, column 10: ",
        ),
        (
            ["needham-schroeder", "--sessions", "1", "--save", "/nowhere/x"],
            2,
            "/nowhere/x could not be written",
        ),
    ],
)
def test_verify_without_verdict_has_own_exit_code(tmp_path, capsys, words, status, says):
    words = [file(tmp_path, word) if word.startswith("Protocol") else word for word in words]
    assert main(["verify", *words]) == status
    said = capsys.readouterr()
    assert says in said.out + said.err and "Traceback" not in said.err


@pytest.mark.slow
def test_verify_saves_attack_as_match(tmp_path, capsys):
    log = tmp_path / "ns.fairdeal"
    mine = file(
        tmp_path, BUILT_IN_PROTOCOLS["needham-schroeder"].text.replace("NB secret", "NB   secret")
    )
    assert main(["verify", mine, "--save", str(log)]) == 1
    assert f"fairdeal show {log}" in capsys.readouterr().out
    assert audit_main(["audit", str(log)]) == 0 and audit_main(["show", str(log)]) == 0
    shown = capsys.readouterr().out
    assert (
        "Intruder won intruder" in shown
        and "Intruder sends {NA(1),a}pk(b) to Bob (b), strand 3" in shown
    )
    assert shown.count("Broken: NB secret between A,B.") == shown.count("Scores: Intruder 1") == 1


def test_verify_reports_no_attack_to_save(tmp_path, capsys):
    words = [
        "verify",
        "needham-schroeder-lowe",
        "--sessions",
        "1",
        "--save",
        str(tmp_path / "none.fairdeal"),
    ]
    assert main(words) == 0
    assert "Nothing was written" in capsys.readouterr().out and not list(tmp_path.iterdir())
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "no attack"


@pytest.mark.slow
def test_time_limit_ends_search_and_says_so(capsys):
    from argparse import Namespace

    seconds, told = iter(range(0, 10_000, 1)), []
    tools = VerifyTools(
        lambda: next(seconds) / 4,
        Path.read_bytes,
        Path.write_bytes,
        told.append,
        Random(1),
        english,
    )
    asked = {"list": False, "protocol": "kerberos", "sessions": 2, "untyped": False, "json": False}
    options = Namespace(**asked, seconds=3.0, save=None, svg=None)
    assert run_verify(options, tools) == 3
    assert "Gave up on Kerberos_chain" in capsys.readouterr().out
    assert told == ["1 s of 3 s ...", "2 s of 3 s ...", "3 s of 3 s ...", ""]
    options.sessions = 0
    with pytest.raises(LocalError):
        run_verify(options, tools)


def test_chart_has_every_message_and_matches_guide():
    trace = verify(load_protocol("needham-schroeder"), SearchBound(1)).trace
    drawn = draw_message_chart(trace, phrase_renderer(english, ()))
    texts = [
        text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts[:3] == ["a as A", "i", "b as B"] and len(texts) == 3 + len(message_sequence(trace))
    assert drawn == FIGURE.read_text(), (
        "fairdeal verify needham-schroeder --sessions 1 --svg docs/figures/…"
    )


@pytest.mark.slow
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("name", BUILT_IN_PROTOCOLS)
def test_verify_gives_documented_verdicts(name, typed):
    """The search's own tests cover protocols that need two strands of each role."""
    shipped = BUILT_IN_PROTOCOLS[name]
    found = verify(load_protocol(name), SearchBound(1, typed))
    if (shipped.typed if typed else shipped.untyped) is ExpectedVerdict.NONE:
        assert isinstance(found, NoAttack)
    elif shipped.sessions == 1:
        assert isinstance(found, Attack)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN_PROTOCOLS)
def test_every_attack_can_be_drawn(name):
    found = verify(load_protocol(name), SearchBound(1))
    if hasattr(found, "trace"):
        ElementTree.fromstring(draw_message_chart(found.trace, phrase_renderer(english, ())))
