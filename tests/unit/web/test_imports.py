"""Modules that a program can come to, by what their texts say."""

from web.build import source_of
from web.imports import reachable


def modules(**texts: str):
    """Return what reads these modules; a double underscore in a name is a dot."""
    named = {name.replace("__", "."): text for name, text in texts.items()}
    packages = {name.rpartition(".")[0] for name in named}
    return lambda name: (named[name].encode(), name in packages) if name in named else None


def test_imports_are_followed_in_every_form() -> None:
    read = modules(
        a="import b\nfrom c import d\ndef f():\n    import e.g",
        b="",
        c="",
        c__d="from . import h\nfrom .h import name",
        c__h="",
        e="",
        e__g="from .. import nothing",
        unused="",
    )
    assert reachable(["a"], read) == {"a", "b", "c", "c.d", "c.h", "e", "e.g"}


def test_import_for_type_checkers_alone_does_not_count() -> None:
    read = modules(
        a="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import b\nelse:\n    import c",
        b="",
        c="",
    )
    assert reachable(["a"], read) == {"a", "c"}


def test_excluded_module_stays_out_unless_it_is_needed() -> None:
    read = modules(
        a="try:\n    import b\nexcept ImportError:\n    b = None\ndef f():\n    import c.d",
        b="",
        c="",
        c__d="",
        e="import b",
    )
    assert reachable(["a"], read, ["b", "c"]) == {"a"}
    assert reachable(["a", "e"], read, ["b", "c"]) == {"a", "b", "e"}


def test_only_needed_imports_are_those_that_loading_a_module_runs() -> None:
    read = modules(
        a="import b\ndef f():\n    import c\ntry:\n    import d\nexcept ImportError:\n    pass",
        b="",
        c="",
        d="",
    )
    assert reachable(["a"], read, only_needed=True) == {"a", "b"}


def test_start_of_a_tab_loads_no_cards() -> None:
    loaded = reachable(["web.tab.program"], source_of, only_needed=True)
    assert "player.cli.app_program" in loaded
    assert {name for name in loaded if name.startswith("player.ui.web.cards.")} == {
        "player.ui.web.cards.trade_place"
    }
