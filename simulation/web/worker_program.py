"""A process that does one simulation, started by `working`.

A line of JSON on its standard input says what; lines on its standard output say how far it is and,
last, all answers, whole. It ends when its input does: whoever asked is gone then.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from protocol.i18n import available_languages, load_translator
from protocol.limits import SIMULATION_MEMORY_MIB
from protocol.view.text import phrase_renderer
from simulation.pages.report_page import report_page
from simulation.report import Report
from simulation.report.number_format import as_data, json_of
from simulation.rounds import play_rounds
from simulation.task.task_parser import task_of

JSON = "json"  # beside the languages, in what is answered
HEAR_SECONDS = 0.25  # between two lines about how far it is


def answers_of(report: Report) -> dict[str, str]:
    """A report in every form that somebody may ask for: as data, and as a page in each language."""
    pages = {
        language: report_page(
            report, language, phrase_renderer(load_translator(language), ())
        ).decode()
        for language in available_languages()
    }
    return {JSON: json_of({"state": "done", "report": as_data(report)}), **pages}


def bound_memory() -> None:
    """Take no more than it may, where the system can see to it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = SIMULATION_MEMORY_MIB << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def end_with_parent() -> None:
    """Wait for the end of standard input."""
    sys.stdin.read()
    os._exit(1)


def progress_writer(clock: Callable[[], float] = time.monotonic) -> Callable[[int], None]:
    """Says now and then how many rounds have been played."""
    last = clock()

    def hear(done: int) -> None:
        nonlocal last
        if (now := clock()) - last >= HEAR_SECONDS:
            last = now
            write_line({"done": done})

    return hear


def write_line(value: Any) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do what is asked."""
    bound_memory()
    given = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    write_line(
        {
            "answers": answers_of(
                play_rounds(task_of(given["task"]), progress_writer(), fast=given["fast"])
            )
        }
    )


if __name__ == "__main__":
    main()
