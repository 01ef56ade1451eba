"""Study of Ligretto: comparison with published numbers, comparison of the models, and figures."""

import argparse
import sys

from scripts.ligretto import model_comparison, tables


def main() -> int:
    """Run one of the three parts. Return 1 if a comparison fails."""
    parser = argparse.ArgumentParser(prog="scripts/ligretto_study", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser(
        "tables", help="the tables of docs/ligretto.md, and whether they are as published"
    )
    part.add_argument(
        "--rounds", type=int, default=20_000, help="for each number about tables (20,000)"
    )
    part.add_argument("--only", nargs="+", choices=sorted(tables.PARTS), help="these alone")
    part.add_argument("--write", action="store_true", help="into the page")
    part = parts.add_parser("agree", help="the reference and what is compiled, over seeds")
    part.add_argument("--seeds", type=int, default=10_000)
    part = parts.add_parser("figures", help="the pictures of docs/ligretto.md")
    part.add_argument(
        "--rounds", type=int, default=4_000, help="for each point about tables (4,000)"
    )
    given = parser.parse_args()
    if given.part == "agree":
        return compare_models(given.seeds)
    if given.part == "figures":
        try:
            from scripts.ligretto import figures
        except ImportError:
            parser.error("pictures need matplotlib: pip install -e '.[figures]'")
        figures.draw(given.rounds)
        return 0
    return print_tables(given.rounds, given.only or list(tables.PARTS), write=given.write)


def compare_models(seeds: int) -> int:
    """Print the seeds for which the models differ."""
    found = model_comparison.differing_seeds(range(seeds))
    for seed, model in found:
        print(seed, model)
    print(f"{seeds - len(found):,} of {seeds:,} seeds: the same round")
    return bool(found)


def print_tables(rounds: int, only: list[str], *, write: bool) -> int:
    """Print the tables, and the numbers that differ from the published ones."""
    study = tables.Study(rounds)
    made = {}
    for name, text in tables.all_parts(study, only):
        print(f"\n{name}\n\n{text}", flush=True)
        made[name] = text
    if write:
        tables.PAGE.write_text(tables.insert_tables(tables.PAGE.read_text("utf-8"), made), "utf-8")
    for line in study.wrong:
        print(f"not as published: {line}", file=sys.stderr)
    print(f"{study.compared - len(study.wrong)} of {study.compared} numbers are as published")
    return bool(study.wrong)


if __name__ == "__main__":
    sys.exit(main())
