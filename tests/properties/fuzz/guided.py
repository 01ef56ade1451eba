"""Run one target under atheris until the time is over or something is found; `scripts/fuzz` starts
it.

It is a process of its own, because libFuzzer ends the process. Only `protocol` is instrumented; it
must be imported under the hook.
"""

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["protocol"]):
    from tests.properties.fuzz.damage import restructured
    from tests.properties.fuzz.targets import TARGETS


def main() -> None:
    """Fuzz one target. Does not return."""
    name, *flags = sys.argv[1:]
    target = TARGETS[name]

    def one(data: bytes) -> None:
        try:
            target.run(data)
        except target.errors:
            return

    def change(data: bytes, most: int, seed: int) -> bytes:
        """Change, half of the time, the value in the bytes if there is one; otherwise the bytes."""
        rng = Random(seed)
        if target.prefix is None or rng.random() < 0.5:
            return atheris.Mutate(data, most)
        return restructured(data, target.prefix, rng)[:most]

    target.seeds()  # do slow work once, before fuzzing
    atheris.Setup([sys.argv[0], *flags], one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
