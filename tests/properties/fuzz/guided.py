"""One target under atheris, until time is over or something is found, started by `scripts/fuzz`.

A process of its own, because libFuzzer ends it. Only `protocol` is instrumented; it must be
imported under the hook.
"""

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["protocol"]):
    from tests.properties.fuzz.damage import restructured
    from tests.properties.fuzz.targets import TARGETS


def main() -> None:
    """Does not return."""
    name, *flags = sys.argv[1:]
    target = TARGETS[name]

    def one(data: bytes) -> None:
        try:
            target.run(data)
        except target.errors:
            return

    def change(data: bytes, most: int, seed: int) -> bytes:
        """Half of the time the value in the bytes, as long as there is one; else the bytes."""
        rng = Random(seed)
        if target.prefix is None or rng.random() < 0.5:
            return atheris.Mutate(data, most)
        return restructured(data, target.prefix, rng)[:most]

    target.seeds()  # what takes long and is done once
    atheris.Setup([sys.argv[0], *flags], one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
