"""Sections of `scripts/bench`: the keys of each, and its amount of work in a full and in a quick
run.

A section takes an amount (deals, matches, connections, …) and returns its figures. The keys are
exactly the declared ones, even for a small amount, so two runs can always be compared.
"""

from collections.abc import Callable
from typing import NamedTuple

from scripts.benchmarks import (
    cards,
    connect_four,
    deal,
    dealings,
    duel,
    entries,
    ligretto,
    ligretto_models,
    ligretto_table,
    lines,
    loose_cards,
    machines,
    mail_hand,
    matches,
    memory,
    merging,
    own_decks,
    page,
    poker_hands,
    poker_times,
    relay,
    replay,
    residues,
    rules,
    search,
    shuffle,
    tab,
    unread_seat,
    verified,
    verify,
    witness,
)


class Section(NamedTuple):
    """A section. All together take at most six minutes in full, and about one minute if quick, on
    two idle cores.
    """

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
_OTHER_SIZES = tuple(
    f"{key}_{size}" for size in shuffle.SIZES if size != shuffle.CARDS for key in _SHUFFLE
)
_SHARES = (
    "share_prove_ms",
    "share_prove_floor_ratio",
    "share_verify_ms",
    "share_verify_floor_ratio",
)
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
    "ledger": Section(
        cards.measure,
        full=100_000,
        quick=2_000,
        unit="trades",
        keys=("trade_verify_ms", "trade_verify_floor_ratio", "trade_bytes", "ledger_view_ms"),
    ),
    "deal": Section(
        deal.measure,
        full=3,
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
    "shuffle": Section(
        shuffle.measure, full=11, quick=2, unit="rounds", keys=(*_SHUFFLE, *_SHARES, *_OTHER_SIZES)
    ),
    "residue": Section(
        residues.measure,
        full=3,
        quick=1,
        unit="rounds",
        keys=(
            "residue_prove_s",
            "residue_verify_s",
            "residue_proof_mb",
            "residue_prove_int_s",
            "residue_key_ms",
            "residue_key_prove_ms",
            "residue_key_verify_ms",
            "residue_open_ms",
            "residue_open_verify_ms",
        ),
    ),
    "seeded": Section(
        dealings.measure,
        full=9,
        quick=3,
        unit="deals",
        keys=("seeded_deal_ms", "seeded_draws_ms", "seeded_draws_bytes"),
    ),
    "verified": Section(
        verified.measure,
        full=3,
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
    "two_decks": Section(
        loose_cards.measure,
        full=5,
        quick=1,
        unit="deals",
        keys=("verified_two_decks_cpu_s", "verified_two_decks_bytes"),
    ),
    "ligretto_deal": Section(
        own_decks.measure,
        full=5,
        quick=1,
        unit="deals",
        keys=(
            "ligretto_deal_cpu_s",
            "ligretto_deal_others_cpu_s",
            "ligretto_deal_floor_ratio",
            "ligretto_deal_bytes",
        ),
    ),
    "ligretto_table": Section(
        ligretto_table.measure,
        full=8,
        quick=3,
        unit="seconds",
        keys=(
            "ligretto_lay_p50_ms",
            "ligretto_lay_p99_ms",
            "ligretto_entries_per_s",
            "ligretto_entries_late",
        ),
    ),
    "merge": Section(
        merging.measure,
        full=3,
        quick=1,
        unit="merges",
        keys=("merge_10k_s", "merge_10k_floor_ratio", "merge_equal_bytes", "merge_one_bytes"),
    ),
    "relay": Section(
        relay.measure,
        full=11,
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
        unread_seat.measure,
        full=7,
        quick=1,
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
    "memory": Section(
        memory.measure, full=1000, quick=250, unit="connections", keys=("seat_memory_kb",)
    ),
    "matches": Section(matches.measure, full=8, quick=2, unit="matches", keys=_MATCHES),
    "duel": Section(duel.measure, full=4, quick=1, unit="matches", keys=("duel_match_s",)),
    "verified_matches": Section(
        matches.measure_verified,
        full=6,
        quick=2,
        unit="matches",
        keys=tuple(f"verified_{key}" for key in _MATCHES),
    ),
    "poker_times": Section(
        poker_times.measure,
        full=6,
        quick=1,
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
        full=4,
        quick=1,
        unit="hands",
        keys=tuple(
            f"{name}_{seats}_{key}"
            for name, seats in poker_hands.GAMES
            for key in ("hands", "hands_clean")
        ),
    ),
    "machines": Section(
        machines.measure,
        full=3,
        quick=1,
        unit="rounds",
        keys=("ligretto_nats_attempts_per_s", "bare_nats_requests_per_s", "ligretto_nats_ratio"),
    ),
    "ligretto": Section(
        ligretto.measure,
        full=100,
        quick=20,
        unit="rounds",
        keys=("ligretto_attempts_per_s", "ligretto_attempts_late"),
    ),
    "ligretto_models": Section(
        ligretto_models.measure,
        full=2000,
        quick=200,
        unit="rounds",
        keys=(
            "ligretto_rounds_per_s",
            "ligretto_rounds_per_s_science",
            "ligretto_10k_s",
            "ligretto_10k_kb_each",
        ),
    ),
    "rules": Section(
        rules.measure,
        full=300,
        quick=20,
        unit="actions",
        keys=(
            "rules_action_ms",
            "hostile_rules_ms",
            "hostile_rules_mb",
            "script_choice_ms",
            "costly_choice_ms",
        ),
    ),
    "search": Section(
        search.measure,
        full=300_000,
        quick=60_000,
        unit="nodes",
        keys=("search_nodes_per_s", "mcts_per_s"),
    ),
    "verify": Section(
        verify.measure,
        full=10_000,
        quick=1_000,
        unit="demands",
        keys=(
            "verify_ns_s",
            "verify_nsl_s",
            "verify_suite_s",
            "verify_suite_longest_s",
            "verify_suite_gave_up",
        ),
    ),
    "witness": Section(
        witness.measure, full=2000, quick=100, unit="trades", keys=("witness_per_s",)
    ),
    "replay": Section(
        replay.measure,
        full=5_000,
        quick=1_000,
        unit="entries",
        keys=("replay_open_s", "replay_jump_ms", "replay_page_bytes", "replay_page_log_bytes"),
    ),
    "replay_pieces": Section(
        replay.measure_pieces,
        full=20_000,
        quick=1_000,
        unit="entries",
        keys=(
            "replay_pieces_s",
            "replay_pieces",
            "replay_piece_longest_ms",
            "replay_pieces_jump_ms",
        ),
    ),
    "page": Section(
        page.measure,
        full=150,
        quick=20,
        unit="events",
        keys=(
            "page_command_to_view_ms",
            "page_command_to_match_ms",
            "page_open_to_view_ms",
            "page_event_and_answer_ms",
            "page_event_in_a_row_ms",
            "page_match_entry_ms",
            "page_bytes",
        ),
    ),
    "tab": Section(
        tab.measure,
        full=3,
        quick=1,
        unit="visits",
        keys=(
            "program_command_to_lobby_s",
            "tab_first_visit_to_lobby_s",
            "tab_second_visit_to_lobby_s",
            "tab_renderer_mb",
            "tab_deal_s",
            "native_deal_s",
        ),
    ),
    "connect_four": Section(
        connect_four.measure,
        full=1000,
        quick=40,
        unit="positions of each set",
        keys=(
            "connect_four_nodes_per_s",
            "connect_four_nodes_per_s_science",
            "connect_four_nodes_per_s_bitbully",
            "connect_four_l3r1_nodes",
            "connect_four_l3r1_ms",
            "connect_four_l3r1_ms_bitbully",
            "connect_four_l2r1_ms",
            "connect_four_12_stones_ms_science",
            "connect_four_12_stones_ms_bitbully",
        ),
    ),
    "lines": Section(lines.measure, 5, 1, "switches of a line", ("line_switch_s", "line_return_s")),
    "letters": Section(
        lambda _: mail_hand.measure(),  # only counts, which are the same every time
        full=1,
        quick=1,
        unit="hands",
        keys=tuple(
            key.format(dealing) for dealing in ("commutative", "verified") for key in _LETTERS
        ),
    ),
}

# Sections whose figures are counts, or nearly all CPU seconds of one process. A quick run measures
# two of them at a time, the longest first.
BESIDE = (
    "residue",
    "merge",
    "ligretto_models",
    "poker_hands",
    "matches",
    "rules",
    "verified_matches",
    "lines",
    "letters",
    "shuffle",
    "replay",
    "ligretto_deal",
    "verify",
    "replay_pieces",
    "connect_four",
    "ledger",
    "search",
    "ligretto",
    "two_decks",
    "seeded",
)


def measure(name: str, quick: bool) -> dict[str, float]:
    """Return the figures of a section. Raises: RuntimeError if their keys are not the declared
    ones.
    """
    section = SECTIONS[name]
    found = section.measure(section.quick if quick else section.full)
    if set(found) != set(section.keys):
        raise RuntimeError(
            f"{name} does not give the keys that it declares: "
            f"{sorted(set(found) ^ set(section.keys))}"
        )
    return found
