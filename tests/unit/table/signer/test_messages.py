"""Messages between host and signer round-trip, and each side refuses all others."""

import pytest

from protocol import wire
from protocol.errors import RemoteError
from table.signer.messages import (
    SignAnswer,
    SignQuestion,
    decode_answer,
    decode_hello,
    decode_question,
    encode_answer,
    encode_hello,
    encode_question,
)
from table.signer.requests import (
    DIRECTORY,
    HEAD,
    OUTCOMES,
    RELAY,
    REPORT,
    SEALING,
    SESSION,
    SHAPES,
    TICKETS,
    Request,
    claim,
    entry,
    head,
    refusal,
)
from table.signer.signer import Denied
from tests.properties.fuzz.signers import REFUSAL

MATCH = b"m" * 32
REQUESTS = [
    head(MATCH, 3, b"h" * 32),
    entry(MATCH, b"content"),
    refusal(MATCH, REFUSAL),
    claim(MATCH, b"c" * 16),
    Request(SESSION, (b"s" * 32, b"h" * 64)),
    Request(SEALING, ()),
    Request(TICKETS, ()),
    Request(OUTCOMES, ()),
    Request(RELAY, (b"c" * 32, "wss://relay.example.org")),
    Request(REPORT, (b"report",)),
    Request(DIRECTORY, (b"n" * 32, b"k" * 32, b"report")),
]


def body(frame):
    return frame[4:]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.purpose)
def test_signer_request_round_trips(request_):
    assert decode_question(body(encode_question(SignQuestion(7, request_)))) == SignQuestion(
        7, request_
    )


def test_requests_cover_every_purpose():
    assert {one.purpose for one in REQUESTS} == set(SHAPES)


@pytest.mark.parametrize("said", [b"s" * 64, *Denied])
def test_signer_answer_round_trips(said):
    assert decode_answer(body(encode_answer(SignAnswer(7, said)))) == SignAnswer(7, said)
    assert decode_hello(body(encode_hello(b"k" * 32))) == b"k" * 32


@pytest.mark.parametrize(
    "value",
    [
        [0, "session player", [b"s" * 32, b"h" * 64]],  # a table's key never plays
        [0, "ledger", [b"content"]],
        [0, HEAD, [MATCH, 3]],
        [0, HEAD, [MATCH, 3, b"h" * 31]],
        [0, SESSION, [b"s" * 32, b"h" * 32]],
        [0, SEALING, [b""]],
        [HEAD, 0, []],
        [0, HEAD],
        None,
    ],
)
def test_invalid_request_is_refused(value):
    with pytest.raises(RemoteError):
        decode_question(wire.encode(value))


@pytest.mark.parametrize("value", [[0, "no reason"], [0, None], [0, b""], [b"", b"s"], [0]])
def test_invalid_answer_is_refused(value):
    with pytest.raises(RemoteError):
        decode_answer(wire.encode(value))


@pytest.mark.parametrize(
    "value", [["fairdeal signer", 1, b"k" * 32], ["other", 2, b"k" * 32], ["fairdeal signer", 2], 3]
)
def test_greeting_of_other_program_is_refused(value):
    with pytest.raises(RemoteError):
        decode_hello(wire.encode(value))
