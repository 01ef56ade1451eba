"""The figures of `scripts/measure_structure`, on small packages with known answers."""

import pytest

from scripts import measure_structure as measure

FILES = {
    "one/__init__.py": "",
    "one/low.py": "a, b = 1, 2\n",
    "one/middle.py": "from one import low\nx = 1 if low else 2\n",
    "one/high.py": (
        "from typing import TYPE_CHECKING, Any\n"
        "import one.middle\n"
        "if TYPE_CHECKING:\n    from one.top import y\n"
        "def f(z: Any) -> Any:\n    import one.low\n"
    ),
    "one/top.py": "try:\n    from one.high import f\nexcept ImportError:\n    pass\ny, z = f(1)\n",
}


@pytest.fixture
def sources(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return measure.read_sources(tmp_path, ("one",))


def test_longest_chain_follows_only_imports_that_run(sources):
    chains = measure.longest_chains(measure.import_graph(sources))
    assert chains["one.top"] == ["one.top", "one.high", "one.middle", "one.low"]
    assert chains["one.low"] == ["one.low"]


def test_import_graph_of_all_imports_includes_functions_and_types(sources):
    graph = measure.import_graph(sources, all_imports=True)
    assert graph["one.high"] == {"one.low", "one.middle", "one.top"}


def test_counts_skip_imports_of_any_and_unpacked_calls(sources):
    assert measure.count_any(sources) == 2
    assert measure.count_tuple_assignments(sources) == 1
    assert measure.count_conditional_expressions(sources) == 1


def test_mirrored_modules_need_the_path_of_their_module(sources, tmp_path):
    folder = tmp_path / "tests/unit/one"
    folder.mkdir(parents=True)
    (folder / "test_low.py").touch()
    (folder / "test_other.py").touch()
    assert measure.mirrored_modules(sources, tmp_path) == (1, 4)
