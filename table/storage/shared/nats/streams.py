"""The streams of a store, and as what each has to be made.

    fairdeal-0 … fairdeal-7   m.<part>.<match>      the matches
    fairdeal-lobby            l.tables, l.words     created tables, a witness's words
    fairdeal-seeds            s.<match>, o.<match>  sealed seeds and marks: the only stream out of
                                                    which a host may delete single items
    fairdeal-hosts            h.<host>              that a host is there; in memory, and nothing
                                                    rests on it

How many streams of matches there are is chosen when the store is made: its shards.
"""

from typing import Any

from table.storage.shared.match_subjects import PARTS

# streams of matches if the maker of a store says nothing; each costs every server its heartbeats, and
# 32 busy matches were no quicker with 16
SHARDS = 8
CHOICES = (1, 2, 4, 8, 16, 32, 64)
SEEDS, HOSTS = "fairdeal-seeds", "fairdeal-hosts"
# the stream that every store has; its metadata have the number of shards, if it is not `SHARDS`
FIRST = "fairdeal-0"
_CHOSEN = "fairdeal-shards"  # name of this number in the metadata
REPLICAS = 3
_OTHERS = {"l.": "fairdeal-lobby", "s.": SEEDS, "o.": SEEDS, "h.": HOSTS}
_MATCHES = "m."
_NO_LIMITS = {
    "max_msgs": -1,
    "max_bytes": -1,
    "max_age": 0,
    "max_msgs_per_subject": -1,
    "max_msg_size": -1,
}


def match_streams(shards: int) -> tuple[str, ...]:
    """Return the names of the streams of matches."""
    return tuple(f"fairdeal-{shard}" for shard in range(shards))


def all_streams(shards: int) -> tuple[str, ...]:
    """Return the names of all streams of a store."""
    return tuple(dict.fromkeys((*match_streams(shards), *_OTHERS.values())))


MATCHES, STREAMS = match_streams(SHARDS), all_streams(SHARDS)


def parts_of(shards: int) -> int:
    """Return the number of parts into which matches are divided. A stream may have several."""
    return max(shards, PARTS)


def stream_of(subject: str, shards: int) -> str:
    """Return the stream of a subject, or of all subjects that begin with this text."""
    if subject.startswith(_MATCHES):
        return f"fairdeal-{int(subject.split('.')[1]) % shards}"
    return next(name for prefix, name in _OTHERS.items() if subject.startswith(prefix))


def streams_below(prefix: str, shards: int) -> tuple[str, ...]:
    """Return the streams of all subjects that begin with this."""
    return match_streams(shards) if prefix == _MATCHES else (stream_of(prefix, shards),)


def subjects_of(name: str, shards: int) -> list[str]:
    """Return the subjects of a stream, as its configuration has them."""
    if name in match_streams(shards):
        first = int(name.rpartition("-")[2])
        return [f"{_MATCHES}{part}.*" for part in range(first, parts_of(shards), shards)]
    return [f"{prefix}*" for prefix, stream in _OTHERS.items() if stream == name]


def shards_of(config: object) -> int | None:
    """Return the number of shards in the configuration of a store's first stream; None: it is none of
    `CHOICES`.
    """
    metadata = config.get("metadata") if isinstance(config, dict) else None
    said = metadata.get(_CHOSEN) if isinstance(metadata, dict) else None
    found = {str(each): each for each in CHOICES} | {None: SHARDS}
    return found.get(said) if said is None or isinstance(said, str) else None


def required(name: str) -> dict[str, Any]:
    """Return the settings that a stream must have; `num_replicas` may be 5, too."""
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


def configuration(name: str, shards: int = SHARDS) -> dict[str, Any]:
    """Return the configuration with which a stream is made."""
    made = {"name": name, "subjects": subjects_of(name, shards), "num_replicas": REPLICAS}
    if name == FIRST and shards != SHARDS:
        made["metadata"] = {_CHOSEN: str(shards)}
    return made | required(name)
