"""`python -P -m protocol` as a person runs it: output, output stream, and exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol import __main__ as program
from protocol import wire
from protocol.audit.verdict import audit, report_data
from protocol.errors import LocalError
from protocol.i18n.program_output import OUTPUT_CLOSED
from protocol.limits import MAX_LOG_FILE
from protocol.match.log_file import MAGIC, encode_record, read_records
from tests.support.errors import raises_text
from tests.support.log_files import CUTS, ENDS, Passer, clean, first_records, forked, played


def run(*arguments, environment=None):
    """Run the program in its own process; return status, standard output, standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "protocol", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(environment or {})},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def called(capsys):
    """Run the program in this process, which need not load all modules again."""

    def call(*arguments):
        try:
            status = program.main([str(word) for word in arguments])
        except SystemExit as end:  # argparse
            status = end.code
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def write(tmp_path):
    """Return a function that writes bytes to a file and returns its path."""

    def write(data, name="match.fairdeal"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.mark.process
def test_audit_of_honest_match_is_clean(write):
    status, out, err = run("audit", write(clean()))
    assert (status, err) == (0, "")
    assert out.startswith("clean: ")
    assert out.count("\n") == 1


@pytest.mark.process
def test_audit_of_a_cheat_names_it(write):
    status, out, err = run("audit", write(played(cheat=Passer).file()))
    assert (status, err) == (1, "")
    assert out.startswith("fault: ")
    assert "seat 2, Bob (" in out
    assert "the seat passed although it could have played [false_pass]" in out


@pytest.mark.process
def test_json_output_equals_the_audit(write, called):
    for data, asked in (
        (clean(), run),
        (played(cheat=Passer).file(), called),
        (b"", called),
        (b"hello", called),
    ):
        status, out, err = asked("audit", "--json", write(data))
        assert json.loads(out) == report_data(audit(data))
        assert (status, err) == (0 if json.loads(out)["verdict"] == "clean" else 1, "")


def flipped(data, place):
    changed = bytearray(data)
    changed[place] ^= 0x10
    return bytes(changed)


@pytest.mark.parametrize(
    ("make", "verdict"),
    [
        (lambda: b"", "incomplete"),
        (lambda: clean()[:-1], "incomplete"),
        (lambda: clean() + b"\0", "incomplete"),
        (lambda: first_records(clean(), 12), "incomplete"),
        (lambda: b"This is a letter and not a log.", "unreadable"),
        (lambda: flipped(clean(), 3), "unreadable"),
        (lambda: flipped(clean(), len(clean()) // 2), "unreadable"),
        (lambda: flipped(clean(), len(clean()) - 1), "unreadable"),
    ],
)
def test_audit_and_show_report_spoilt_files(write, capsys, make, verdict):
    path = write(make())
    for command in ("audit", "show"):
        assert program.main([command, str(path)]) == 1
        out, err = capsys.readouterr()
        assert out.strip().splitlines()[-1].startswith(f"{verdict}: ")
        assert err == ""


@pytest.mark.match
def test_log_with_flipped_bit_is_never_clean(write, capsys):
    data = clean()
    for place in range(0, len(data), len(data) // 60):
        path = write(flipped(data, place))
        assert program.main(["audit", str(path)]) == 1, place
        assert "clean:" not in capsys.readouterr().out


def no_file(tmp_path):
    return tmp_path / "none.fairdeal"


def a_folder(tmp_path):
    return tmp_path


@pytest.mark.parametrize(
    ("make", "says"), [(no_file, "There is no file"), (a_folder, "is a folder")]
)
@pytest.mark.parametrize("command", ["audit", "show"])
def test_missing_files_are_reported(tmp_path, called, make, says, command):
    status, out, err = called(command, make(tmp_path))
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.fixture
def locked(write):
    path = write(clean())
    path.chmod(0)
    return path


@pytest.fixture
def nobody():
    """Become an ordinary user for one test, because root may read every file."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield
    os.seteuid(user)


def test_file_without_permission_is_reported(locked, nobody, capsys):
    assert program.main(["audit", str(locked)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "not allowed to read" in err


@pytest.mark.parametrize(("cheat", "verdict"), [(None, "unreadable: "), (Passer, "fault: ")])
def test_audit_of_file_above_limit_judges_its_beginning(write, called, cheat, verdict):
    path = write(played(cheat=cheat).file())
    with path.open("r+b") as file:
        file.truncate(MAX_LOG_FILE + 2)  # filled with zeros, which take no disk space
    status, out, err = called("audit", path)
    assert (status, err) == (1, "") and out.startswith(verdict)


def test_audit_of_endless_file_ends(called):
    status, out, err = called("audit", "/dev/zero")
    assert (status, err) == (1, "") and out.startswith("unreadable: ")


def test_other_files_above_limit_are_refused():
    with raises_text(LocalError, match="larger than any log can be"):
        program.read_file(Path("/dev/zero"))


# --- a fault that was found remains the verdict ---


@pytest.mark.parametrize("end", [*ENDS, *CUTS])
def test_audit_of_fault_with_any_end_keeps_status(write, called, end):
    before = called("audit", write(forked(played(), 4)))
    path = write(forked(played(), 4) + (ENDS | CUTS)[end])
    after = called("audit", path)
    assert before[0] == after[0] == 1 and after[2] == ""
    assert after[1].startswith(before[1]) and "Nothing after entry 4 could be read" in after[1]
    assert called("show", path)[0] == 1
    status, out, _ = called("audit", "--json", path)
    assert status == 1 and json.loads(out)["verdict"] == "fault"


@pytest.mark.parametrize(
    ("other", "compared"),
    [
        (lambda data: data + bytes(4), "unreadable: "),
        (lambda data: first_records(data, 3) + bytes(4), "unreadable: "),
        (lambda data: forked(played(cheat=Passer), 4), "forked: "),
        (lambda data: clean(seed=40), "These are logs of two different matches"),
        (lambda data: unknown(data), "not to be judged here: "),
        (lambda data: b"Dear Ann", "unreadable: "),
    ],
    ids=["unreadable end", "unreadable middle", "fork", "another match", "unknown rules", "no log"],
)
def test_compare_with_any_other_copy_keeps_the_fault(write, called, other, compared):
    data = played(cheat=Passer).file()
    mine, theirs = write(data, "mine.fairdeal"), write(other(data), "theirs.fairdeal")
    alone = called("audit", mine)[1]
    for first in (data, data + bytes(4)):
        write(first, "mine.fairdeal")
        status, out, _ = called("audit", mine, "--compare", theirs)
        assert status == 1 and out.startswith(alone) and f"\n{compared}" in out
        status, out, _ = called("audit", mine, "--compare", theirs, "--json")
        told = json.loads(out)
        assert (status, told["verdict"], told["times"]) == (1, "fault", None)
        assert told["compared"][0].startswith(compared)


def test_compare_without_times_keeps_the_fault(write, called):
    mine, theirs = (write(played(cheat=Passer).file(), f"{n}.fairdeal") for n in "ab")
    status, out, err = called("audit", mine, "--compare", theirs)
    assert status == 1 and out == called("audit", mine)[1] and "a.times" in err
    mine, theirs = (write(clean(), f"{n}.fairdeal") for n in "ab")
    assert called("audit", mine, "--compare", theirs)[0] == 2


def test_compare_takes_the_longer_copy(write, called):
    data = played(cheat=Passer).file()
    short = write(first_records(data, 3) + bytes(4), "short.fairdeal")
    status, out, _ = called("audit", short, "--compare", write(data))
    assert status == 1 and out.startswith("fault: ") and "false_pass" in out


def unknown(data):
    """Return an unsigned first entry with unknown rules."""
    raw, head = next(read_records(data))
    content, signature = wire.decode(raw)
    changed = content.replace(b"block-dominoes", b"block-dominoez")
    return MAGIC + encode_record(wire.encode([changed, signature]), head)


@pytest.mark.process
def test_show_prints_the_transcript(write, called):
    status, out, err = run("show", write(clean()))
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("clean: ")
    status, out, err = called("show", write(played(cheat=Passer).file()))
    assert (status, err) == (1, "")
    assert "\nfault: " in out


@pytest.mark.process
def test_show_works_on_terminal_without_unicode(write):
    status, out, err = run(
        "show", write(clean()), environment={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    )
    assert (status, err) == (0, "")
    assert out.isascii()


@pytest.mark.process
def test_closed_pager_causes_no_traceback(write):
    path = write(clean(seats=4))
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol", "show", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == OUTPUT_CLOSED
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


def test_compare_prints_relation_of_two_logs(write, capsys):
    whole, again = write(clean(), "one.fairdeal"), write(clean(), "two.fairdeal")
    part, other = (
        write(first_records(clean(), 4), "part.fairdeal"),
        write(forked(played(), 4), "other.fairdeal"),
    )
    stranger, letter = write(clean(seed=2), "stranger.fairdeal"), write(b"Dear Ann", "letter.txt")
    for right, status, says in (
        (again, 0, "same: "),
        (part, 0, "one is the beginning of the other: "),
        (other, 1, "forked: the table signed two different entries with the number 4."),
        (letter, 1, "unreadable: "),
    ):
        assert program.main(["compare", str(whole), str(right)]) == status
        out, err = capsys.readouterr()
        assert out.startswith(says)
        assert err == ""
    assert program.main(["compare", str(whole), str(stranger)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("These are logs of two different matches")


@pytest.mark.process
def test_wrong_usage_of_program_is_reported():
    said_what_to_do(*run())


@pytest.mark.parametrize(
    "arguments", [[], ["judge"], ["audit"], ["audit", "a", "b"], ["compare", "a"]]
)
def test_wrong_usage_of_commands_is_reported(called, arguments):
    said_what_to_do(*called(*arguments))


def said_what_to_do(status, out, err):
    assert (status, out) == (2, "")
    assert "usage: fairdeal" in err
    assert "Traceback" not in err


def test_help_has_an_example(called):
    status, out, _ = called("--help")
    assert status == 0
    for word in ("audit", "show", "compare", "exit codes", "examples:"):
        assert word in out
    for command, word in (
        ("audit", "fingerprints"),
        ("show", "verdict"),
        ("compare", "two signatures"),
    ):
        status, out, _ = called(command, "--help")
        assert status == 0
        assert word in out
