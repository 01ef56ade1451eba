"""Host a table on a free port, let four bots play in separate processes, show the match, and audit
a saved log.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from commandline.children import python_child
from protocol.installation import command_line

WINDOWS = (
    "A table runs on Linux and macOS, not on Windows. Here you can join a table of somebody else: "
    "fairdeal join LINK"
)
BOTS = (("Ann", "sensible"), ("Bob", "random"), ("Cleo", "sensible"), ("Dan", "random"))


def start(
    module: str, *arguments: str, output: int | None = subprocess.PIPE
) -> subprocess.Popen[str]:
    """Start a fairdeal program in a new process."""
    child = python_child("-u", "-m", module, *arguments)
    return subprocess.Popen(child.command, env=child.environ, stdout=output, text=True)


def show(player: subprocess.Popen[str]) -> None:
    """Print the output of a player as it comes."""
    assert player.stdout is not None
    for line in player.stdout:
        print(line, end="", flush=True)


def free_path(log: Path) -> Path:
    """Return this path, or a similar one that does not exist. An existing log may be evidence."""
    found = log
    number = 1
    while found.exists() or found.with_suffix(".times").exists():
        number += 1
        found = log.with_stem(f"{log.stem}-{number}")
    return found


def run(folder: Path, game: list[str], keep: Path) -> int:
    """Play a match in this folder, and keep the first player's log. Return the exit code."""
    table = start(
        "table",
        "--listen",
        "127.0.0.1:0",
        "--seats",
        "4",
        *game,
        "--once",
        "--name",
        "Demo table",
        "--data",
        str(folder / "table"),
        "--log-level",
        "warning",
    )
    assert table.stdout is not None
    link = table.stdout.readline().strip()
    if not link:  # the table has printed the reason
        return table.wait()
    print(f"the table is open: {link}\n", flush=True)
    players = []
    for name, bot in BOTS:
        if name == BOTS[0][0]:
            shown = subprocess.PIPE
        else:
            shown = subprocess.DEVNULL
        if name == BOTS[0][0]:
            log = keep
        else:
            log = folder / f"{name}.fairdeal"
        arguments = [
            link,
            "--name",
            name,
            "--bot",
            bot,
            "--data",
            str(folder / name),
            "--log",
            str(log),
        ]
        players.append(start("player", *arguments, output=shown))
    try:
        show(players[0])
        codes = [process.wait(120) for process in (*players, table)]
    finally:
        for process in (*players, table):
            process.kill()
            process.wait()
    if any(codes):
        print("a program ended with an error; its message is above", file=sys.stderr)
        return 1
    print(f"\nanybody can audit that file: {audit_command(keep)}", flush=True)
    return audit(keep)


def audit_command(log: Path) -> str:
    """Return the command for an audit. It works in the shell that started this script, in any
    folder, without an activated environment.
    """
    fairdeal = str(Path(sys.executable).with_name("fairdeal"))
    return command_line((fairdeal, "audit", str(log.absolute())), sys.platform)


def audit(log: Path) -> int:
    """Audit a log from its bytes alone, and print a result in one line."""
    from protocol.audit.verdict import audit as judge

    report = judge(log.read_bytes())
    winner = report.reader.match.winner if report.reader else None
    if report.reader and winner is not None:
        name = report.reader.log.setup.people[winner].name
    else:
        name = "nobody"
    print(f"verdict: {report.verdict}, winner {name}, {report.entries} entries")
    return 0 if report.verdict == "clean" else 1


def main() -> int:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument(
        "--game", default="block-dominoes", help="draw-dominoes, texas-holdem or five-card-draw"
    )
    parser.add_argument(
        "--target",
        type=int,
        default=50,
        help="points that win at dominoes (default 50: a few hands)",
    )
    parser.add_argument("--hands", type=int, default=5, help="hands of poker (default 5)")
    parser.add_argument(
        "--log",
        type=Path,
        default=Path("demo.fairdeal"),
        help="where to save the log, and a .times with the times its entries came at (default: "
        "%(default)s, or "
        "demo-2.fairdeal and so on if that is there)",
    )
    args = parser.parse_args()
    if sys.platform == "win32":
        print(WINDOWS, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="fairdeal-demo-") as folder:
        if "dominoes" in args.game:
            length = ["--target", str(args.target)]
        else:
            length = ["--option", f"hands={args.hands}"]
        return run(Path(folder), ["--game", args.game, *length], free_path(args.log))


if __name__ == "__main__":
    sys.exit(main())
