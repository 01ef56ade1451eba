"""Requests for a simulation: each wrong setting is named with its permitted values; valid ones
round-trip.
"""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.view.text import sanitize
from simulation.models import MachinesModel, TableModel
from simulation.task import KINDS, SimulationTask
from simulation.task.task_parser import as_json, settings_of, task_of, task_of_json, task_of_texts
from tests.support.errors import raises_text

DECK = list(range(40))
TABLE, MACHINES = {"model": "table"}, {"model": "machines"}
WRONG = (
    *[(value, "object") for value in (None, [], 1, "table", True)],
    *[
        ({"model": value}, "`model` must be table or machines")
        for value in (None, 1, "Table", [], {}, "a" * 1000)
    ],
    ({}, "`model` must be table or machines, not null"),
    (TABLE | {"seat": 4}, "no setting `seat` here. There are: decks, seats, row"),
    (TABLE | {"delta": 4}, "no setting `delta` here"),
    (TABLE | {"<img src=x>\x1b": 4}, "`<img src=x>\ufffd`"),
    *[
        (TABLE | {"seats": value}, "`seats` must be a whole number from 2 to 100")
        for value in (1, 101, 4.0, True, "4")
    ],
    *[
        (TABLE | {"row": value}, "`row` must be a whole number from 3 to 5")
        for value in (2, 6, [4])
    ],
    *[
        (TABLE | {"rounds": value}, "`rounds` must be a whole number from 1 to 1,000,000")
        for value in (0, 10**6 + 1)
    ],
    *[
        (TABLE | {"seed": value}, "`seed` must be a whole number from 0 to")
        for value in (-1, 2**53, 1.5)
    ],
    *[
        (TABLE | {"think": value}, "`think` must be a number from 0.001")
        for value in (0, [1, 1, 1, 0], "1", [[1]], False)
    ],
    *[
        (TABLE | {"latency": value}, "`latency` must be a number from 0 to 1,000,000")
        for value in (-0.1, 1e7, [None], {})
    ],
    (TABLE | {"think": [1, 1]}, "`think` needs one value for each of the 4 seats, not 2"),
    (TABLE | {"think": []}, "`think` needs one value for each of the 4 seats, not 0"),
    (TABLE | {"latency": [0] * 5}, "4 seats, not 5"),
    (TABLE | {"ahead": 1}, "`ahead` must be true or false, not 1"),
    (TABLE | {"names": ["a"]}, "`names` needs one value for each of the 4 seats, not 1"),
    (TABLE | {"names": ["a", "b", "c", ""]}, "1 to 24 characters"),
    (TABLE | {"names": ["a", "b", "c", "d" * 25]}, "1 to 24 characters"),
    (MACHINES | {"players": 10_001}, "`players` must be a whole number from 2 to 10,000"),
    (MACHINES | {"look": "yes"}, "`look` must be true or false"),
    (MACHINES | {"spread": 1}, "`spread` must be a number from 0 to 0.999, not 1"),
    (MACHINES | {"delta": float("inf")}, "`delta` must be a number"),
    (MACHINES | {"seats": 4}, "no setting `seats`"),
    *[
        (TABLE | {"decks": value}, "a list for each seat, with 40")
        for value in (1, [1], [DECK, 1], {}, "")
    ],
    *[
        (TABLE | {"decks": value}, "decks for 2 to 100 seats, not for")
        for value in ([], [DECK], [DECK] * 101)
    ],
    (TABLE | {"decks": [DECK] * 3, "seats": 4}, "`seats` is 4, but there are 3 decks"),
    (
        TABLE | {"decks": [DECK, DECK[:39]]},
        "Seat 2: card 39 is missing. The deck has 39 cards instead of 40",
    ),
    (TABLE | {"decks": [[0, *DECK[:39]], DECK]}, "Seat 1: card 0 is in its deck twice"),
    (TABLE | {"decks": [DECK, [*DECK, 5]]}, "Seat 2: card 5 is in its deck twice"),
    (
        TABLE | {"decks": [DECK, [*DECK[:7], 40, *DECK[8:]]]},
        "Seat 2, card 8 of its deck: a card is a number from 0",
    ),
    (TABLE | {"decks": [[True, *DECK[1:]], DECK]}, "Seat 1, card 1 of its deck"),
    (TABLE | {"decks": [["0", *DECK[1:]], DECK]}, "Seat 1, card 1 of its deck"),
)
NO_JSON = (
    b"",
    b"{",
    b"\xff",
    b'{"model":"table","model":"machines"}',
    b"[" * 5000,
    b'{"model":"table","cv":NaN}',
    b"{}x",
)


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_wrong_setting_error_states_permitted_values(wrong, said):
    with pytest.raises(LocalError) as error:
        task_of(wrong)
    assert said in english_text(error.value.phrase)
    assert (
        english_text(error.value.phrase).isprintable()
        and len(english_text(error.value.phrase)) < 400
    )


@pytest.mark.parametrize("data", NO_JSON)
def test_request_of_invalid_json_is_reported(data):
    with raises_text(LocalError, match="not JSON"):
        task_of_json(data)


def test_every_model_setting_can_be_requested():
    for kind, model in KINDS.items():
        assert {field.name for field in settings_of(kind)} - {"rounds", "seed", "names"} == {
            field.name for field in fields(model)
        } - {"decks"}


def test_missing_settings_have_defaults():
    assert task_of(TABLE) == SimulationTask(TableModel()) and task_of(MACHINES) == SimulationTask(
        MachinesModel()
    )
    assert task_of(TABLE | {"seats": 2, "latency": 0.5, "ahead": True}).model == TableModel(
        seats=2, latency=(0.5, 0.5), ahead=(True, True)
    )


def test_number_of_decks_gives_number_of_players():
    backwards = DECK[::-1]
    assert task_of(TABLE | {"decks": [DECK, backwards, DECK]}).model == TableModel(
        seats=3, decks=(tuple(DECK), tuple(backwards), tuple(DECK))
    )
    lines = "# mine\n" + " ".join(map(str, DECK)) + "\n\n" + ", ".join(map(str, backwards)) + "\n"
    assert task_of_texts("machines", {"decks": lines}).model == MachinesModel(
        players=2, decks=(tuple(DECK), tuple(backwards))
    )
    assert task_of_texts("table", {"decks": json.dumps([DECK, DECK]), "seats": ""}).seats == 2


def test_typed_settings_are_parsed():
    given = {
        "seats": " 3 ",
        "think": "1 1; 0.5",
        "latency": ".1",
        "ahead": "no,yes no",
        "names": "Ann, Bob,Zoë",
        "cv": "",
    }
    assert task_of_texts("table", given) == SimulationTask(
        TableModel(seats=3, think=(1.0, 1.0, 0.5), latency=(0.1,) * 3, ahead=(False, True, False)),
        names=("Ann", "Bob", "Zoë"),
    )
    for name, text in (
        ("seats", "four"),
        ("cv", "nan"),
        ("cv", "1_0"),
        ("think", "1 x"),
        ("ahead", "2"),
        ("seats", "9" * 99),
    ):
        with raises_text(LocalError, match=name):
            task_of_texts("table", {name: text})
    with raises_text(LocalError, match="`model` must be table or machines"):
        task_of_texts("", {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMED = st.sampled_from(
    sorted(
        {field.name for kind in ("table", "machines") for field in settings_of(kind)} | {"decks"}
    )
)
LIKELY = (
    st.integers(2, 6)
    | st.floats(0.01, 3)
    | st.booleans()
    | st.lists(st.floats(0.01, 3), min_size=1, max_size=6)
    | JSON
)


@given(st.sampled_from([TABLE, MACHINES]), st.dictionaries(NAMED, LIKELY, max_size=4))
@pytest.mark.slow
def test_random_request_is_task_or_refused_with_message(model, settings):
    try:
        task = task_of(model | settings)
    except LocalError as error:
        assert sanitize(english_text(error.phrase)) == english_text(error.phrase)
        return
    again = json.dumps(as_json(task), allow_nan=False).encode()
    assert task_of_json(again) == task


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
@pytest.mark.slow
def test_random_bytes_are_task_or_refused(data):
    try:
        task_of_json(data)
    except LocalError as error:
        assert sanitize(english_text(error.phrase)) == english_text(error.phrase)


@given(st.dictionaries(NAMED | st.text(max_size=4), st.text(max_size=12), max_size=5))
@pytest.mark.slow
def test_random_texts_are_task_or_refused(fields):
    for kind in ("table", "machines"):
        try:
            assert task_of_texts(kind, fields).kind == kind
        except LocalError as error:
            assert sanitize(english_text(error.phrase)) == english_text(error.phrase)
