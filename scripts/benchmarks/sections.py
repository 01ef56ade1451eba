"""What `scripts/bench` measures: each section with its keys, and how much of it a full and a quick run do.

A section takes how much to do (deals, matches, connections, ...) and gives its figures under exactly the keys that are
declared here, however little it does: what compares two runs, or a full with a quick one, may count on them.
"""

from collections.abc import Callable
from typing import NamedTuple

from scripts.benchmarks import (
    deaf,
    deal,
    entries,
    letters,
    matches,
    memory,
    page,
    poker_hands,
    poker_times,
    relay,
    replay,
    shuffle,
    verified,
)


class Section(NamedTuple):
    """One section: all of them together take at most six minutes in full, and one if quick, on two idle cores."""

    measure: Callable[[int], dict[str, float]]
    full: int
    quick: int
    unit: str
    keys: tuple[str, ...]


_SHUFFLE = (
    "shuffle_reencrypt_ms",
    "shuffle_reencrypt_floor_ratio",
    "shuffle_prove_ms",
    "shuffle_prove_floor_ratio",
    "shuffle_verify_ms",
    "shuffle_verify_floor_ratio",
    "shuffle_proof_bytes",
)
_OTHER_SIZES = tuple(f"{key}_{size}" for size in shuffle.SIZES if size != shuffle.CARDS for key in _SHUFFLE)
_SHARES = ("share_prove_ms", "share_prove_floor_ratio", "share_verify_ms", "share_verify_floor_ratio")
_ENTRIES = (
    "entries_per_s_{}",
    "entries_per_s_{}_without_sync",
    "entries_durable_to_not_{}",
    "entries_a_commit_{}",
    "entry_verify_us_{}",
    "entry_chain_us_{}",
    "entry_sign_us_{}",
    "entry_fold_us_{}",
    "entry_disk_us_{}",
    "entry_all_us_{}",
)
_MATCHES = ("matches_clean_of_100", "leaked_tasks", "leaked_descriptors")
_LETTERS = (
    "letter_{}_letters",
    "letter_{}_mail_bytes",
    "letter_{}_largest_mail",
    "letter_{}_parcel_bytes",
    "letter_{}_entries",
    "letter_{}_multiplications",
    "letter_{}_multiplications_anew",
)

SECTIONS: dict[str, Section] = {
    "deal": Section(
        deal.measure,
        full=5,
        quick=1,
        unit="deals",
        keys=(
            "layered_deal_s",
            "layered_deal_s_worst",
            "layered_deal_frames",
            "layered_deal_frames_worst",
            "layered_deal_bytes",
        ),
    ),
    "shuffle": Section(shuffle.measure, full=15, quick=3, unit="rounds", keys=(*_SHUFFLE, *_SHARES, *_OTHER_SIZES)),
    "verified": Section(
        verified.measure,
        full=5,
        quick=1,
        unit="deals",
        keys=(
            "verified_deal_cpu_s",
            "verified_deal_others_cpu_s",
            "verified_deal_with_table_cpu_s",
            "verified_deal_bytes",
            "verified_deal_s",
            "verified_deal_s_worst",
        ),
    ),
    "relay": Section(
        relay.measure,
        full=5,
        quick=1,
        unit="rounds",
        keys=(
            "relay_ratio",
            "relay_ratio_to_batching",
            "relay_frames_per_s",
            "bare_relay_frames_per_s",
            "batching_relay_frames_per_s",
        ),
    ),
    "deaf": Section(
        deaf.measure,
        full=12,
        quick=2,
        unit="pairs of matches",
        keys=("quiet_entry_p99_s", "deaf_entry_p99_s", "deaf_to_quiet_p99", "deaf_to_quiet_p50"),
    ),
    "entries": Section(
        entries.measure,
        full=32,
        quick=8,
        unit="matches",
        keys=tuple(key.format(number) for number in ("one", "many") for key in _ENTRIES),
    ),
    "memory": Section(memory.measure, full=1000, quick=250, unit="connections", keys=("seat_memory_kb",)),
    "matches": Section(matches.measure, full=20, quick=2, unit="matches", keys=_MATCHES),
    "verified_matches": Section(
        matches.measure_verified, full=10, quick=2, unit="matches", keys=tuple(f"verified_{key}" for key in _MATCHES)
    ),
    "poker_times": Section(
        poker_times.measure,
        full=12,
        quick=2,
        unit="deals",
        keys=(
            "holdem_deal_s",
            "holdem_flop_s",
            "holdem_turn_s",
            "holdem_river_s",
            "holdem_deal_s_worst",
            "holdem_deals",
        ),
    ),
    "poker_hands": Section(
        poker_hands.measure,
        full=20,
        quick=2,
        unit="hands",
        keys=tuple(f"{name}_{seats}_{key}" for name, seats in poker_hands.GAMES for key in ("hands", "hands_clean")),
    ),
    "replay": Section(
        replay.measure,
        full=3,
        quick=1,
        unit="times",
        keys=("replay_open_s", "replay_jump_ms", "replay_page_bytes", "replay_page_log_bytes"),
    ),
    "page": Section(
        page.measure,
        full=300,
        quick=50,
        unit="events",
        keys=(
            "page_command_to_view_ms",
            "page_open_to_view_ms",
            "page_event_and_answer_ms",
            "page_match_entry_ms",
            "page_bytes",
        ),
    ),
    "letters": Section(
        lambda _: letters.measure(),  # counts, the same every time
        full=1,
        quick=1,
        unit="hands",
        keys=tuple(key.format(dealing) for dealing in ("commutative", "verified") for key in _LETTERS),
    ),
}


def measure(name: str, quick: bool) -> dict[str, float]:
    """A section's figures; `RuntimeError` if their keys are not those that it declares."""
    section = SECTIONS[name]
    found = section.measure(section.quick if quick else section.full)
    if set(found) != set(section.keys):
        raise RuntimeError(f"{name} does not give the keys that it declares: {sorted(set(found) ^ set(section.keys))}")
    return found
