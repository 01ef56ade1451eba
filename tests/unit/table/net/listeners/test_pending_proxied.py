"""What named proxies do wrong is said, and fills no log."""

from table.net.listeners.pending_proxied import PendingProxied


def test_the_host_is_warned_once_a_minute_of_each_kind(caplog):
    waiting = PendingProxied(2, 1.0)
    for now in (5.0, 5.1, 64.9, 65.0, 66.0):
        for what in ("PROXY header", "X-Forwarded-For"):
            waiting.warn(what, now)
    assert len(caplog.records) == 4
    assert caplog.messages[0] == "a proxy that is named with --proxy sends no PROXY header"
