"""Damaged bytes for every decoder and every transition of the fold: accepted, or refused with the
decoder's own error.
"""

import ast
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from random import Random
from secrets import randbits

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol import wire
from protocol.dealing.commutative.stages import CommutativeStage as Commutative
from protocol.dealing.layered.stages import LayeredStage as Layered
from protocol.dealing.verified.stages import VerifiedStage as Verified
from protocol.errors import FairdealError
from protocol.match.fold import MATCH_ENTRY_SHAPES
from protocol.match.state import MatchStage
from tests.properties.fuzz import moments
from tests.properties.fuzz.damage import damaged, restructured
from tests.properties.fuzz.targets import NOT_DECODERS, TARGETS
from tests.support.docs import ROOT

pytestmark = pytest.mark.slow

PURE_PACKAGES = ("protocol", "search", "verification")
DECODER = re.compile(
    r"(decode|parse|read|split|open|unseal|feed|receive|hear|apply_operations?)(_|$)"
)


@pytest.mark.parametrize("name", TARGETS)
def test_damage_is_noticed_or_harmless(name):
    """Each run makes other damage: the error shows the bytes of an unnoticed one."""
    target = TARGETS[name]
    seeds, rng = target.seeds(), Random(randbits(64))
    for _ in range(target.examples):
        for raw in inputs(rng.choice(seeds), target.prefix, rng):
            try:
                target.run(raw)
            except target.errors:
                continue
            except BaseException as error:
                error.add_note(f"input: {raw.hex()}")
                raise


def inputs(seed: bytes, prefix: int | None, rng: Random) -> Iterator[bytes]:
    """Yield one input of each kind: damaged anywhere, and at a place of the encoded value, if there
    is one.
    """
    yield damaged(seed, rng)
    if prefix is not None:
        yield restructured(seed, prefix, rng)


@pytest.mark.parametrize("name", TARGETS)
def test_random_bytes_are_noticed_or_harmless(name):
    target = TARGETS[name]

    @settings(max_examples=target.examples // 2, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=200))
    def check(drawn):
        with suppress(target.errors):
            target.run(drawn)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_undamaged_are_accepted(name):
    """Otherwise the damage would be done to invalid bytes."""
    target = TARGETS[name]
    taken = 0
    for seed in target.seeds():
        try:
            target.run(seed)
            taken += 1
        except target.errors:
            continue
    assert taken


def test_every_decoder_is_a_target():
    found = set()
    for path in (path for package in PURE_PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts).removeprefix("protocol.").removesuffix(".__init__")
        for node in ast.parse(path.read_text()).body:
            inside = (
                [(f"{node.name}.", item) for item in node.body]
                if isinstance(node, ast.ClassDef)
                else [("", node)]
            )
            for owner, item in inside:
                if isinstance(item, ast.FunctionDef) and DECODER.match(item.name):
                    found.add(f"{module}.{owner}{item.name}")
    listed = {name for target in TARGETS.values() for name in target.covers}
    # The methods of games and dealings are covered by the interface's own name.
    inherited = {
        name
        for name in found
        if re.search(r"\.[A-Z]\w+\.(parse|apply_operation)$", name) and name.count(".") > 2
    }
    assert found - inherited - listed - set(NOT_DECODERS) == set()
    assert listed | set(NOT_DECODERS) <= found, "a name that is no longer there"


def test_moments_cover_every_stage_and_kind():
    missing = {
        str(stage) for stages in (MatchStage, Layered, Verified, Commutative) for stage in stages
    } - moments.stages_met()
    assert missing == {"over", "closed"}  # no entry may follow
    met = {moment.entry.kind for moment in moments.moments()}
    kinds = set(MATCH_ENTRY_SHAPES) | {
        kind for moment in moments.moments() for kind in moment.match.setup.dealing.entry_shapes
    }
    assert kinds - met <= moments.ANY_TIME
    assert {"move", "warning", "lapse", "stand_in"} <= met


def test_fold_changes_no_state_in_place():
    before = deepcopy([moment.match.deal for moment in moments.moments()])
    rng = Random(1)
    for seed in moments.seeds():
        for raw in (seed, restructured(seed, moments.PREFIX, rng)):
            try:
                moments.fold(raw)
            except FairdealError:
                continue
    assert before == [moment.match.deal for moment in moments.moments()]


@given(st.binary(max_size=4000))
@settings(max_examples=200, deadline=None)
def test_memory_stays_within_a_multiple_of_the_input(data):
    data = b"\xdd\xff\xff\xff\xff" + data
    tracemalloc.start()
    try:
        with pytest.raises(FairdealError):
            wire.decode(data)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(data) + 50_000
    finally:
        tracemalloc.stop()
