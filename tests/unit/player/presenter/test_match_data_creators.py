"""Names of creators in a view: from the person's own records alone."""

from typing import Any

from player.client.loadouts import KnownCreator
from player.presenter.match_data import name_creators, owned_cards


def _card(creator: str | None) -> dict[str, Any]:
    owned = None if creator is None else {"fingerprint": creator, "image": None}
    return {"index": 0, "owned": owned}


def test_creators_are_named_in_hand_and_on_the_board() -> None:
    view = {
        "hand": [_card("aa"), _card(None)],
        "board": {"regions": [{"pieces": [_card("bb"), {"index": 1}]}]},
    }
    name_creators(view, {"aa": KnownCreator("Mia\x1b[2J", True)})
    first, second = owned_cards(view)
    assert first["name"].startswith("Mia") and "\x1b" not in first["name"]
    assert first["trusted"] is True
    assert second["name"] is None and second["trusted"] is None


def test_boards_without_regions_have_no_owned_cards() -> None:
    assert owned_cards({"hand": [], "board": None}) == []
    assert owned_cards({"hand": [{"index": 1}], "board": {"is": "line"}}) == []
