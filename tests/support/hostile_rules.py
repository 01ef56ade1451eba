"""Rule files that would use up all time or memory. Each must end with its own error."""

from protocol.rules import RuleError, load, parse


def _doubling(start: str, more: str) -> str:
    return f"def f():\n    x = {start}\n" + f"    x = {more}\n" * 60 + "    return x\nX = f()\n"


DEFAULTS = ", ".join(f"a{number} = 0" for number in range(98))
HOSTILE = {
    "a loop in a loop": "def f():\n for a in range(4096):\n  for b in range(4096): pass\nX = f()\n",
    "loops by functions": "".join(
        f"def f{n}():\n for a in range(99): f{n - 1}()\n" if n else "def f0(): pass\n"
        for n in range(9)
    )
    + "X = f8()\n",
    "a comprehension of comprehensions": "X = [a for a in range(4096) for b in range(4096) if a < 0]\n",
    "a table": "X = [[b for b in range(4096)] for a in range(4096)]\n",
    "doubled texts": _doubling("'ab'", "x + x"),
    "doubled lists": _doubling("[0]", "x + x"),
    "lists of the same list": _doubling("[0]", "[x, x]"),
    "tuples of the same tuple": _doubling("(0,)", "(x, x)"),
    "deep equal lists": "def f(n):\n x = []\n for i in range(n): x = [x]\n return x\nX = f(4000) == f(4000)\n",
    "wide equal lists": "def f():\n x = [0]\n for i in range(39): x = [x, x]\n return x\nX = f() == f()\n",
    "a list in itself": "def f():\n a = []\n b = [a]\n a.append(b)\n return a\nX = f()\n",
    "a list in itself, compared": "def f():\n a = []\n a.append([a])\n return a\ndef g(): return f() == f()\nX = g()\n",
    "a list in itself, written": "def f():\n a = []\n a.append([a])\n return str(a)\nX = f()\n",
    "huge numbers": "def f():\n    x = 3\n" + "    x = x * x\n" * 40 + "    return x\nX = f()\n",
    "a huge number": "X = " + "9" * 30_000 + "\n",
    "a huge width": "X = '%999999999d' % 1\n",
    "many places": "X = '" + "%s" * 2000 + "' % (" + "'aaaaaaaaaaaaaa'," * 1300 + ")\n",
    "a huge text": "X = 'a' * 9000000000\n",
    "a huge list": "X = [0] * 9000000000\n",
    "a huge range": "X = list(range(9000000000))\n",
    "a range without an end": "X = len(range(-9223372036854775807, 9223372036854775807))\n",
    "deep brackets": "X = " + "(" * 16_000 + ")" * 16_000 + "\n",
    "deep lists": "X = " + "[" * 16_000 + "\n",
    "deep subscripts": "X = [0]" + "[0]" * 3_000 + "\n",
    "deep signs": "X = " + "-" * 9_000 + "1\n",
    "deep words": "X = " + "not " * 8_000 + "1\n",
    "deep blocks": "def f():\n"
    + "".join(" " * n + "if 1:\n" for n in range(1, 60))
    + " " * 60
    + "pass\n",
    "deep choices": "X = " + "1 if 0 else (" * 2_000 + "\n",
    "many constants": "X = [" + "1, " * 10_000 + "]\n",
    "many names": "".join(f"v{n} = v{n - 1}\n" for n in range(1, 2_500)),
    "many functions": "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(1_000)),
    "many misspelt names": "abcdefghij = 1\nX = [" + "abcdefgihj, " * 2_400 + "]\n",
    "sorted by a loop": "def k(x):\n for i in range(999): pass\nX = sorted(list(range(4096)), key = k)\n",
    "sorted by lists": "L = [[0] * 64 + [i] for i in range(999)]\nX = [sorted(L) for i in range(999)]\n",
    "sorted short lists and a long one": "L = [[0]] * 499 + [[0] * 1000]\nX = [len(sorted(L)) for i in range(99)]\n",
    "a key of many names": f"def k(v, {DEFAULTS}): return v\nL = list(range(4096))\n"
    "X = [len(sorted(L, key = k)) for i in range(99)]\n",
    "a function of many names": f"def f({DEFAULTS}):\n pass\nX = [f() for i in range(4096) for k in range(9)]\n",
    "too many names": "def f("
    + ", ".join(f"a{n} = 0" for n in range(1_400))
    + "): pass\nX = f()\n",
    "written quotes": "T = ['\"' * 2000]\nX = [len(str(T)) for i in range(4096)]\n",
    "sorted by anything": "X = sorted([1, 'a', None, [], {}, (1,)])\n",
    "sorted many times": "L = list(range(4096))\nX = [len(sorted(L)) for i in range(4096)]\n",
    "looking for texts": "T = 'a' * 2499\nX = [('a' * 1249 + 'b') in T for i in range(4096)]\n",
    "equal long lists": "L = list(range(4096))\nM = list(range(4096))\nX = [L == M for i in range(4096)]\n",
    "looking in long lists": "L = list(range(4096))\nX = [-1 in L for i in range(4096)]\n",
    "slices": "L = list(range(4096))\nX = [len(L[::-1]) for i in range(4096)]\n",
    "numbered": "L = list(range(4096))\nX = [len(enumerate(L)) for i in range(4096)]\n",
    "empty lists": "def f():\n for i in range(4096):\n  x = [[[], [], [], []] for i in range(4096)]\nX = "
    "f()\n",
    "dicts": "def f():\n x = []\n for i in range(4096): x.append({'a': {}, 'b': {}})\n return x\n"
    "X = [f() for i in range(99)]\n",
    "dicts in lists": "def f():\n x = []\n for i in range(4096): x.append([{}, {}, {}, {}, {}, {}])\n return x\n"
    "X = [f() for i in range(99)]\n",
    "written lists": "L = list(range(1000))\nX = [len(str(L)) for i in range(4096)]\n",
    "many arguments": "X = max(" + "1, " * 5_000 + ")\n",
    "a growing list": "def f():\n l = [0]\n for i in range(4096):\n  l = l + l[:]\nX = f()\n",
}

WORK = """
def work(steps):
    for a in range(steps // 98):
        for b in range(45): pass
def burn(g): return work(11500) or []
def nothing(g): return []
def deep():
    x = []
    for i in range(36): x = [x]
    return x
DEEP = deep()
"""
COSTLY = {  # effects of an action, for a file that contains `WORK`
    "forty-three functions": "[then('burn')] * 43",
    "one function": "work(8000) or []",
    "regions back and forth": "[move_all('deck', 'pile'), move_all('pile', 'deck')] * 90",
    "cards back and forth": "[move(0, 'pile'), move(0, 'deck')] * 90",
    "drawn cards": "[draw('deck', 'pile'), draw('pile', 'deck')] * 90",
    "remarks": "[say('a' * 200)] * 190",
    "marks": "[mark(i % 8, 'a', 1) for i in range(190)]",
    "counters": "[put('round', None, 1)] * 190",
    "shown cards": "[show(cards(g, 'deck'))] * 40",
    "functions of nothing": "[then('nothing')] * 47",
    "written lists": "[len(str(DEEP)) for i in range(29)] and []",
    "sorted lists": "[len(sorted([1])) for i in range(520)] and []",
}


def hostile_end(text: str) -> str:
    """Return the key of the error for a file, or an empty text."""
    try:
        load(parse(text))
    except RuleError as error:
        return error.key
    return ""
