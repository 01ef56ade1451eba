"""Benchmarks that run a table as programs, with small numbers. Measured times are not checked."""

import subprocess
import sys

import pytest

from scripts.benchmarks import flood, load

pytestmark = pytest.mark.process


def run(module, *arguments):
    command = [sys.executable, "-m", f"scripts.benchmarks.{module}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def test_matches_at_once_among_idle_connections():
    result = run("load", "--idle", "30", "--matches", "3")
    assert result.returncode == 0, result.stdout + result.stderr
    figures = dict(line.rsplit(maxsplit=1) for line in result.stdout.splitlines()[:-1])
    assert (figures["idle_connections"], figures["clean"]) == ("30", "3")


SMALL = {
    "readers": (("--readers", "4", "--seconds", "0.5", "--entries", "20"), "read_p99_s"),
    "attacks": (("--only", "lists", "--seconds", "0.5"), "lists"),
    "process_time": (
        ("--games", "nim", "--workers", "0", "1", "--rounds", "1", "--matches", "2"),
        "1 workers: busiest",
    ),
    "finished": (("--matches", "2000", "--rounds", "1"), "page_ratio"),
    "restart": (
        ("--matches", "3", "--hands", "1", "--burns", "3", "--workers", "1"),
        "innocent_s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("module", SMALL)
def test_program_measures_and_says_what(module):
    arguments, figure = SMALL[module]
    result = run(module, *arguments)
    assert figure in result.stdout and "Traceback" not in result.stderr, result.stderr
    assert result.returncode in (0, 1), "1: a bound is not kept, on a busy machine"


@pytest.mark.parametrize("wrong", [{"clean": 2}, {"idle_connections": 29}, {}])
def test_load_program_fails_for_any_wrong_result(monkeypatch, wrong):
    async def measure(_):
        return {"clean": 3, "idle_connections": 30} | wrong

    monkeypatch.setattr(load, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["load", "--idle", "30", "--matches", "3"])
    assert load.main() == (1 if wrong else 0)


@pytest.mark.parametrize("wrong", [{"clean": 0}, {"p99_ratio": 3.1}, {}])
def test_flood_fails_if_the_match_is_harmed(monkeypatch, wrong):
    async def measure(*_):
        return {"clean": 1, "p99_ratio": 2.9} | wrong

    monkeypatch.setattr(flood, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["flood"])
    assert flood.main() == (1 if wrong else 0)


def test_load_match_with_one_unclean_seat_does_not_count():
    clean, fault = ["clean"] * 4, ["clean", "fault", "clean", "clean"]
    assert load._clean_matches(clean + fault + clean) == 2
