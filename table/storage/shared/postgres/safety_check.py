"""Is a database safe to sign heads over, and which of its servers is the one to write to? What they
say, judged.

A server that was the primary goes on as one when it comes back, and knows nothing of the standby
that was promoted meanwhile. What tells the two apart is their timeline, which each promotion makes
greater. A primary that waits for standbys acknowledges nothing without them: so it can do no harm;
but whoever waits for it waits for ever.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol.view.phrase import Phrase, phrase


class SafetyReport(NamedTuple):
    """What a server says of itself, and of a session like ours."""

    fsync: str
    pages: str  # full_page_writes
    commit: str  # synchronous_commit
    waits: bool  # for standbys
    recovers: bool  # it is a standby
    timeline: int  # 0: of a standby


@dataclass(frozen=True)
class PostgresServer:
    """One of the servers, as the operator has named it."""

    name: str
    said: SafetyReport | None  # None: no answer
    distrusted: bool = False  # because of a certificate


NOBODY = "wrong.store.database"  # lets us in
DISTRUSTED = "wrong.store.certificate"
NO_PRIMARY = "wrong.store.standby"
SAYS_NOTHING = (NOBODY, DISTRUSTED, NO_PRIMARY)  # of the one that will be written to


def judge(servers: Sequence[PostgresServer], timeline: int) -> Phrase | int:
    """The place of the server to write to, or what must be changed before heads are signed over
    what it acknowledges.

    `timeline`: the greatest one that was seen yet. A server that does not answer is passed over.
    """
    answered = [
        (place, server.name, server.said)
        for place, server in enumerate(servers)
        if server.said is not None
    ]
    if not answered:
        return phrase(DISTRUSTED if any(server.distrusted for server in servers) else NOBODY)
    for _, name, said in answered:
        if said.fsync != "on" or said.pages != "on":
            return phrase("wrong.store.fsync", server=name)
    leading = sorted(
        (each for each in answered if not each[2].recovers), key=lambda each: -each[2].timeline
    )
    if not leading:
        return phrase(NO_PRIMARY)
    place, name, said = leading[0]
    if said.timeline < timeline:
        return phrase("wrong.store.behind", server=name)
    if len(leading) > 1 and leading[1][2].timeline == said.timeline:
        return phrase("wrong.store.two", one=name, two=leading[1][1])
    if said.commit not in (
        ("on", "remote_apply") if said.waits else ("on", "local", "remote_write", "remote_apply")
    ):
        return phrase("wrong.store.commit", server=name)
    if len(answered) > len(leading) and not said.waits:
        return phrase("wrong.store.asynchronous", server=name)
    return place
