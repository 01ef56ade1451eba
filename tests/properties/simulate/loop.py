"""Event loop without a clock, sockets or threads: time jumps to the next timer, and every callback
has an owner.

A `Process` is the unit that dies: killing it drops every callback, timer and task that it owns, at
once, and none of its code runs any more. The context of a callback names its owner; asyncio passes
the context on to everything that the callback starts.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any

_OWNER: ContextVar["Process | None"] = ContextVar("_OWNER", default=None)


class Killed(BaseException):
    """Exception that unwinds a dead process at a crash point; nothing may catch it."""


class Stuck(Exception):
    """Nothing is ready, no timer runs, and a task still waits: a real program would hang for
    ever.
    """


def owner() -> "Process | None":
    """Return the process whose code runs now."""
    return _OWNER.get()


class Process:
    """One simulated program: its tasks, timers and line ends."""

    pausable = False  # whether it may be paused between any two steps: this costs time

    def __init__(self, loop: "VirtualLoop", name: str, address: str) -> None:
        self.loop, self.name, self.address, self.alive = loop, name, address, True
        # steps that are due while it is paused
        self._held: list[tuple[asyncio.Handle, Callable[[], None]]] | None = None
        # callbacks to call on its death, in order
        self.on_death: dict[Callable[[], None], None] = {}
        self.context = copy_context()
        self.context.run(_OWNER.set, self)

    def __repr__(self) -> str:
        return f"Process({self.name})"

    def spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Begin a task of this process."""
        return self.loop.create_task(work, context=self.context)

    def kill(self) -> None:
        """End the process as `kill -9` does."""
        if self.alive:
            self.alive = False
            for tell in list(self.on_death):
                tell()
            self.loop.forget(self)

    def crash(self) -> None:
        """Die here, in the middle of the process's own code. Raises: Killed."""
        self.kill()
        raise Killed

    @property
    def paused(self) -> bool:
        return self._held is not None

    def pause(self) -> None:
        """Stop the process as SIGSTOP does: it takes no step until `go_on`."""
        if self._held is None:
            self._held = []

    def go_on(self) -> None:
        """Continue as SIGCONT does: the pending steps run now, in order."""
        held, self._held = self._held or [], None
        if self.alive:
            for handle, step in held:
                self.loop.call_soon(self.step, handle, step, context=handle._context)
            self.loop._ready.rotate(len(held))  # before newer callbacks

    def step(self, handle: asyncio.Handle, step: Callable[[], None]) -> None:
        """Take a step that is due, or keep it until the process continues."""
        if handle.cancelled():
            return
        if self._held is None:
            step()
        else:
            self._held.append((handle, step))

    def timers(self) -> list[str]:
        """Return the names of the callbacks of its timers."""
        scheduled = self.loop._scheduled
        mine = [timer for timer in scheduled if not timer.cancelled() and _owner_of(timer) is self]
        return [f"{timer._callback} {timer._args}" for timer in mine]

    def open_tasks(self) -> list[str]:
        """Return the names of its running tasks."""
        return [repr(task) for task in self.loop.tasks.get(self, ()) if not task.done()]


def _owner_of(handle: asyncio.Handle) -> Process | None:
    return handle._context.get(_OWNER)


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop in virtual time (seconds from 0)."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self.network: Any = None  # a `link.Network`
        self._selector = self  # asyncio waits for sockets with `select` below
        self.steps = 0  # turns of the loop, to detect a runaway
        self.limit = 0.0  # virtual time limit of everything; 0: none
        self.errors: list[str] = []  # exceptions that nobody caught
        self.tasks: dict[Process | None, dict[asyncio.Task[Any], None]] = {}
        self.set_exception_handler(_note)

    # --- time ---

    def time(self) -> float:
        """Return virtual seconds."""
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        """Jump to the next timer, since no event comes from outside."""
        self.steps += 1
        if timeout is None:
            raise Stuck("nothing will ever happen")
        self._now += timeout
        if self.limit and self._now > self.limit:
            raise Stuck(f"not finished after {self.limit:.0f} s of virtual time")
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """Do nothing: this loop has no events."""

    def _write_to_self(self) -> None:
        """Do nothing: `call_soon_threadsafe` need not wake another thread."""

    # --- owners ---

    def call_soon(
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Schedule a callback, unless its process is dead."""
        handle = super().call_soon(callback, *args, context=context)
        return self._unless_stopped(handle)

    def call_soon_threadsafe(
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_at(
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Schedule a timer, unless its process is dead."""
        handle = super().call_at(when, callback, *args, context=context)
        return self._unless_stopped(handle)

    def _unless_stopped(self, handle: Any) -> Any:
        who = _owner_of(handle)
        if who is None:
            return handle
        if not who.alive:
            handle.cancel()
        elif who.pausable and handle._callback != who.step:
            handle._callback, handle._args = (
                who.step,
                (handle, partial(handle._callback, *handle._args)),
            )
        return handle

    def create_task(
        self, coro: Any, *, name: Any = None, context: Context | None = None
    ) -> "asyncio.Task[Any]":
        """Create a task and note its owner."""
        task = super().create_task(coro, name=name, context=context)
        who = _OWNER.get() if context is None else context.get(_OWNER)
        own = self.tasks.setdefault(who, {})
        own[task] = None
        task.add_done_callback(lambda done: own.pop(done, None))
        return task

    def forget(self, process: Process) -> None:
        """Drop all callbacks and tasks of a dead process; its coroutines end without another
        step.
        """
        for handle in [*self._ready, *self._scheduled]:
            if _owner_of(handle) is process:
                handle.cancel()
        for task in self.tasks.pop(process, {}):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            coroutine = task.get_coro()
            if not task.done() and task is not asyncio.current_task(self):
                with suppress(RuntimeError):  # its cleanup would wait
                    coroutine.close()

    def let_go(self) -> None:
        """Kill all processes, and end everything else that runs without another step."""
        for process in [process for process in self.tasks if process is not None]:
            process.kill()
        for task in self.tasks.pop(None, {}):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            task.get_coro().close()

    # --- calls that would leave the process ---

    async def create_connection(
        self, protocol_factory: Any, host: Any = None, port: Any = None, **rest: Any
    ) -> Any:
        """Connect over the simulated network."""
        return await self.network.connect(protocol_factory, port)

    async def getaddrinfo(self, host: Any, port: Any, **hints: Any) -> list[Any]:
        """Resolve every name to itself."""
        return [(2, 1, 6, "", (host, port))]

    async def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """Do a thread's work a moment later, so that other callbacks run in between."""
        await asyncio.sleep(0.001)
        return func(*args)


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Keep errors that asyncio would print, except those of a killed process."""
    assert isinstance(loop, VirtualLoop)
    error = context.get("exception")
    if not isinstance(error, Killed):
        loop.errors.append(f"{context['message']}: {type(error).__name__}: {error}")
