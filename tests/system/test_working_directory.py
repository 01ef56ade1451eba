"""Folder of downloads: `fairdeal` runs none of the files in its working directory."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commandline.children import python_child
from fairdeal.cluster.programs import start_program
from tests.support.architecture import PACKAGES, ROOT
from tests.support.nats import nats_server
from tests.support.simulations import SMALL, Service

pytestmark = pytest.mark.process

SECONDS = 240
FAIRDEAL = Path(sys.executable).with_name("fairdeal")
LIBRARIES = (
    "cryptography",
    "msgpack",
    "nacl",
    "nats",
    "numba",
    "numpy",
    "rbcl",
    "rich",
    "starlette",
    "uvicorn",
    "yaml",
)
MODULES = (*sys.stdlib_module_names, *PACKAGES, *LIBRARIES, "sitecustomize", "usercustomize")
MATCH = (
    "play",
    "matches",
    "--option",
    "n=6",
    "--bot",
    "random",
    "--pace",
    "0",
    "--name",
    "Ann",
    "--watch",
)


class Downloads:
    """Folder with a file for every module that a program might import. Each prints its name when it
    runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._ran = folder / "downloads", folder / "ran"
        self.folder.mkdir()
        for name in MODULES:
            text = f"open({str(self._ran)!r}, 'a').write({name + ' '!r})"
            (self.folder / f"{name}.py").write_text(text, "utf-8")

    @property
    def ran(self) -> str:
        """Names of the modules that ran, in order."""
        return self._ran.read_text("utf-8") if self._ran.exists() else ""

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command in this folder to its end."""
        return subprocess.run(
            list(map(str, words)),
            cwd=self.folder,
            env=environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def environ() -> dict[str, str]:
    """Return the environment of the tests without Python's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture
def downloads(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


def test_a_module_is_run_where_python_may_look(downloads):
    downloads.run(sys.executable, "-m", "table")
    assert downloads.ran


def test_a_match_among_hostile_modules_runs_none(downloads, tmp_path):
    done = downloads.run(FAIRDEAL, *MATCH, "--logs", tmp_path / "logs")
    assert downloads.ran == ""
    assert done.returncode == 0 and "Verdict: no cheating found" in done.stdout, (
        done.stdout + done.stderr
    )
    (log,) = (tmp_path / "logs").glob("*.fairdeal")
    audited = downloads.run(FAIRDEAL, "audit", log)
    assert (downloads.ran, audited.returncode) == ("", 0), audited.stderr


@contextmanager
def simulating(folder: Path) -> Iterator[Service]:
    """Run `fairdeal simulate --web` in this folder."""
    words = [str(FAIRDEAL), "simulate", "--web", "0"]
    with subprocess.Popen(
        words, cwd=folder, env=environ(), stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stdout is not None
            found = re.search(r"http://\S+", running.stdout.readline())
            assert found is not None
            yield Service(found[0])
        finally:
            running.terminate()


async def test_a_simulation_for_others_runs_no_hostile_module(downloads):
    with simulating(downloads.folder) as service:
        answer = await service.result(await service.begin(SMALL))
    assert downloads.ran == ""
    assert answer.json["state"] == "done"


async def test_machines_over_nats_run_no_hostile_module(downloads):
    async with nats_server() as (url, _):
        words = ("simulate", "machines", "--players", "2", "--rounds", "1", "--nats", url)
        done = downloads.run(FAIRDEAL, *words)
    assert (downloads.ran, done.returncode) == ("", 0), done.stderr


async def test_a_host_of_a_demonstration_runs_no_hostile_module(downloads, monkeypatch):
    monkeypatch.chdir(downloads.folder)
    host = await start_program("--version", stdout=subprocess.PIPE)
    said, _ = await host.communicate()
    assert downloads.ran == ""
    assert said.startswith(b"fairdeal ") and host.returncode == 0


def test_numba_takes_no_settings_from_the_working_directory(downloads):
    (downloads.folder / ".numba_config.yaml").write_text("CACHE_DIR: taken\n", "utf-8")
    done = downloads.run(FAIRDEAL, "simulate", "table", "--rounds", "1", "--fast")
    assert done.returncode == 0 and "umba" not in done.stderr, done.stderr
    assert not (downloads.folder / "taken").exists()
    assert downloads.ran == ""


@pytest.mark.parametrize("entry", ["", ".", "../downloads"])
def test_a_child_gets_no_relative_entry_of_pythonpath(downloads, monkeypatch, entry):
    monkeypatch.chdir(downloads.folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([entry, "/nowhere"]))
    child = python_child("-c", "import json, table")
    subprocess.run(child.command, env=child.environ, timeout=SECONDS, check=True)
    assert downloads.ran == ""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Python with the dependencies of the packages, but not the packages."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


@pytest.mark.parametrize(
    ("flags", "path"),
    [(("-m",), None), (("-P", "-m"), "."), (("-P", "-m"), str(ROOT))],
    ids=["cwd", "relative", "path"],
)
def test_children_find_a_checkout_that_is_not_installed(python, tmp_path, flags, path):
    done = subprocess.run(
        [python, *flags, "fairdeal", *MATCH, "--logs", tmp_path],
        cwd=ROOT,
        env=environ() | ({} if path is None else {"PYTHONPATH": path}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0 and "Verdict: no cheating found" in done.stdout, (
        done.stdout + done.stderr
    )
