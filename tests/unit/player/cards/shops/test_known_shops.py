"""Shops of earlier visits in the data folder."""

import json

from player.cards.shops.known_shops import FILE, LINKS, KnownShops
from protocol.identity.keys import JoinLink, fingerprint
from tests.support.ledger import ANN, BOB

FIRST = JoinLink("127.0.0.1", 7500, fingerprint(ANN.public), direct=True)
SECOND = JoinLink("127.0.0.1", 7501, fingerprint(BOB.public), direct=True)


def test_newest_shop_comes_first_and_each_creator_once(tmp_path):
    known = KnownShops(tmp_path)
    known.remember(FIRST, ANN.public)
    known.remember(SECOND, BOB.public)
    assert known.links() == [SECOND, FIRST]
    moved = JoinLink("127.0.0.1", 7502, fingerprint(ANN.public), direct=True)
    known.remember(moved, ANN.public)
    assert KnownShops(tmp_path).links() == [moved, SECOND]


def test_forgotten_shop_is_gone_and_others_stay(tmp_path):
    known = KnownShops(tmp_path)
    known.remember(FIRST, ANN.public)
    known.remember(SECOND, BOB.public)
    known.forget(fingerprint(ANN.public))
    known.forget("nobody")
    assert known.links() == [SECOND]


def test_changed_file_hides_wrong_links_only(tmp_path):
    KnownShops(tmp_path).remember(FIRST, ANN.public)
    path = tmp_path / FILE
    (link,) = json.loads(path.read_text("utf-8"))[LINKS]
    wrong = ["nonsense", "fairdeal://127.0.0.1:7500", 7, link]
    path.write_text(json.dumps({LINKS: wrong}), "utf-8")
    assert KnownShops(tmp_path).links() == [FIRST]
