"""The program that runs one simulation, started by `worker_process`.

A line of JSON on standard input has the task. Lines on standard output say how far it is; the last
line has all answers. The program ends when its input ends, for then its parent is gone.
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

JSON = "json"  # key of the JSON answer, beside those of the languages
HEAR_SECONDS = 0.25  # between two lines of progress


def answers_of(report: Report) -> dict[str, str]:
    """Write a report in every form: as data, and as a page in each language."""
    pages = {
        language: report_page(
            report, language, phrase_renderer(load_translator(language), ())
        ).decode()
        for language in available_languages()
    }
    return {JSON: json_of({"state": "done", "report": as_data(report)}), **pages}


def bound_memory() -> None:
    """Limit the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = SIMULATION_MEMORY_MIB << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def end_with_parent() -> None:
    """End the process at the end of standard input."""
    sys.stdin.read()
    os._exit(1)


def progress_writer(clock: Callable[[], float] = time.monotonic) -> Callable[[int], None]:
    """Make a function that writes the number of rounds now and then."""
    last = clock()

    def hear(done: int) -> None:
        nonlocal last
        if (now := clock()) - last >= HEAR_SECONDS:
            last = now
            write_line({"done": done})

    return hear


def write_line(value: Any) -> None:
    """Write a line of JSON."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run the simulation of the input."""
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
