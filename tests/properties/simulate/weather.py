"""What may go wrong in a simulated world, and how often."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Weather:
    """Chances: of a segment of bytes (`drop` to `stall`), a connection (`refuse`, `ignore`), a
    write (the rest).
    """

    drop: float = 0.0  # bytes never arrive, later ones do; the line breaks some seconds later
    duplicate: float = 0.0  # bytes arrive twice
    reorder: float = 0.0  # bytes arrive after those that follow them
    flip: float = 0.0  # a bit arrives changed
    cut: float = 0.0  # the line breaks; each side learns of it in its own time
    split: float = 0.0  # bytes arrive in two parts
    stall: float = 0.0  # nothing more arrives for some seconds
    refuse: float = 0.0  # nobody takes the connection
    ignore: float = 0.0  # nobody answers the connection
    disk: float = 0.0  # a write to the table's journal fails
    request: float = 0.0  # a request to the table's store never arrives
    answer: float = 0.0  # nobody hears what came of one
    late: float = 0.0  # one arrives after its sender has given it up
    conflict: float = 0.0  # one is refused without a reason
    stale: float = 0.0  # one is answered by a machine that does not know the newest
    # seconds between two things that befall hosts or their store, on the average; 0: nothing does
    trouble: float = 0.0
    # such a thing is that the store loses the newest that it has acknowledged; all else is short
    forget: float = 0.0
    table_crash: float = 0.0  # the table dies at a write to its disk: before it, or after it
    player_crash: float = 0.0  # a player dies at a write to its disk: before it, or after it
    player_torn: float = 0.0  # a player dies in the middle of noting what it is about to send
    # seconds after which a table dies wherever it is, on the average; 0: never
    table_life: float = 0.0
    player_life: float = 0.0  # ditto a player


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
    # 0078, "not covered", says why
    "losing": Weather(**_HOSTS | {"trouble": 4.0, "forget": 0.4, "late": 0.0}),
    "all": Weather(**_HOSTS, **_DEATHS, **{kind: chance / 2 for kind, chance in _LINK.items()}),
}
WEATHERS = {
    "none": CALM,
    "link": Weather(**_LINK),
    "disk": Weather(disk=0.03),
    "store": Weather(**_STORE),
    "crashes": Weather(**_CRASHES),
    "all": Weather(**_LINK, **_CRASHES, **_STORE, disk=0.02),
}
