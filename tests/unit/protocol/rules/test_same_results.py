"""Rule programs with fixed results: values, steps and errors are the same on every Python.

`scripts/pythons` runs this on all of them.
"""

from hashlib import sha256

from protocol.rules import Module, RuleError, load, parse
from tests.properties.worst_entries.language import CONSTRUCTS
from tests.support.hostile_rules import HOSTILE
from tests.support.starlark import Programs

PROGRAMS = 150
# changes with the rule language alone; then its number in docs/protocol, 32, changes too
DIGEST = "2f8e10e6894346901fcb0b501ba9a55d1ef4b7aeb43062e2b7829a001baec2cd"


def outcome(text: str) -> tuple[object, ...]:
    """Values and steps of a file, and of its function `f` if it takes a number; or its error."""
    try:
        module = load(parse(text))
        return module.constants, module.steps, *_called(module)
    except RuleError as error:
        # the steps of a call that fails mean nothing, and neither does which limit stops it
        return error.key.startswith("rules."), error.line > 0


def _called(module: Module) -> tuple[object, ...]:
    if "f" not in module.functions or not module.accepts("f", 1):
        return ()
    return module.call_with_steps("f", 3, most=10**6)


def test_programs_have_the_same_results_on_every_python():
    texts = [
        *(Programs(seed).program() for seed in range(PROGRAMS)),
        *HOSTILE.values(),
        *(
            f"{top}def f(n):\n x = 5\n y = 0\n for i in range(n):\n  {statement}\n return y\n"
            for top, statement in CONSTRUCTS.values()
        ),
    ]
    found = [outcome(text) for text in texts]
    assert sum(isinstance(one[0], dict) for one in found) > PROGRAMS // 2
    assert sha256(repr(found).encode()).hexdigest() == DIGEST
