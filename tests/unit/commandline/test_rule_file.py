"""A rule file on the command line: one game, however a system has written the file."""

import pytest

from commandline.rule_file import read_rule_file
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.limits import MAX_RULE_FILE

CRAZY_EIGHTS = built_in_text("crazy-eights")
FORMS = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "byte-order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
}


@pytest.mark.parametrize("form", FORMS)
def test_file_of_another_system_is_the_same_game(tmp_path, form):
    path = tmp_path / "a.rules"
    path.write_bytes(FORMS[form](CRAZY_EIGHTS))
    assert read_rule_file(path).digest == rule_digest(CRAZY_EIGHTS)


def test_longest_file_in_utf_16_is_read_whole(tmp_path):
    text = CRAZY_EIGHTS + "#" * (MAX_RULE_FILE - len(CRAZY_EIGHTS.encode()))
    path = tmp_path / "a.rules"
    path.write_bytes(text.encode("utf-16"))
    assert read_rule_file(path).text == text
