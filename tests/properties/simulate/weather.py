"""Faults of a simulated world and their frequency."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Weather:
    """Chances for a segment of bytes (`drop` to `stall`), a connection (`refuse`, `ignore`), or a
    write (the rest).
    """

    drop: float = 0.0  # bytes never arrive but later ones do; the line breaks some seconds later
    duplicate: float = 0.0  # bytes arrive twice
    reorder: float = 0.0  # bytes arrive after those that follow them
    flip: float = 0.0  # a bit arrives changed
    cut: float = 0.0  # the line breaks; each side notices at its own time
    split: float = 0.0  # bytes arrive in two parts
    stall: float = 0.0  # nothing more arrives for some seconds
    refuse: float = 0.0  # nobody takes the connection
    ignore: float = 0.0  # nobody answers the connection
    disk: float = 0.0  # a write to the table's journal fails
    request: float = 0.0  # a request to the table's store never arrives
    answer: float = 0.0  # the sender of a request never learns its result
    late: float = 0.0  # a request arrives after its sender has given up
    conflict: float = 0.0  # a request is refused without a reason
    stale: float = 0.0  # a request is answered by a machine that lacks the newest items
    # average seconds between two faults of hosts or their store; 0: none
    trouble: float = 0.0
    # chance that a fault of the store loses its newest acknowledged items; other faults are
    # temporary
    forget: float = 0.0
    loading: float = 0.0  # longest time in seconds that a host loads a match which it has claimed
    loading_fault: float = 0.0  # chance that a host hangs or dies while it loads a match
    unheard: float = 0.0  # chance that a fault is a host which its players do not hear for long
    table_crash: float = 0.0  # the table dies just before or just after a write to its disk
    player_crash: float = 0.0  # a player dies just before or just after a write to its disk
    # a player dies in the middle of noting an entry that it is about to send
    player_torn: float = 0.0
    # average seconds after which a table dies at any point; 0: never
    table_life: float = 0.0
    player_life: float = 0.0  # the same for a player
    # average seconds between two standstills of the table's program, or of a player's, which then
    # reads nothing; 0: none
    table_still: float = 0.0
    player_still: float = 0.0
    worker_death: float = 0.0  # a worker dies of a request
    worker_hang: float = 0.0  # a worker answers a request much later


CALM = Weather()
_LINK = {
    "drop": 0.004,
    "duplicate": 0.003,
    "reorder": 0.004,
    "flip": 0.003,
    "cut": 0.006,
    "split": 0.1,
    "stall": 0.01,
    "refuse": 0.1,
    "ignore": 0.05,
}
_STORE = {"request": 0.01, "answer": 0.02, "late": 0.01}
_CRASHES = {
    "table_crash": 0.006,
    "player_crash": 0.006,
    "player_torn": 0.003,
    "table_life": 25.0,
    "player_life": 80.0,
}

_HOSTS = {
    "request": 0.02,
    "answer": 0.03,
    "late": 0.02,
    "conflict": 0.01,
    "stale": 0.02,
    "trouble": 1.2,
}
_DEATHS = {"table_crash": 0.01, "player_crash": 0.004, "player_torn": 0.002, "player_life": 60.0}
HOSTS = {  # of worlds of many hosts
    "none": CALM,
    "store": Weather(**_HOSTS | {"trouble": 0.0}),
    "hosts": Weather(**_HOSTS),
    # the reason is in decision 0078, "not covered"
    "losing": Weather(**_HOSTS | {"trouble": 4.0, "forget": 0.4, "late": 0.0}),
    # hosts take matches from each other and live, while the store loses claims and entries
    "claims": Weather(
        **_HOSTS | {"trouble": 3.0, "forget": 0.35, "late": 0.0}, loading=4.0, loading_fault=0.05
    ),
    "loading": Weather(**_HOSTS | {"trouble": 6.0}, loading=20.0, loading_fault=0.2),
    "unheard": Weather(**_HOSTS | {"trouble": 6.0}, unheard=0.6),
    "all": Weather(**_HOSTS, **_DEATHS, **{kind: chance / 2 for kind, chance in _LINK.items()}),
}
# standstills that are nobody's fault: no seat lapses by them, however short its clock is
_STILL = {"table_still": 60.0, "player_still": 60.0, "worker_death": 0.01, "worker_hang": 0.003}
WEATHERS = {
    "still": Weather(**_STILL),
    # of matches of some thousand entries, each of which a fresh worker folds again
    "long": Weather(**_STILL | {"worker_death": 0.001, "worker_hang": 0.001}),
    "workers": Weather(**_LINK, **_CRASHES, **_STORE, **_STILL),
    "none": CALM,
    "link": Weather(**_LINK),
    "disk": Weather(disk=0.03),
    "store": Weather(**_STORE),
    "crashes": Weather(**_CRASHES),
    "all": Weather(**_LINK, **_CRASHES, **_STORE, disk=0.02),
}
