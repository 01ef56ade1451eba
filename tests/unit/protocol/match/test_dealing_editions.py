"""Editions of a dealing in the terms: the wire names each, and an earlier one is known but begins
nothing new.
"""

import pytest

from protocol.codes import Code
from protocol.dealing.commutative import COMMUTATIVE, EDITION_1
from protocol.dealing.registry import DEALINGS, create_dealing, own_name, wire_name
from protocol.games.registry import BUILT_IN, UnknownRules, unknown_rules_phrase
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, check_terms, decode_terms, encode_terms, make_terms
from protocol.options import BadOptions, Selection
from table.lobby.creation import check_creation
from table.lobby.tables import Declined
from tests.support.tables import config

HOLDEM = Selection("texas-holdem", (("hands", 1),))


def terms(dealing: str) -> Terms:
    return make_terms(HOLDEM, Selection(dealing, ()), Allowance().options(), 3)


OLDER = terms("commutative")._replace(dealing=Selection("commutative-1", ()))


def test_wire_names_the_edition_of_a_dealing():
    assert encode_terms(terms("commutative"))[2] == ["commutative-2", []]
    assert encode_terms(OLDER)[2] == ["commutative", []]
    assert encode_terms(terms("verified"))[2] == ["verified", []]


def test_wire_names_and_own_names_are_a_bijection():
    names = [*DEALINGS, "commutative-1", "commutative-2", "commutative-3", "other"]
    assert [own_name(wire_name(name)) for name in names] == names
    assert [wire_name(own_name(name)) for name in names] == names


def test_terms_of_each_edition_are_read_back():
    for each in (terms("commutative"), OLDER):
        assert decode_terms(encode_terms(each)) == each


def test_earlier_edition_is_known_but_not_listed():
    assert create_dealing("commutative-1", {}, 3) is EDITION_1
    assert create_dealing("commutative", {}, 3) is COMMUTATIVE
    assert "commutative-1" not in DEALINGS and "commutative-1" not in list(DEALINGS)
    check_terms(OLDER, BUILT_IN, has_table=True)


@pytest.mark.parametrize("name", ["commutative-1", "commutative-2", "commutative-3"])
def test_new_terms_name_the_newest_edition_only(name):
    with pytest.raises(BadOptions) as refusal:
        terms(name)
    assert "commutative, " in str(refusal.value.reason)


@pytest.mark.parametrize("name", ["commutative-1", "commutative-3"])
def test_unknown_dealing_on_the_wire_is_unknown_rules(name):
    asked = encode_terms(OLDER)
    asked[2] = [name, []]
    with pytest.raises(UnknownRules) as refusal:
        check_terms(decode_terms(asked), BUILT_IN, has_table=True)
    assert refusal.value.code is Code.UNKNOWN_RULES
    assert unknown_rules_phrase(refusal.value).args == (("name", name),)


def test_table_opens_no_match_by_an_earlier_edition(tmp_path):
    check_creation(terms("commutative"), config(tmp_path))
    with pytest.raises(Declined) as declined:
        check_creation(OLDER, config(tmp_path))
    assert declined.value.code is Code.UNKNOWN_RULES
