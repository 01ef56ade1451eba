"""Print the coverage of each package and the modules with the most lines that no test ran."""

import json
import sys
from collections import Counter
from pathlib import Path

LISTED = 40  # modules

Module = tuple[str, int, int]  # path, statements, statements that ran


def read_modules(report: Path) -> list[Module]:
    """Read the modules with statements from a report of `coverage json`."""
    files = json.loads(report.read_text())["files"]
    return [
        (path, found["summary"]["num_statements"], found["summary"]["covered_lines"])
        for path, found in files.items()
        if found["summary"]["num_statements"]
    ]


def package_of(path: str) -> str:
    """Return the package of a module, at most two levels deep."""
    folders = path.split("/")[:-1]
    return ".".join(folders[:2])


def table(modules: list[Module]) -> str:
    """Return the report: all packages by name, then the modules with the least coverage."""
    statements: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    for path, count, covered in modules:
        for name in {path.split("/")[0], package_of(path), "all"}:
            statements[name] += count
            ran[name] += covered
    lines = ["package                              statements   ran"]
    for name in sorted(statements):
        lines.append(f"{name:36} {statements[name]:10} {share(statements[name], ran[name]):>5}")
    lines += ["", f"{LISTED} modules with the most statements that no test ran"]
    for path, count, covered in sorted(modules, key=lambda each: each[2] - each[1])[:LISTED]:
        lines.append(f"{path:60} {count - covered:5} of {count:4} {share(count, covered):>5}")
    return "\n".join(lines)


def share(statements: int, ran: int) -> str:
    return f"{100 * ran // statements}%"


if __name__ == "__main__":
    print(table(read_modules(Path(sys.argv[1]))))
