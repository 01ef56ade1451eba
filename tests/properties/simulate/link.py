"""Lines between simulated processes that lose, repeat, reorder, change, delay and cut data.

A `Network` replaces the operating system's: a `Listener` and `connect` give the transports that
asyncio's protocols expect. The network's own callbacks run in a context without an owner, so that
sent data stays in transit when its process dies.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from contextvars import Context
from hashlib import sha256
from random import Random
from typing import Any

from tests.properties.simulate.loop import Process, VirtualLoop, owner
from tests.properties.simulate.weather import CALM, Weather

LATENCY = (0.002, 0.08)  # seconds, one way
TICK = 1e-6  # seconds between two arrivals on a line: timers of the same moment go off in any order
UNANSWERED = 30.0  # seconds; longer than any program waits
FIN, RESET = b"FIN", b"RST"  # markers in a pipe, distinguished from data by identity


class Network:
    """All lines of one world. `trace` is a digest of everything that crossed them, `happened`
    counts the faults.
    """

    def __init__(self, loop: VirtualLoop, rng: Random) -> None:
        self.loop, self.rng = loop, rng
        self.weather: Weather = CALM
        self.happened: Counter[str] = Counter()
        # by name of a process: time of the last fault of it or of its line
        self.troubles: dict[str, float] = {}
        self.trace = sha256()
        self.lines = 0
        self.context = Context()
        self.listeners: dict[int, Listener] = {}
        self.mute: set[str] = set()  # names of processes whose traffic reaches nobody
        self.deaf: set[str] = set()  # names of processes that no traffic reaches

    async def connect(self, factory: Callable[[], Any], port: int) -> tuple["End", Any]:
        """Open a connection, as `loop.create_connection` does. Raises: ConnectionRefusedError."""
        process = owner()
        assert process is not None
        latency = self.rng.uniform(*LATENCY)
        await asyncio.sleep(latency)
        listener = self.listeners.get(port)
        unheard = listener is not None and self.severed(process, listener.process, both=True)
        if unheard or self.strikes("ignore", process):
            await asyncio.sleep(UNANSWERED)
            listener = self.listeners.get(port)
        if listener is None or self.strikes("refuse", process):
            raise ConnectionRefusedError(111, "Connection refused")
        answer = listener.admits((process.address, 1))
        if isinstance(answer, bytes):
            raise ConnectionRefusedError(111, "Connection refused")
        self.lines += 1
        near, far = End(self, process, latency), End(self, listener.process, latency)
        near.peer, far.peer = far, near
        near.label, far.label = b"%d>" % self.lines, b"%d<" % self.lines
        self.soon(far.made, answer or listener.factory, process=listener.process)
        near.made(factory)
        return near, near.protocol

    def strikes(self, kind: str, *processes: Process) -> bool:
        """Decide whether this fault happens now to these processes, and count it."""
        chance = getattr(self.weather, kind)
        if not chance or self.rng.random() >= chance:
            return False
        self.happened[kind] += 1
        self.troubles.update((process.name, self.loop.time()) for process in processes)
        return True

    def severed(self, sender: Process, receiver: Process, both: bool = False) -> bool:
        """Return whether no traffic gets from one to the other now; with `both`, or back."""
        there = sender.name in self.mute or receiver.name in self.deaf
        return there or (both and self.severed(receiver, sender))

    def soon(
        self, callback: Callable[..., None], *args: Any, process: Process | None = None
    ) -> None:
        """Call in this turn of the loop, as the network or as a process."""
        self.loop.call_soon(callback, *args, context=process.context if process else self.context)

    def later(
        self,
        seconds: float,
        callback: Callable[..., None],
        *args: Any,
        process: Process | None = None,
    ) -> None:
        """Call after a time, as the network or as a process."""
        context = process.context if process else self.context
        self.loop.call_at(self.loop.time() + seconds, callback, *args, context=context)


class Listener:
    """Counterpart of `net.listener.Listener`; stays until closed, or until the process dies."""

    def __init__(
        self,
        network: Network,
        host: str,
        port: int,
        admits: Callable[[object], bytes | Callable[[], Any] | None],
        factory: Callable[[], Any],
    ) -> None:
        """Raises: OSError if another process listens there."""
        process = owner()
        assert process is not None
        if port in network.listeners:
            raise OSError(98, "Address already in use")
        self.network, self.process, self.host, self.port = network, process, host, port
        self.admits, self.factory, self.open = admits, factory, True
        network.listeners[port] = self
        process.on_death[self.close] = None

    def close(self) -> None:
        """Accept no more connections."""
        if self.open:
            self.open = False
            del self.network.listeners[self.port]
        self.process.on_death.pop(self.close, None)


class End(asyncio.Transport):
    """One end of a line."""

    peer: "End"
    label: bytes

    def __init__(self, network: Network, process: Process, latency: float) -> None:
        super().__init__()
        self.network, self.process, self.latency = network, process, latency
        self.protocol: Any = None
        self.broken = False  # nothing gets from here to the peer any more
        self._written: list[bytes] = []  # bytes written in this turn of the loop
        self._flight = 0  # bytes written that the peer has not received
        self._high, self._held_up = 1 << 16, False
        self._arrives = 0.0  # time at which the newest segment arrives
        self._late: bytes | None = None  # a segment that the next one overtakes
        self._inbox: deque[bytes] = deque()  # data that arrived while reading was paused
        self._paused = self._closing = self._lost = self._ended = False

    # --- for the protocol ---

    def made(self, factory: Callable[[], Any]) -> None:
        """Report the connection to its protocol."""
        self.process.on_death[self.vanish] = None
        self.protocol = factory()
        self.protocol.connection_made(self)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": (self.peer.process.address, 1), "socket": self}.get(name, default)

    def setsockopt(self, *option: int) -> None:
        """Options of a socket change nothing here."""

    def is_closing(self) -> bool:
        return self._closing

    def write(self, data: Any) -> None:
        """Write bytes; they are sent at the end of this turn."""
        if self._closing or self._ended or not data:
            return
        self._send(bytes(data))
        self._flight += len(data)
        if self._flight > self._high and not self._held_up:
            self._held_up = True
            self.protocol.pause_writing()

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        """Send nothing more after the written data."""
        if not self._ended:
            self._ended = True
            self._send(FIN)

    def close(self) -> None:
        """Close after the written data."""
        if not self._closing:
            self.write_eof()
            self.lose(None)

    def abort(self) -> None:
        """Close at once."""
        if not self._closing:
            self._send(RESET)
            self.lose(None)

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            self.network.soon(self._read, process=self.process)

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the peer has not received."""
        return self._flight

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._high = (1 << 16) if high is None else high

    # --- end of a connection ---

    def lose(self, error: Exception | None) -> None:
        """Report the loss of the connection to this end."""
        if not self._lost:
            self._closing = self._lost = True
            self.process.on_death.pop(self.vanish, None)
            self.network.soon(self.protocol.connection_lost, error, process=self.process)

    def vanish(self) -> None:
        """Handle the death of the process. The other side learns at once, or much later if the
        whole machine died.
        """
        network = self.network
        self._closing = self._lost = True
        wait = (
            network.rng.uniform(0, 0.1)
            if network.rng.random() < 0.7
            else network.rng.uniform(1, 20)
        )
        network.later(wait, self.peer.lose, ConnectionResetError(), process=self.peer.process)

    def cut(self) -> None:
        """Break the line: no traffic gets through either way, and each side notices at its own
        time.
        """
        for end in (self, self.peer):
            end.broken = True
            wait = self.network.rng.choice((0, 0.2, 3, 15)) * self.network.rng.random()
            self.network.later(wait, end.lose, ConnectionResetError(), process=end.process)

    # --- in transit: as the network ---

    def _send(self, data: bytes) -> None:
        if not self._written:
            self.network.soon(self._transmit)
        self._written.append(data)

    def _transmit(self) -> None:
        """Send the data of one turn as one piece or two; markers separately."""
        written, self._written = self._written, []
        data = b"".join(part for part in written if part is not FIN and part is not RESET)
        if data:
            at = self.network.rng.randrange(len(data)) if self.network.strikes("split") else 0
            for part in (data[:at], data[at:]):
                if part:
                    self._segment(part)
        for marker in written:
            if marker is FIN or marker is RESET:
                self._carry(marker)

    def _segment(self, data: bytes) -> None:
        """Send one segment, unless a fault happens to it."""
        network, both = self.network, (self.process, self.peer.process)
        if network.severed(*both):
            network.later(network.rng.uniform(0.5, 8), self.cut)
        elif network.strikes("cut", *both):
            self.cut()
        elif network.strikes("drop", *both):
            network.later(network.rng.uniform(0.5, 8), self.cut)
        elif network.strikes("reorder", *both) and self._late is None:
            self._late = data
            network.later(network.rng.uniform(0.2, 2), self._catch_up)
        elif network.strikes("flip", *both):
            at = network.rng.randrange(len(data))
            self._carry(
                data[:at] + bytes([data[at] ^ 1 << network.rng.randrange(8)]) + data[at + 1 :]
            )
        else:
            self._carry(data)
            if network.strikes("duplicate", *both):
                self._carry(data)
            self._catch_up()

    def _catch_up(self) -> None:
        if self._late is not None:
            late, self._late = self._late, None
            self._carry(late)

    def _carry(self, data: bytes) -> None:
        network, now = self.network, self.network.loop.time()
        delay = self.latency * network.rng.uniform(0.8, 1.5)
        if network.strikes("stall", self.process, self.peer.process):
            delay += network.rng.uniform(0.5, 6)
        self._arrives = max(self._arrives + TICK, now + delay)
        network.later(self._arrives - now, self.peer._arrive, data, process=self.peer.process)

    # --- arrival: as the process at this end ---

    def _arrive(self, data: bytes) -> None:
        if self.peer.broken:
            return
        network = self.network
        network.trace.update(b"%s %r %d " % (self.label, network.loop.time(), len(data)) + data)
        if data is not FIN and data is not RESET:
            network.soon(self.peer._taken, len(data), process=self.peer.process)
        if not self._lost:
            self._inbox.append(data)
            self._read()

    def _taken(self, size: int) -> None:
        self._flight = max(0, self._flight - size)  # duplicates are counted twice
        if self._held_up and self._flight <= self._high // 4:
            self._held_up = False
            if not self._lost:
                self.protocol.resume_writing()

    def _read(self) -> None:
        while self._inbox and not self._paused and not self._lost:
            data = self._inbox.popleft()
            if data is RESET:
                self.lose(ConnectionResetError())
            elif data is FIN:
                if not self.protocol.eof_received():
                    self.close()
            else:
                self._feed(data)

    def _feed(self, data: bytes) -> None:
        if not isinstance(self.protocol, asyncio.BufferedProtocol):
            self.protocol.data_received(data)
            return
        while data and not self._lost:
            buffer = self.protocol.get_buffer(len(data))
            size = min(len(buffer), len(data))
            buffer[:size] = data[:size]
            self.protocol.buffer_updated(size)
            data = data[size:]
