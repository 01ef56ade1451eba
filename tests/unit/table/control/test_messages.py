"""Messages of a host's command: they come back, and nothing else is read."""

import pytest

from protocol import wire
from protocol.errors import RemoteError
from protocol.limits import MAX_CONTROL_FRAME, MAX_NAME, MAX_SEATS
from protocol.view.phrase import phrase
from table.control.messages import (
    BanRow,
    ConnectionRow,
    Done,
    Failed,
    HeadRow,
    HostRow,
    MatchRow,
    PrunedKind,
    PrunedThing,
    Request,
    TableRow,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)

LONG_HOST = ".".join(["relay"] * 42)  # 251 characters; a host name has at most 253
NAME = "\U0001f3b2" * MAX_NAME
ANSWERS = [
    HeadRow("0.1.0", NAME, "fairdeal://127.0.0.1:7500/abcd", 1, True, "10.0.0.2:7510", None),
    HeadRow("0.1.0", "", "", 0, False, "", 3),
    HeadRow("0.1.0", "", "", 0, False, f"{LONG_HOST}:7510", 3),
    TableRow("main", "nim", 2, "", [], ""),
    TableRow("table-1", "nim", MAX_SEATS, "abcd-efgh", [NAME] * MAX_SEATS, "0" * 8),
    MatchRow("0" * 8, "main", "nim", 1, 2, [[NAME, "abcd", True, False]] * MAX_SEATS, 3, 9),
    ConnectionRow("", "", "None", "greeting", "", 0, 0, 0, 0, 0, False),
    ConnectionRow("abcd", NAME, "2001:db8::/64", "seated", "0" * 8, 1, 2, 3, 4, 5, True),
    ConnectionRow(
        "abcd", "", f"2001:db8:1111:2222::/64@{LONG_HOST}", "lobby", "", 1, 2, 3, 4, 5, False
    ),
    BanRow("192.0.2.7", 0),
    BanRow("abcd", 7, NAME),
    HostRow("north", 7),
    PrunedKind("finished", 1, 4096, 2, 8192),
    PrunedThing("stopped", "ab" * 32, 9, 1),
    Done(3),
    Failed(phrase("wrong.control.runs", table="main")),
    Failed(phrase("wrong.control.bans", most=9)),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_answer_comes_back_within_a_frame(answer):
    (payload,) = wire.FrameDecoder(MAX_CONTROL_FRAME).feed(encode_answer(answer))
    assert decode_answer(payload) == answer


@pytest.mark.parametrize(
    "request_",
    [
        Request("status", []),
        Request("ban", ["192.0.2.7", 60]),
        Request("remove", ["", False]),
        Request("remove", ["ab" * 32, True]),  # a whole match id
        Request("say", ["Hi"]),
        Request("prune", [None, 4096, ["finished"], True]),
        Request("backup", ["/backups/table"]),
    ],
)
def test_request_comes_back(request_):
    (payload,) = wire.FrameDecoder(MAX_CONTROL_FRAME).feed(encode_request(request_))
    assert decode_request(payload) == request_


@pytest.mark.parametrize(
    "value",
    [
        [],
        "status",
        [2, "status", []],
        [1, "status", [1]],
        [1, "shut", []],
        [1, "ban", ["a" * 65, 0]],
        [1, "ban", ["a", "0"]],
        [1, "remove", ["main", 1]],
        [1, "remove", ["a" * 1025, True]],
        [1, "say", ["x" * 201]],
        [1, "say", [""]],
    ],
)
def test_anything_else_is_no_request(value):
    with pytest.raises(RemoteError):
        decode_request(wire.encode(value))


@pytest.mark.parametrize(
    "value", [[], ["row", "seat", []], ["row", "ban", ["x"]], ["done"], ["failed", "k", [["a"]]]]
)
def test_anything_else_is_no_answer(value):
    with pytest.raises(RemoteError):
        decode_answer(wire.encode(value))
