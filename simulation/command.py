"""The command `fairdeal simulate`: plays rounds by a model and reports them, or runs the web
service.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from commandline.optional_packages import require_web
from protocol.errors import LocalError
from protocol.i18n import best_language
from protocol.i18n.language_choice import (
    environment_languages,
    environment_translator,
    take_language_flag,
)
from protocol.installation import install_command
from protocol.limits import MAX_DECKS_FILE
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import Say, phrase_renderer, sanitize, translate_phrase
from simulation.arguments import PAGES, make_parser
from simulation.machine_rounds import machine_task, rounds_over_nats
from simulation.pages.markup import inline_style
from simulation.pages.report_page import report_page
from simulation.report import Report
from simulation.report.number_format import as_data, json_of
from simulation.report.text import report_lines
from simulation.rounds import OnProgress, count_rounds, play_rounds
from simulation.task import SimulationTask
from simulation.task.task_parser import DECKS, settings_of, task_of_texts

# exit codes
DONE = 0
STOPPED = 1
USAGE = 2
SHOW_SECONDS = 1.0  # seconds before progress is shown
# columns of the bar; control sequence that clears the line
BAR = 30
CLEAR = "\r\x1b[K"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    install_output_fallback()
    parser = make_parser()
    asked = parser.parse_args(take_language_flag(arguments, os.environ))
    say = phrase_renderer(environment_translator(os.environ), ())
    try:
        if asked.web is None and asked.model is None:
            raise LocalError("simulate.wrong.nothing")
        if asked.web is not None and asked.model is not None:
            raise LocalError("simulate.wrong.both")
        if asked.web is not None:
            return _serve(asked, say)
        return _simulate(asked, say)
    except LocalError as error:
        print(
            f"fairdeal: {translate_phrase(error.phrase, environment_translator(os.environ))}",
            file=sys.stderr,
        )
        return USAGE


def _serve(asked: argparse.Namespace, say: Say) -> int:
    with require_web():
        from simulation.web.server import ServerAddress, serve_until_stopped
        from simulation.web.worker_process import WorkerCommand
    if asked.web_fast and find_spec("numba") is None:
        raise LocalError("simulate.install", install=install_command("science"))
    place = ServerAddress(asked.web, asked.web_host, tuple(asked.web_name))
    worker = WorkerCommand(asked.seconds, asked.web_fast)
    asyncio.run(serve_until_stopped(place, worker, lambda told: print(say(told), flush=True)))
    return DONE


def _simulate(asked: argparse.Namespace, say: Say) -> int:
    """Raises: LocalError."""
    over = getattr(asked, "nats", None)
    if over:
        report = simulate_on_machines(asked, say)
    else:
        report = simulate(task_asked(asked), say, fast=asked.fast)
    if asked.report is not None:
        for path in write_report(report, asked.report, say):
            print(say(phrase("simulate.written", path=str(path))), file=sys.stderr)
    print(json_of(as_data(report)).rstrip() if asked.json else "\n".join(report_lines(report, say)))
    sys.stdout.flush()
    if report.played < report.task.rounds:
        told = phrase(
            "simulate.interrupted", played=f"{report.played:,}", rounds=f"{report.task.rounds:,}"
        )
        print(say(told), file=sys.stderr)
        return STOPPED
    return DONE


def simulate(task: SimulationTask, say: Say, *, fast: bool) -> Report:
    """Play all rounds, with progress on standard error. Raises: LocalError if a package for `fast`
    is missing.
    """
    try:
        with _progress(task.rounds, say) as hear:
            return play_rounds(task, hear, fast=fast)
    except ImportError:
        raise LocalError("simulate.install", install=install_command("science")) from None


def simulate_on_machines(asked: argparse.Namespace, say: Say) -> Report:
    """Play rounds by real processes. Raises: LocalError if the run cannot start."""
    asked.rounds = asked.rounds or "1"
    task = machine_task(task_asked(asked))
    rounds = rounds_over_nats(
        task, asked.nats, asked.processes, lambda told: print(say(told), file=sys.stderr)
    )
    try:
        with _progress(task.rounds, say) as hear:
            return count_rounds(task, rounds, hear)
    except ImportError:
        raise LocalError("wrong.machines.cluster", install=install_command("cluster")) from None


def task_asked(asked: argparse.Namespace) -> SimulationTask:
    """Make the task from the arguments. Raises: LocalError."""
    names = [field.name for field in settings_of(asked.model)]
    given = {name: value for name in names if (value := getattr(asked, name)) is not None}
    if asked.decks is not None:
        given[DECKS] = _read(Path(asked.decks))
    return task_of_texts(asked.model, given)


def _read(path: Path) -> str:
    name = sanitize(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_DECKS_FILE + 1)
        if len(data) <= MAX_DECKS_FILE:
            return data.decode()
    except OSError as error:
        raise LocalError("simulate.wrong.read", name=name, why=str(error.strerror)) from None
    except UnicodeError:
        raise LocalError("simulate.wrong.text", name=name) from None
    raise LocalError("simulate.wrong.large", name=name, most=f"{MAX_DECKS_FILE:,}")


def write_report(report: Report, where: Path, say: Say) -> list[Path]:
    """Write a report as a page, or into a folder in every form. No file is ever left half written.
    Raises: LocalError.
    """
    language = best_language(*environment_languages(os.environ))
    page = report_page(report, language, say, inline_style())
    if where.suffix.lower() in PAGES:
        files = {where: page}
    else:
        text = "\n".join([*report_lines(report, say), ""])
        forms = {"xhtml": page, "json": json_of(as_data(report)).encode(), "txt": text.encode()}
        files = {where / f"report.{form}": data for form, data in forms.items()}
    try:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}.draft")
            draft.write_bytes(data)
            draft.replace(path)
    except OSError as error:
        raise LocalError(
            "simulate.wrong.write", name=sanitize(str(where)), why=str(error.strerror)
        ) from None
    return list(files)


@contextmanager
def _progress(rounds: int, say: Say) -> Iterator[OnProgress]:
    """Show progress once a run takes more than a second: a bar on a terminal, else some lines."""
    shown = ProgressBar(rounds, say) if sys.stderr.isatty() else ProgressLines(rounds, say)
    try:
        yield shown.hear
    finally:
        shown.end()


class ProgressLines:
    """Progress as lines of text after one second, two, four, eight."""

    def __init__(self, rounds: int, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        self._rounds = rounds
        self._say = say
        self._clock = clock
        self._begun = clock()
        self._next = SHOW_SECONDS

    def hear(self, done: int) -> None:
        """Note that `done` rounds have been played."""
        if (passed := self._clock() - self._begun) >= self._next:
            while self._next <= passed:
                self._next = self._later(self._next)
            self._show(done, passed)

    def end(self) -> None:
        """Finish; nothing to clear."""

    def _later(self, seconds: float) -> float:
        return 2 * seconds

    def _show(self, done: int, seconds: float) -> None:
        print(self._told(done, seconds), file=sys.stderr, flush=True)

    def _told(self, done: int, seconds: float) -> str:
        told = phrase(
            "simulate.progress",
            done=f"{done:,}",
            rounds=f"{self._rounds:,}",
            seconds=round(seconds),
        )
        return self._say(told)


class ProgressBar(ProgressLines):
    """Progress as a bar in one line, cleared at the end."""

    _drawn = False

    def end(self) -> None:
        """Clear the line."""
        if self._drawn:
            print(CLEAR, end="", file=sys.stderr, flush=True)

    def _later(self, seconds: float) -> float:
        return seconds + 0.2

    def _show(self, done: int, seconds: float) -> None:
        self._drawn = True
        full = BAR * done // self._rounds
        drawn = f"[{'#' * full}{'.' * (BAR - full)}] {self._told(done, seconds)}"
        print(f"{CLEAR}{drawn}", end="", file=sys.stderr, flush=True)
