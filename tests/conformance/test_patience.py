"""`--patience` limits the wait for every kind of program that the kit checks."""

import re
import sys

import pytest

from conformance.command import main
from conformance.direct.environment import SECONDS

pytestmark = pytest.mark.process

SILENT = f"{sys.executable} -P -c 'import time; time.sleep(600)'"
PROGRAMS = [
    ("--player", "{link} {data}"),
    ("--peer", "{port} {data}"),
    ("--trader", "{port} {data}"),
    ("--auditor", ""),
]


@pytest.mark.parametrize(("option", "words"), PROGRAMS)
def test_patience_ends_the_wait_for_a_silent_program(option, words, capsys):
    assert main([option, f"{SILENT} {words}", "--patience", "0.3"], "conformance") != 0
    said = capsys.readouterr().out
    waits = [float(wait) for wait in re.findall(r" (\d+\.\d+) s$", said, re.MULTILINE)]
    assert "sanity/" in said and waits and max(waits) < SECONDS
