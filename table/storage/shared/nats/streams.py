"""The streams of a store, and as what each has to be made.

fairdeal-0 … fairdeal-7   m.<shard>.<match>    the matches fairdeal-lobby            l.tables,
l.words    created tables, a witness's words fairdeal-seeds            s.<match>, o.<match> sealed
seeds and marks: the only stream out of which a host may delete fairdeal-hosts            h.<host>
that a host is there; in memory, and nothing rests on it
"""

from typing import Any

from table.storage.shared.match_subjects import SHARDS

SEEDS, HOSTS = "fairdeal-seeds", "fairdeal-hosts"
REPLICAS = 3
MATCHES = tuple(f"fairdeal-{shard}" for shard in range(SHARDS))
_SUBJECTS = {
    **{f"m.{shard}.": name for shard, name in enumerate(MATCHES)},
    "l.": "fairdeal-lobby",
    "s.": SEEDS,
    "o.": SEEDS,
    "h.": HOSTS,
}
STREAMS = tuple(dict.fromkeys(_SUBJECTS.values()))
_NO_LIMITS = {
    "max_msgs": -1,
    "max_bytes": -1,
    "max_age": 0,
    "max_msgs_per_subject": -1,
    "max_msg_size": -1,
}


def stream_of(subject: str) -> str:
    """In which stream this subject is, or all that begin with it."""
    return next(name for prefix, name in _SUBJECTS.items() if subject.startswith(prefix))


def streams_below(prefix: str) -> dict[str, str]:
    """The streams, by the beginning of their subjects, of which all begin with this."""
    return {each: name for each, name in _SUBJECTS.items() if each.startswith(prefix)}


def required(name: str) -> dict[str, Any]:
    """What a stream must be set to; `num_replicas` may be 5, too."""
    if name == HOSTS:
        return {
            "storage": "memory",
            "discard": "old",
            "max_msgs_per_subject": 1,
            "allow_direct": False,
        }
    kept = {
        "storage": "file",
        "discard": "new",
        "retention": "limits",
        "allow_direct": False,
        **_NO_LIMITS,
    }
    return kept | {"deny_delete": name != SEEDS, "allow_rollup_hdrs": False}


def configuration(name: str) -> dict[str, Any]:
    """What a stream is made with."""
    subjects = [f"{prefix}*" for prefix, stream in _SUBJECTS.items() if stream == name]
    return {"name": name, "subjects": subjects, "num_replicas": REPLICAS, **required(name)}
