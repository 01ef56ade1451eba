"""Formal models: the README states their queries, weakened models differ only as stated, and the
runner compares results.
"""

import re
import subprocess
import sys

import pytest

from tests.support.docs import ROOT

MODELS = ROOT / "docs" / "models"
TEXTS = {path.stem: path.read_text() for path in sorted(MODELS.glob("*.pv"))}
README = (MODELS / "README.md").read_text()
QUERY = re.compile(r"\(\* ([A-Z]\d+)\. (.*?) Expected: (true|false)\. \*\)\nquery\b", re.DOTALL)
WEAKENED = {
    "session-weak-hash": "session-restart",
    "session-weak-ephemeral": "session-forward",
    "seats-weak-match": "seats",
    "seats-weak-binding": "seats",
    "seats-weak-unsigned": "seats",
    "seats-weak-seed": "seats-recovery",
    "fork-weak-stream": "fork",
    "heads-weak-refusal": "heads",
    "heads-weak-restart": "heads",
    "heads-weak-seen": "heads",
    "seeds-weak-match": "seeds",
}
STATES = {path.stem: path.read_text() for path in sorted(MODELS.glob("*.pml"))}
CLAIM = re.compile(
    r"^ +([A-Z]\d+)\. (.*?) Flags: (.*)\. Expected: (true|false)\.(?: \*/)?$", re.MULTILINE
)


def queries(text):
    return [(name, " ".join(claim.split()), result) for name, claim, result in QUERY.findall(text)]


def test_models_readme_has_section_for_each_model():
    assert sorted(re.findall(r"^### `(.+)\.pv`$", README, re.MULTILINE)) == sorted(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_models_readme_states_queries_of_each_model(name):
    asked = queries(TEXTS[name])
    assert len(asked) == len(re.findall(r"^query\b", TEXTS[name], re.MULTILINE)), (
        "a query without a claim"
    )
    section = README.split(f"### `{name}.pv`")[1].split("###")[0]
    claimed = re.findall(r"^\| ([A-Z]\d+) \| (.*) \| (true|false) \|$", section, re.MULTILINE)
    assert claimed == asked


@pytest.mark.parametrize("name", STATES)
def test_models_readme_states_claims_of_each_search(name):
    section = README.split(f"### `{name}.pml`")[1].split("###")[0]
    rows = re.findall(
        r"^\| ([A-Z]\d+) \| (.*) \| `?(.*?)`? \| (true|false) \|$", section, re.MULTILINE
    )
    claims = CLAIM.findall(STATES[name])
    assert rows == claims
    assert {result for *_, result in claims} == {"true", "false"}


@pytest.mark.process
def test_runner_of_searches_rejects_another_result(monkeypatch, tmp_path):
    """Stand-ins for Spin and the compiler make a program that finds no error in any variant."""
    line = "State-vector 32 byte, depth reached 80, errors: 0"
    programs = {
        "SPIN": "",
        "CC": (
            "import os, sys\n"
            f"open('pan', 'w').write({f'#!{sys.executable}' + chr(10) + f'print({line!r})'!r})\n"
            "os.chmod('pan', 0o755)\n"
        ),
    }
    for name, text in programs.items():
        program = tmp_path / name
        program.write_text(f"#!{sys.executable}\n{text}")
        program.chmod(0o755)
        monkeypatch.setenv(name, str(program))
    done = run("certified")
    assert done.returncode == 1
    assert "Z1 true\n" in done.stdout
    assert "Z3 true, NOT as expected" in done.stdout


@pytest.mark.parametrize("name", TEXTS)
def test_model_without_any_events_does_not_pass(name):
    assert any(
        claim.startswith("Sanity") and result == "false"
        for _, claim, result in queries(TEXTS[name])
    )


@pytest.mark.parametrize(("weak", "whole"), WEAKENED.items())
def test_weakened_models_differ_only_as_stated(weak, whole):
    def rules(text):
        return text.split("*)", 1)[1].split("(*")[0].split(), text[
            text.index("\nlet ") :
        ].splitlines()

    (declared, body), (declared_whole, body_whole) = rules(TEXTS[weak]), rules(TEXTS[whole])
    assert declared == declared_whole
    assert len(body) == len(body_whole)
    changed = [line for line, other in zip(body, body_whole, strict=True) if line != other]
    assert changed
    assert all("(* weakened *)" in line for line in changed)
    expected = [[result for *_, result in queries(TEXTS[name])] for name in (weak, whole)]
    assert expected[0] != expected[1]


@pytest.fixture
def proverif(tmp_path, monkeypatch):
    """Install a stand-in that prints a text of the test."""

    def install(lines):
        program = tmp_path / "proverif"
        program.write_text(f"#!{sys.executable}\nprint({lines!r})\n")
        program.chmod(0o755)
        monkeypatch.setenv("PROVERIF", str(program))

    return install


def run(*arguments):
    return subprocess.run([ROOT / "scripts" / "models", *arguments], capture_output=True, text=True)


def answers(name, change=None):
    lines = [
        f"RESULT not attacker(x) is {result}.\nRESULT (even y is false.)"
        for *_, result in queries(TEXTS[name])
    ]
    if change is not None:
        lines[-1] = change
    return "\n".join(lines)


@pytest.mark.process
def test_model_runner_accepts_expected_results(proverif):
    proverif(answers("seats"))
    assert run("seats").returncode == 0


@pytest.mark.process
@pytest.mark.parametrize(
    "last", ["RESULT x is false.", "RESULT x cannot be proved.", "", "Error: syntax error."]
)
def test_model_runner_rejects_unexpected_results(proverif, last):
    proverif(answers("seats", last))
    assert run("seats").returncode == 1


@pytest.mark.process
def test_runner_keeps_output_from_before_its_timeout(proverif, tmp_path):
    proverif(answers("seats"))
    program = tmp_path / "proverif"
    program.write_text(
        program.read_text() + "import sys, time\nsys.stdout.flush()\ntime.sleep(600)\n"
    )
    done = run("--seconds", "2", "seats")
    assert done.returncode == 1
    assert "P3 true" in done.stdout
    assert "not done after 2 s" in done.stdout


@pytest.mark.process
def test_model_runner_names_source_of_proverif(monkeypatch, tmp_path):
    monkeypatch.setenv("PROVERIF", str(tmp_path / "nothing"))
    done = run("seats")
    assert done.returncode == 2
    assert "opam install proverif" in done.stderr
    assert run("unheard-of").returncode == 2
