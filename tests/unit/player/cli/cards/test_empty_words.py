"""Commands about cards, people and tables whose arguments are empty, as from an unset variable of a
script: each ends with an exit code and a sentence, and none with a stack trace.
"""

from pathlib import Path

import pytest

from fairdeal.__main__ import main
from tests.support.collectors import STATE

WORDS = (
    "cards trade|",
    "cards trade|--letter|",
    "cards buy|",
    "cards import|",
    "cards export|--out|out.cards|",
    "cards export|--all|--out|",
    "cards show|",
    "cards verify|",
    "cards trust|",
    "cards policy|",
    "cards witness|",
    "cards settle|",
    "cards update|",
    "cards list|--of|",
    "cards list|--edition|",
    "cards binder|--of|",
    "cards deck|new|",
    "cards deck|new|mine|",
    "cards deck|new|mine|--game|",
    "cards deck|new|mine|--rules|",
    "cards deck|show|",
    "cards deck|add|mine|",
    "cards deck|check|",
    "cards deck|check|mine|--rules|",
    "cards deck|delete|",
    "creator new|--name|",
    "creator new|--link|",
    "creator new|--witness|",
    "creator type|",
    "creator type|Oak|--edition|",
    "creator type|Oak|--value|",
    "creator type|Oak|--image|",
    "creator revise|",
    "creator run|--edition|",
    "creator run|--copies|",
    "creator sell|",
    "creator sell|--listen|",
    "creator open|",
    "creator open|--out|",
    "creator check|",
    "table kick|",
    "table ban|",
    "table unban|",
    "table say|",
    "table remove|",
    "profile export|",
    "profile import|",
    "profile backup|",
    "contacts|",
    "identity|",
)


@pytest.mark.parametrize("words", WORDS)
def test_empty_word_is_answered_with_sentence(
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    command, *rest = words.split("|")
    code: str | int | None
    try:
        code = main([*command.split(), *rest, "--data", str(tmp_path / "data")])
    except SystemExit as ended:
        code = ended.code
    assert code in (0, 1, 2)
    said = capsys.readouterr()
    assert said.out.strip() or said.err.strip()
