"""Time of a step of the rule language, for each construct of it."""

from collections.abc import Iterator

from protocol.rules import load, parse
from tests.properties.worst_entries.measuring import Worst, milliseconds

STEPS = 100_000  # steps of one measurement; 10 ms
DEFAULTS = ", ".join(f"a{number} = 0" for number in range(99))
LONG = "S = 'a' * 4095 + 'b'\nU = 'a' * 4095 + 'c'\n"
# by name: the constants and functions of a file, and the statement that is repeated
CONSTRUCTS = {
    "nothing": ("", "pass"),
    "a name": ("", "x"),
    "a sum": ("", "y = x + 1"),
    "a large product": ("", "y = 3037000499 * 3037000499 // 7 % 13"),
    "a comparison": ("", "y = x < 3"),
    "a condition": ("", "if 0: pass\n  elif 0: pass\n  else: pass"),
    "a subscript": ("D = {'a': {'b': 1}}\n", "y = D['a']['b']"),
    "a call": ("def g(a, b): pass\n", "g(1, 2)"),
    "a call of many names": (f"def g({DEFAULTS}): pass\n", "g()"),
    "a call with a name": (f"def g({DEFAULTS}): pass\n", "g(a3 = 1)"),
    "a function of the prelude": ("", "y = move(1, 'a')"),
    "a small list": ("", "y = [1, 2, 3, 4]"),
    "an empty list": ("", "y = []"),
    "a small dict": ("", "y = {1: 1, 2: 2}"),
    "names of a tuple": ("P = ((1, 2), 3)\n", "(a, b), c = P"),
    "an empty loop": ("", "for a in []: pass"),
    "an empty comprehension": ("", "y = [a for a in []]"),
    "a comprehension": ("L = [0] * 4096\n", "y = [a for a in L]"),
    "written numbers": ("", "y = '%d%d%d%d' % (x, x, x, x)"),
    "written values": ("", "y = '%s%s' % ((1, 2, 3), [4, {'a': 1}])"),
    "a written dict": ("D = {'a': 1, 'b': 2, 'c': 3}\n", "y = str(D)"),
    "a written nest": ("D = [[[[[[[[[[[]]]]]]]]]]]\n", "y = str(D)"),
    "a written long list": ("L = [0] * 1000\n", "y = str(L)"),
    "written quotes": ("T = ['\"' * 1800]\n", "y = str(T)"),
    "a joined text": ("T = 'a' * 2048\n", "y = T + T"),
    "small texts": ("", "y = 'a' + 'b'"),
    "a repeated text": ("", "y = 'ab' * 2048"),
    "joined lists": ("L = [0] * 2048\n", "y = L + L"),
    "joined empty lists": ("", "y = [] + []"),
    "a repeated list": ("", "y = [0] * 4096"),
    "a reversed list": ("L = [0] * 4096\n", "y = L[::-1]"),
    "an empty slice": ("L = [0] * 4096\n", "y = L[4095:0]"),
    "a search": ("L = [0] * 4096\n", "y = 1 in L"),
    "a search for a long text": (f"{LONG}L = [U] * 4096\n", "y = S in L"),
    "a search for a list": ("L = [[0]] * 4096\n", "y = [1] in L"),
    "a search for a pair": ("L = [[0, 0]] * 2000\n", "y = [0, 1] in L"),
    "a search for a dict": ("L = [{1: 1}] * 2000\n", "y = {} in L"),
    "a search in a text": ("N = 'a' * 30 + 'b'\nT = 'a' * 4096\n", "y = N in T"),
    "equal lists": ("L = [0] * 4096\nM = [0] * 4096\n", "y = L == M"),
    "equal long texts": (f"{LONG}L = [S] * 4000\nM = [S + ''] * 4000\n", "y = L == M"),
    "equal lists of lists": ("L = [[]] * 4000\nM = [[]] * 4000\n", "y = L == M"),
    "equal dicts": ("L = [{1: 1}] * 1000\nM = [{1: 1}] * 1000\n", "y = L == M"),
    "ordered lists": ("L = [[0]] * 2000\nM = [[0]] * 2000\n", "y = L < M"),
    "ordered long texts": (f"{LONG}L = [S] * 4000\nM = [S + ''] * 4000\n", "y = L < M"),
    "a sorted list": ("L = [(i * 7919) % 4093 for i in range(4096)]\n", "y = sorted(L)"),
    "a small sort": ("", "y = sorted([1])"),
    "an empty sort": ("", "y = sorted([])"),
    "sorted lists": ("L = [[(i * 7919) % 997] for i in range(300)]\n", "y = sorted(L)"),
    "short lists and a long one": (
        "L = [[(i * 7919) % 997] for i in range(300)] + [[0] * 1000]\n",
        "y = sorted(L)",
    ),
    "sorted long texts": (
        "L = [['a' * 4000, (i * 7919) % 997] for i in range(100)]\n",
        "y = sorted(L)",
    ),
    "a sort by a key": ("def k(v): return v\nL = list(range(500))\n", "y = sorted(L, key = k)"),
    "the least of two": ("", "y = min(1, 2)"),
    "the largest list": ("L = [[0] * 10 for i in range(300)]\n", "y = max(L)"),
    "numbered elements": ("L = [0] * 4096\n", "y = enumerate(L)"),
    "nothing numbered": ("", "y = enumerate([])"),
    "the keys of a dict": ("D = {1: 1}\n", "y = D.keys()"),
    "an appended element": ("", "q = []\n  q.append(1)"),
    "an appended list": ("L = [0] * 4096\n", "q = []\n  q += L"),
    "an index": ("L = [0] * 4095 + [1]\n", "y = L.index(1)"),
}
# constructs that rules consist of for the most part
ORDINARY = ("a sum", "a comparison", "a condition", "a subscript", "a call", "a small list")


def nanoseconds_of_steps() -> dict[str, float]:
    """Nanoseconds of one step, for each construct."""
    return {name: _nanoseconds(*construct) for name, construct in CONSTRUCTS.items()}


def _nanoseconds(top: str, statement: str) -> float:
    module = load(parse(f"{top}def f(n):\n x = 5\n y = 0\n for i in range(n):\n  {statement}\n"))
    _, each = module.call_with_steps("f", 1, most=10**9)
    times = max(1, min(4096, STEPS // each))
    _, steps = module.call_with_steps("f", times, most=10**9)
    spent = milliseconds(lambda: module.call_with_steps("f", times, most=10**9))
    return spent / steps * 10**6


def worst_constructs() -> Iterator[Worst]:
    """Compare the construct whose steps take longest with ordinary ones, in µs of 1,000 steps."""
    found = nanoseconds_of_steps()
    ordinary = sum(found[name] for name in ORDINARY) / len(ORDINARY)
    worst = max(found, key=found.__getitem__)
    yield Worst("steps", ordinary / 1000, found[worst] / 1000, worst)
