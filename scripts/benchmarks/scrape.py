"""Reader for the metrics that a table offers with `--metrics`."""

import socket
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


def free_port() -> int:
    """Return a port that no program uses."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def scrape(port: int) -> dict[str, float]:
    """Read all samples by name. Samples with labels are added up, and also returned one by one as
    `name{value}`.
    """
    found: dict[str, float] = {}
    # a table of our own
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0) + sample.value
            for value in sample.labels.values():
                found[f"{sample.name}{{{value}}}"] = sample.value
    return found


def bucket(before: dict[str, float], after: dict[str, float], name: str, share: float) -> float:
    """Return the upper limit of the bucket that contains quantile `share` of a histogram's growth
    between two scrapes.
    """
    prefix = f"{name}_bucket{{"
    rows = sorted(
        (float(key[len(prefix) : -1]), after[key] - before.get(key, 0))
        for key in after
        if key.startswith(prefix)
    )
    return next(bound for bound, count in rows if count >= share * rows[-1][1])
