"""Errors of named proxies are logged at a limited rate."""

from table.net.listeners.pending_proxied import PendingProxied


def test_proxy_warning_appears_once_a_minute_per_kind(caplog):
    waiting = PendingProxied(2, 1.0)
    for now in (5.0, 5.1, 64.9, 65.0, 66.0):
        for what in ("PROXY header", "X-Forwarded-For"):
            waiting.warn(what, now)
    assert len(caplog.records) == 4
    assert caplog.messages[0] == "a proxy that is named with --proxy sends no PROXY header"
