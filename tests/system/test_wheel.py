"""Installed package: all files that the packages need, metadata for an index, and a command that
plays.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from player.ui.web.http.assets import DOCUMENT, assets
from protocol.games.registry import BUILT_IN
from protocol.i18n import labels

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECONDS = 240
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# `web` builds the page for browsers from a checkout, and is in no wheel
PACKAGES = [name for name in PROJECT["tool"]["mypy"]["packages"] if name != "web"]
NOT_INSTALLED = shutil.ignore_patterns("__pycache__", "*.pyc")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build from a copy, because files of an earlier build in the working folder would get into the
    wheel.
    """
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=NOT_INSTALLED)
    (source / "docs").mkdir()
    for name in ("pyproject.toml", PROJECT["project"]["readme"], "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source / name)
    said = pip(
        "wheel",
        "--verbose",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(made),
        str(source),
    )
    assert "is absent from the `packages` configuration" not in said
    (path,) = made.glob("fairdeal-*.whl")
    return path


def pip(*words: str) -> str:
    """Run pip, and return what it prints."""
    run = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    return run.stdout


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Make an environment with the wheel. Its dependencies are those installed here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    pip("--python", str(folder / "bin" / "python"), "install", "--no-deps", str(wheel))
    (packages,) = folder.glob("lib/python3*/site-packages")
    # ignores the *.pth files there, for example our own
    (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory) -> Path:
    """Make an environment with the wheel and what it requires, without any extra and without
    pip, as `pipx` and `uv` make it.
    """
    folder = tmp_path_factory.mktemp("tools") / "fairdeal"
    venv.create(folder, with_pip=False)
    pip("--python", str(folder / "bin" / "python"), "install", "--no-deps", str(wheel))
    (packages,) = folder.glob("lib/python3*/site-packages")
    for name in required(PROJECT["project"]["dependencies"]):
        files = distribution(name).files or ()
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (packages / top).symlink_to(distribution(name).locate_file(top))
    return folder


def required(lines: list[str]) -> set[str]:
    """Return the names of the distributions that these requirements bring along, extras excluded."""
    found: set[str] = set()
    waiting = list(lines)
    while waiting:
        line, _, marker = waiting.pop().partition(";")
        name = re.match(r"[\w.-]+", line.strip())[0]
        if "extra" in marker or name in found:
            continue
        try:
            distribution(name)
        except PackageNotFoundError:  # of another system
            continue
        found.add(name)
        waiting += distribution(name).requires or []
    return found


def fairdeal(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder without our files."""
    return subprocess.run(
        [installed / "bin" / "fairdeal", *words],
        cwd=installed,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | {"PYTHONPATH": ""},
    )


def test_wheel_has_every_file_of_every_package(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    files = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert {f"{name}/py.typed" for name in PACKAGES} <= files
    assert files <= held
    assert {name.split("/")[0] for name in held} == {
        *PACKAGES,
        f"{wheel.name.rsplit('-', 3)[0]}.dist-info",
    }


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "pipx inject fairdeal 'starlette"),
        ("uv-receipt.toml", "uv pip install --python "),
    ],
)
def test_hint_in_a_bare_environment_is_for_its_tool(bare, mark, command):
    (bare / mark).write_text("")
    try:
        for words in (("play", "nim", "--web"), ("cards", "binder", "--web")):
            run = fairdeal(bare, *words)
            assert run.returncode != 0 and command in run.stderr, run.stdout + run.stderr
    finally:
        (bare / mark).unlink()


def test_wheel_plays_and_audits_without_extras(bare, tmp_path):
    played = ("block-dominoes", "--watch", "--pace", "0", "--option", "hand=2", "--target", "1")
    run = fairdeal(bare, "play", *played, "--logs", str(tmp_path))
    assert run.returncode == 0 and "Verdict: no cheating found" in run.stdout, (
        run.stdout + run.stderr
    )
    (log,) = tmp_path.glob("*.fairdeal")
    assert fairdeal(bare, "audit", str(log)).stdout.startswith("clean")


def test_wheel_metadata_is_complete(wheel):
    archive = zipfile.ZipFile(wheel)
    info = f"{wheel.name.rsplit('-', 3)[0]}.dist-info"
    data = message_from_bytes(archive.read(f"{info}/METADATA"))
    assert (data["Name"], data["Author"], data["License-Expression"]) == (
        "fairdeal",
        "fairdeal developers",
        "MIT",
    )
    assert data["Summary"] and data["Keywords"] and len(data.get_all("Classifier")) > 10
    assert data["Description-Content-Type"] == "text/markdown"
    assert not data.get_all("Project-URL") and data["Home-page"] is None
    assert f"{info}/licenses/LICENSE" in archive.namelist()
    assert b"fairdeal = fairdeal.__main__:main" in archive.read(f"{info}/entry_points.txt")


LINK = re.compile(r"\]\(([^)#]*)[^)]*\)")


def test_wheel_metadata_has_no_relative_link():
    links = LINK.findall((ROOT / PROJECT["project"]["readme"]).read_text("utf-8"))
    assert [link for link in links if link and not link.startswith("https://")] == []


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_files_named_on_page_exist(page):
    text = page.read_text("utf-8")
    links = [link for link in LINK.findall(text) if link and not link.startswith("https://")]
    named = re.findall(r"`((?:docs|scripts|tests)/[\w./-]*)", text)
    assert [path for path in links if not (page.parent / path).exists()] == []
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_command_is_installed_and_says_its_version(installed):
    run = fairdeal(installed, "--version")
    assert (run.returncode, run.stdout.split(",")[0]) == (
        0,
        f"fairdeal {PROJECT['project']['version']}",
    )
    where = [installed / "bin" / "python", "-P", "-c", "import protocol; print(protocol.__file__)"]
    said = subprocess.run(where, cwd=installed, capture_output=True, text=True, check=True)
    assert said.stdout.startswith(str(installed))


def test_installed_command_plays(installed, tmp_path):
    words = (
        "--watch",
        "--pace",
        "0",
        "--option",
        "hand=2",
        "--target",
        "1",
        "--logs",
        str(tmp_path),
    )
    run = fairdeal(installed, "play", "block-dominoes", *words)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Verdict: no cheating found" in run.stdout
    (log,) = tmp_path.glob("*.fairdeal")
    audited = fairdeal(installed, "audit", str(log))
    assert audited.returncode == 0 and audited.stdout.startswith("clean")


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("solve", "hexapawn"), 0, "Second wins"),
        (("verify", "needham-schroeder", "--sessions", "1"), 1, "the intruder knows"),
        (("simulate", "table", "--rounds", "2", "--seed", "1"), 0, "Ligretto at a table"),
    ],
)
def test_wheel_research_commands_answer_after_installation(installed, words, status, says):
    run = fairdeal(installed, *words)
    assert run.returncode == status, run.stdout + run.stderr
    assert says in run.stdout


def test_wheel_rule_files_are_games_after_installation(installed):
    (folder,) = installed.glob("lib/python3*/site-packages/protocol/games/scripted/rules")
    rules = sorted(folder.glob("*.rules"))
    # earlier texts of a game have a number behind its name
    names = {re.sub(r"-\d+$", "", path.stem) for path in rules}
    assert rules and names <= set(BUILT_IN.specs)
    run = fairdeal(installed, "rules", "check", str(rules[0]))
    assert run.returncode == 0, run.stdout + run.stderr


@contextmanager
def page(installed: Path, place: Path) -> Iterator[str]:
    """Run `fairdeal play --web`. A fake browser receives the link, which is yielded."""
    opened, browser = place / "opened", place / "browser"
    os.mkfifo(opened)
    browser.write_text(f'#!/bin/sh\ncat "${{1#file://}}" > {opened}\n')
    browser.chmod(0o700)
    with subprocess.Popen(
        [
            installed / "bin" / "fairdeal",
            "play",
            "crazy-eights",
            "--web",
            "--lang",
            "de",
            "--data",
            place / "data",
        ],
        cwd=installed,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": "", "BROWSER": f"{browser} %s"},
    ) as program:
        try:
            yield re.search(r"url=([^\"]+)", opened.read_text())[1]
        finally:
            program.send_signal(signal.SIGINT)


def test_wheel_serves_the_page_with_all_assets(installed, tmp_path):
    """Scripts, styles and texts equal those of the source, so none is missing. The page can log
    in.
    """
    with page(installed, tmp_path) as link:
        base, _, ticket = link.partition("/#t=")
        for name, asset in assets().items():
            path = "" if name == DOCUMENT else f"static/{name}"
            with urllib.request.urlopen(f"{base}/{path}", timeout=SECONDS) as answer:
                assert (name, answer.read()) == (name, asset.data)
        asked = urllib.request.Request(
            f"{base}/api/session",
            json.dumps({"ticket": ticket}).encode(),
            {"Content-Type": "application/json", "Origin": base},
        )
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            told = json.load(answer)
    assert told["mode"] == "play" and told["labels"] == labels("de", area="page")


def test_wheel_installs_conformance_kit(installed):
    run = fairdeal(installed, "conformance", "--list")
    assert run.returncode == 0 and len(run.stdout.splitlines()) > 120, run.stderr
