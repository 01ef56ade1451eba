"""Keys of `scripts/bench`: declared in one place, and the same in a full and in a quick run."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.benchmarks.process import read_line, run_program
from scripts.benchmarks.sections import BESIDE, SECTIONS, measure

ROOT = Path(__file__).parents[3]
QUICK = ("relay", "search", "seeded")  # one alone, and two that are measured together


@pytest.mark.parametrize(
    "module", sorted(path.stem for path in (ROOT / "scripts" / "benchmarks").glob("[a-z]*.py"))
)
def test_every_benchmark_finds_what_it_imports(module):
    importlib.import_module(f"scripts.benchmarks.{module}")


def test_no_two_sections_declare_the_same_key():
    keys = [key for section in SECTIONS.values() for key in section.keys]
    assert len(keys) == len(set(keys))


def test_quick_run_covers_every_section_with_less():
    assert all(0 < section.quick <= section.full for section in SECTIONS.values())


def test_sections_measured_together_appear_once_each():
    assert len(BESIDE) == len(set(BESIDE)) and set(BESIDE) <= set(SECTIONS)


@pytest.mark.parametrize("quick", (True, False))
@pytest.mark.parametrize("found", (("a",), ("a", "b", "c")), ids=("missing", "undeclared"))
def test_section_with_undeclared_keys_fails(monkeypatch, quick, found):
    section = SECTIONS["memory"]._replace(
        measure=lambda count: dict.fromkeys(found, 1.0), keys=("a", "b")
    )
    monkeypatch.setitem(SECTIONS, "memory", section)
    with pytest.raises(RuntimeError, match="memory does not give the keys"):
        measure("memory", quick)


@pytest.mark.process
def test_quick_run_writes_declared_keys_as_json(tmp_path):
    file = tmp_path / "figures.json"
    command = [
        sys.executable,
        "-m",
        "scripts.benchmarks",
        "--quick",
        "--only",
        *QUICK,
        "--json",
        file,
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    written = json.loads(file.read_text())
    assert written["measures"].keys() == {key for name in QUICK for key in SECTIONS[name].keys}


@pytest.mark.process
def test_program_ending_early_is_reported():
    with run_program("scripts.benchmarks.bare_relay") as standing:
        assert int(read_line(standing))
    with (
        run_program("scripts.benchmarks.counter") as ended,
        pytest.raises(RuntimeError, match="ended early"),
    ):
        read_line(ended)
