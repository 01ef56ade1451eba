"""Slow tests must be marked: the guard of tests/conftest.py accepts marked tests, and fails
others.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TIERS, misplaced

ROOT = Path(__file__).parents[3]
QUICK = 0.2  # seconds of CPU time, for these tests
TESTS = """
import subprocess, sys, time, pytest

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def test_quick():
    pass

def test_long():
    burn({long})

@pytest.fixture
def dear():
    burn({long})

def test_of_a_dear_fixture(dear):
    pass

def test_program():
    subprocess.run([sys.executable, "-c", ""], check=True)

@pytest.mark.slow
def test_marked_long():
    burn({long})

@pytest.mark.process
def test_marked_program():
    subprocess.run([sys.executable, "-c", ""], check=True)
"""


@pytest.mark.parametrize("tier", TIERS)
def test_marked_test_may_be_slow(tier):
    assert misplaced({tier}, 100, 0) is None


def test_slow_unmarked_test_fails():
    assert misplaced(set(), 0, 0) is None
    assert "mark it `match` or `slow`" in str(misplaced(set(), 0.1, 0))


@pytest.mark.parametrize("tiers", (set(), {"match"}, {"slow"}), ids=str)
def test_unmarked_test_cannot_start_a_process(tiers):
    assert "mark it `process`" in str(misplaced(tiers, 0, 1))
    assert misplaced({*tiers, "process"}, 0, 1) is None
    assert misplaced({*tiers, "page"}, 0, 1) is None


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "outcome"),
    (([], "3 failed, 3 passed"), (["--quick"], "3 failed, 1 passed, 2 deselected")),
    ids=str,
)
def test_tier_guard_is_active(tmp_path, options, outcome):
    (tmp_path / "test_some.py").write_text(TESTS.format(long=2 * QUICK))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "pyproject.toml",
        "-p",
        "tests.conftest",
        f"--quick-seconds={QUICK}",
        *options,
        str(tmp_path),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert outcome in done.stdout, done.stdout
    for name in ("test_long", "test_of_a_dear_fixture", "test_program"):
        assert f"::{name}" in done.stdout
