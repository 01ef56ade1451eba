"""Signed rule sets between real programs: a table that strangers may use, an author, and people
who have never seen the rules.
"""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.terminal import at_terminal
from tests.system.test_rule_files import RULES, joined
from tests.system.test_table_and_players import SECONDS, run, start

pytestmark = pytest.mark.process


def rules(*words: object) -> subprocess.CompletedProcess[str]:
    return run("-m", "fairdeal", "rules", *map(str, words))


def listed(link: str, folder: Path) -> str:
    return run("-m", "fairdeal", "join", link, "--list", "--data", str(folder)).stdout


def test_guest_gets_signed_rules_and_plays_once_author_is_trusted(tmp_path):
    file = tmp_path / "high.rules"
    file.write_text(RULES)
    signed = tmp_path / "high-1.rules"
    assert rules("sign", file, "--data", tmp_path / "Ann").returncode == 0
    (author,) = re.findall(r"by ([a-z2-7]{40})", rules("list", "--data", tmp_path / "Ann").stdout)
    listen = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "table"))
    table = start("-m", "fairdeal", "host", *listen, "--allow-create", "any")
    programs = [table]
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        programs += [ann := joined(link, tmp_path / "Ann", "--rules", str(signed), "--create")]
        while author not in (said := listed(link, tmp_path / "Eve")):
            assert ann.poll() is None
        assert '"high", number 1' in said
        at_the_table = (link, tmp_path / "Bob", "--table", "table-1")
        programs += [bob := joined(*at_the_table)]
        said = bob.communicate(timeout=SECONDS)[0]
        assert bob.returncode == 4 and f"rules trust {author}" in said, said
        stored = rules("list", "--data", tmp_path / "Bob").stdout
        assert author in stored and "not trusted yet" in stored
        assert rules("distrust", author[:8], "--data", tmp_path / "Bob").returncode == 0
        programs += [bob := joined(*at_the_table)]
        assert bob.wait(SECONDS) == 4
        assert rules("trust", author[:8], "--data", tmp_path / "Bob").returncode == 0
        programs += [bob := joined(*at_the_table)]
        said = bob.communicate(timeout=SECONDS)[0]
        assert bob.returncode == 0 and "no cheating found" in said, said
        assert "no cheating found" in ann.communicate(timeout=SECONDS)[0]
    finally:
        for program in programs:
            program.kill()
            program.communicate()
    shown = rules("show", "high", "--data", tmp_path / "Bob").stdout
    assert author in shown and "a match may begin" in shown
    copy = tmp_path / "copy.rules"
    assert rules("save", "high", copy, "--data", tmp_path / "Bob").returncode == 0
    assert copy.read_text() == signed.read_text()


def test_commands_number_texts_and_refuse_to_sign_one_number_twice(tmp_path):
    file = tmp_path / "high.rules"
    data = ("--data", tmp_path / "Ann")
    file.write_text(RULES)
    assert rules("update", file, *data).returncode == 2
    first, again = rules("sign", file, *data), rules("sign", file, *data)
    assert (first.returncode, again.returncode) == (0, 0) and first.stdout == again.stdout
    file.write_text(RULES + "# mended\n")
    refused = rules("sign", file, *data)
    assert refused.returncode == 2 and "rules update" in refused.stderr
    assert rules("update", file, *data).returncode == 0
    # a signed file that was edited can be signed again, and not played
    edited = tmp_path / "high-2.rules"
    text = edited.read_text()
    edited.write_text(text + "# more\n")
    changed = run("-m", "fairdeal", "play", str(edited), "--bots", "1")
    assert changed.returncode == 2 and "signature" in changed.stderr
    assert rules("update", edited, "--out", tmp_path / "third.rules", *data).returncode == 0
    said = rules("show", tmp_path / "third.rules").stdout
    assert 'as "high", number 3' in said
    # another computer of hers goes on where this one was
    other = ("--data", tmp_path / "Eve")
    assert rules("update", file, "--after", tmp_path / "third.rules", *other).returncode == 2


def test_misleading_names_cannot_be_signed(tmp_path):
    file = tmp_path / "high.rules"
    file.write_text(RULES.replace('"high"', '"../high"'))
    assert rules("sign", file, "--data", tmp_path / "Ann").returncode == 0
    assert (tmp_path / "---high-1.rules").exists()
    for name in ("Nim", "mau mau", "verdict"):
        file.write_text(RULES.replace('"high"', f'"{name}"'))
        done = rules("sign", file, "--data", tmp_path / "Ann")
        assert done.returncode == 2 and name in done.stderr


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_terminal_asks_about_author_before_sitting_down(tmp_path, answer):
    file = tmp_path / "high.rules"
    file.write_text("# <b>for you</b>\n" + RULES)
    signed = tmp_path / "high-1.rules"
    assert rules("sign", file, "--data", tmp_path / "Ann").returncode == 0
    listen = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "table"))
    table = start("-m", "fairdeal", "host", *listen, "--rules", str(signed))
    try:
        assert table.stdout is not None
        link = table.stdout.readline().strip()
        own = ("--name", "Bob", "--data", tmp_path / "Bob")
        async with at_terminal("-m", "fairdeal", "join", link, *own) as bob:
            await bob.until("Do you trust")
            assert "<b>for you</b>" in bob.text
            bob.type(f"{answer}\r")
            if answer == "yes":
                await bob.until("waiting for 1 more")
            else:
                assert await bob.end() == 4
    finally:
        table.kill()
        table.communicate()
    said = rules("list", "--data", tmp_path / "Bob").stdout
    assert ("a match may begin" in said) == (answer == "yes")
