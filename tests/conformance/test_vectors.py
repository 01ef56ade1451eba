"""Test vectors in tests/vectors/fairdeal: the files have not changed by accident, and the code
agrees with them.
"""

import json
import re

import pytest

from protocol.codes import Code
from protocol.dealing.registry import DEALINGS
from tests.vectors.make.files import FILES, OPERATIONS, texts
from tests.vectors.make.forms import (
    FOLDER,
    Bad,
    Vector,
    changed,
    from_json,
    record,
    refusal,
    to_json,
)

RENEW = "run scripts/vectors and read what changes"
STORED = {name: json.loads((FOLDER / name).read_text())["vectors"] for name in FILES}
VECTORS = [
    (f"{name}:{number}", vector)
    for name, made in STORED.items()
    for number, vector in enumerate(made)
]
MOST_BYTES = 3_200_000  # size of all files, small enough for a network and an editor


@pytest.mark.slow
def test_vector_files_follow_from_fixed_seeds():
    made = texts()
    assert {path.name for path in FOLDER.iterdir()} == set(made)
    for name, text in made.items():
        assert (FOLDER / name).read_text() == text, f"{name}: {RENEW}"
    assert sum(map(len, made.values())) < MOST_BYTES


@pytest.mark.slow
@pytest.mark.parametrize(
    "vector", [vector for _, vector in VECTORS], ids=[name for name, _ in VECTORS]
)
def test_code_gives_vector_output_and_refuses_bad_inputs(vector):
    operation, given = OPERATIONS[vector["operation"]], from_json(vector["input"])
    assert to_json(operation(**given)) == vector["output"]
    for bad in vector["bad"]:
        assert refusal(operation, changed(given, from_json(bad["change"]))) == bad["code"], bad[
            "fault"
        ]


def test_every_operation_is_used_and_all_codes_exist():
    assert {vector["operation"] for _, vector in VECTORS} == set(OPERATIONS)
    codes = {bad["code"] for _, vector in VECTORS for bad in vector["bad"]} - {None}
    assert codes <= set(map(str, Code))


def test_every_section_that_is_cited_exists():
    chapters = "".join(
        path.read_text() for path in (FOLDER.parents[2] / "docs" / "protocol").glob("*.md")
    )
    headings = set(re.findall(r"^## (\d+\.\d+) ", chapters, re.MULTILINE))
    assert {vector["section"] for _, vector in VECTORS} <= headings


def test_vectors_accept_and_refuse_every_kind_of_entry():
    for file, dealing in (
        ("layered.json", "layered"),
        ("verified.json", "verified"),
        ("commutative.json", "commutative"),
        ("seeded.json", "seeded"),
    ):
        deals = [vector for vector in STORED[file] if vector["operation"].startswith("fold ")]
        kinds = {step[1] for vector in deals for step in vector["input"]["steps"]}
        assert DEALINGS[dealing].entry_shapes.keys() <= kinds
        spoilt = {
            vector["input"]["steps"][int(path.split("/")[1])][1]
            for vector in deals
            for bad in vector["bad"]
            for path in bad["change"]
        }
        assert DEALINGS[dealing].entry_shapes.keys() <= spoilt


def test_a_bad_input_that_is_accepted_is_noticed():
    """A test of the check itself."""
    accepting = {"take": lambda number: {"number": number}}
    vector = Vector(
        "1.1", "any number", "take", {"number": 1}, (Bad("another", {"number": 2}, "bad_entry"),)
    )
    assert record(vector._replace(bad=()), accepting)["output"] == {"number": 1}
    with pytest.raises(AssertionError, match="accepted"):
        record(vector, accepting)


def test_bytes_and_text_are_never_confused_in_json():
    assert from_json(to_json({"a": [b"\1", "x", 2**63 - 1, None, True]})) == {
        "a": [b"\1", "x", 2**63 - 1, None, True]
    }
    with pytest.raises(ValueError, match="bytes"):
        to_json("0xfeed")
