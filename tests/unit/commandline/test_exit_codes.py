"""Exit codes of `fairdeal host`."""

import re

import pytest

from commandline.exit_codes import CODES, WRONG_AGAIN, ExitCode, exit_code
from protocol.errors import LocalError
from tests.support.docs import ROOT


def test_every_error_with_a_code_exists():
    texts = (ROOT / "protocol/i18n/en/fairdeal.po").read_text("utf-8")
    assert [key for key in CODES if f'msgid "{key}"\n' not in texts] == []


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("wrong.journal.newer", ExitCode.FOLDER),
        ("wrong.listen.forbidden", ExitCode.FORBIDDEN),
        ("wrong.listen.taken", ExitCode.FAILED),
        ("wrong.config.key", ExitCode.CONFIG),
        ("wrong.table.metrics", ExitCode.MISSING),
    ],
)
def test_error_has_the_code_of_its_kind(key, code):
    assert exit_code(LocalError(key)) is code


def test_page_for_hosts_lists_the_codes():
    text = (ROOT / "docs" / "host.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| .* \| (yes|no) \|$", text, re.MULTILINE)
    assert {int(number): again == "no" for number, again in rows} == {
        int(code): code in WRONG_AGAIN for code in ExitCode if code is not ExitCode.DONE
    }
