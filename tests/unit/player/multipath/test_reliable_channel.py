"""Payloads that must arrive once each and in order, whatever happens to the lines."""

from random import Random

import pytest

from player.multipath.reliable_channel import ReliableChannel
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_LINE_PART, MAX_MESSAGE, MAX_UNHEARD
from protocol.messages.lines import DataMessage, HeardMessage, encode_line


class Two:
    """Two sides, and the data in transit between them."""

    def __init__(self) -> None:
        self.came: tuple[list[bytes], list[bytes]] = ([], [])
        self.sides = tuple(ReliableChannel(came.append) for came in self.came)
        self.under_way: tuple[list[bytes], list[bytes]] = ([], [])  # data in transit to each side

    def attach(self) -> None:
        """Attach a new line: data in transit on the old one is lost, or arrives nevertheless."""
        for at, side in enumerate(self.sides):
            side.attach(self.under_way[1 - at].append, bytes(32))

    def deliver(self, at: int) -> None:
        if self.under_way[at]:
            self.sides[at].received(self.under_way[at].pop(0))

    def settle(self) -> None:
        while any(self.under_way):
            for at in (0, 1):
                self.deliver(at)


@pytest.mark.parametrize("seed", range(20))
def test_every_payload_arrives_once_and_in_order(seed):
    rng, two = Random(seed), Two()
    sent: tuple[list[bytes], list[bytes]] = ([], [])
    two.attach()
    for number in range(60):
        at = rng.randrange(2)
        payload = b"%d %d" % (at, number)
        two.sides[at].send(payload)
        sent[at].append(payload)
        for _ in range(rng.randrange(3)):
            two.deliver(rng.randrange(2))
        if rng.random() < 0.2:  # cut: all data in transit is lost
            for inbox in two.under_way:
                inbox.clear()
            two.attach()
        elif rng.random() < 0.2:  # a second line: the data of the first one arrives, too
            two.attach()
    two.settle()
    assert two.came == (sent[1], sent[0])
    assert not any(side.unheard for side in two.sides)


def test_payload_queued_without_a_line_goes_out_first():
    two = Two()
    two.sides[0].send(b"early")
    two.attach()
    two.settle()
    assert two.came == ([], [b"early"])


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (DataMessage(2, 0, False, b"x"), Code.GAP),
        (DataMessage(1, 1, False, b"x"), Code.BAD_MESSAGE),
        (HeardMessage(1), Code.BAD_MESSAGE),
    ],
)
def test_impossible_payload_number_is_refused(message, code):
    side = ReliableChannel(lambda _: None)
    with pytest.raises(RemoteError) as caught:
        side.received(encode_line(message))
    assert caught.value.code is code


def test_payload_of_message_size_is_split_and_joined():
    two = Two()
    two.attach()
    sent = [
        bytes([number]) * size
        for number, size in enumerate((MAX_MESSAGE, MAX_LINE_PART, 0, MAX_LINE_PART + 1))
    ]
    for payload in sent:
        two.sides[0].send(payload)
    two.deliver(1)
    for inbox in two.under_way:
        inbox.clear()
    two.attach()
    two.settle()
    assert two.came == ([], sent)


@pytest.mark.parametrize("part", [bytes(MAX_LINE_PART), b""])
def test_endless_payload_parts_are_refused(part):
    side = ReliableChannel(lambda _: None)
    side.received(encode_line(DataMessage(1, 0, True, bytes(MAX_LINE_PART))))
    with pytest.raises(RemoteError) as caught:
        side.received(encode_line(DataMessage(2, 0, True, part)))
    assert caught.value.code is Code.BAD_MESSAGE


def test_unknown_numbered_message_is_refused():
    with pytest.raises(RemoteError):
        ReliableChannel(lambda _: None).received(b"\x91\xa4what")


def test_unconfirmed_payloads_are_bounded():
    side = ReliableChannel(lambda _: None)
    with pytest.raises(LocalError):
        side.send(bytes(MAX_MESSAGE + 1))
    payload = bytes(MAX_MESSAGE)
    for _ in range(MAX_UNHEARD // len(payload)):
        side.send(payload)
    with pytest.raises(RemoteError) as caught:
        side.send(payload)
    assert caught.value.code is Code.TOO_SLOW
