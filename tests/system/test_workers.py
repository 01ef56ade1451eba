"""The worker processes of a host that was started as a person starts it."""

import socket
import subprocess
import sys

import psutil
import pytest

from table.workers.messages import Request, encode_request
from tests.support.dying_worker import SPINS
from tests.support.tables import until
from tests.support.wire_client import play_match
from tests.system.kill_table import TableProcess

pytestmark = pytest.mark.process


def workers_of(table: TableProcess) -> list[psutil.Process]:
    children = psutil.Process(table.process.pid).children(recursive=True)
    return [child for child in children if "table.workers.process" in words_of(child)]


def words_of(process: psutil.Process) -> list[str]:
    """Return the command line of a process; nothing for one that has just ended."""
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


async def test_killed_host_takes_its_workers_with_it(tmp_path):
    table = TableProcess(tmp_path, "--workers", "2")
    await table.start()
    await until(lambda: len(workers_of(table)) == 2)
    workers = workers_of(table)
    await table.kill()
    await until(lambda: all(map(ended, workers)))


async def test_host_without_workers_has_no_other_process(tmp_path):
    table = TableProcess(tmp_path, "--workers", "0")
    await table.start()
    assert workers_of(table) == []
    await table.kill()


async def test_worker_that_is_killed_is_replaced(tmp_path):
    table = TableProcess(tmp_path, "--workers", "1")
    await table.start()
    await until(lambda: len(workers_of(table)) == 1)
    (first,) = workers_of(table)
    first.kill()
    await until(lambda: any(worker.pid != first.pid for worker in workers_of(table)))
    await table.kill()


async def test_worker_in_middle_of_entry_ends_with_its_host():
    ours, theirs = socket.socketpair()
    with theirs:
        words = ("-m", "tests.support.dying_worker", str(theirs.fileno()), "60")
        worker = subprocess.Popen([sys.executable, *words], pass_fds=[theirs.fileno()])
    ours.sendall(encode_request(Request("fold", bytes(32), (0, SPINS))))
    process = psutil.Process(worker.pid)
    await until(lambda: process.cpu_times().user > 0.5)
    assert worker.poll() is None
    ours.close()
    assert worker.wait(20) == 0


async def test_worker_goes_on_when_all_processes_are_told_to_end(tmp_path):
    table = TableProcess(tmp_path, "--workers", "1")
    await table.start()
    await until(lambda: len(workers_of(table)) == 1)
    await play_match(table.link)  # so the worker has started
    (worker,) = workers_of(table)
    worker.terminate()
    await play_match(table.link, seed=200)
    assert not ended(worker) and workers_of(table) == [worker]
    await table.kill()
