"""A relay that sends guests and does not read what the table answers."""

import asyncio

from protocol.limits import MAX_RELAY_UNREAD, RELAY_TOKEN, RELAYED_MESSAGES
from protocol.messages.relay import TurnAway
from table.net.relays.relays import _Control
from table.net.token_bucket import TokenBucket


class DeafTransport(asyncio.Transport):
    """A transport whose peer never reads."""

    def __init__(self) -> None:
        super().__init__()
        self.queued = 0
        self.aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.aborted
        self.queued += len(data)

    def get_write_buffer_size(self) -> int:
        return self.queued

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted


async def test_relay_that_never_reads_is_dropped_within_the_bound():
    control = _Control(lambda message: None, TokenBucket(RELAYED_MESSAGES))
    transport = DeafTransport()
    control.connection_made(transport)
    answer = TurnAway(bytes(RELAY_TOKEN))
    for _ in range(RELAYED_MESSAGES[0]):  # a burst of guests does no harm
        control.say(answer)
    assert not transport.aborted
    for _ in range(MAX_RELAY_UNREAD):
        control.say(answer)
    assert transport.aborted and transport.queued < MAX_RELAY_UNREAD + 100
