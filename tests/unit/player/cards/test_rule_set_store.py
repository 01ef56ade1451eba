"""Rule sets in a data folder: who may be played, who is asked about, and what is an alarm."""

import pytest

from player.cards.rule_set_store import RuleSetStore, rule_set_name_problem
from player.cards.storage.ledger_store import LedgerStore
from player.client.rule_sets import Standing
from protocol.errors import LocalError
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_RULE_SETS_KNOWN, MAX_RULE_SETS_STORED, MAX_STRANGE_RULE_SETS
from tests.support.ledger import ANN, BOB, EVE

FIRST = sign_rule_set(ANN, "evening", "# first\n")
SECOND = sign_rule_set(ANN, "evening", "# second\n", FIRST)
OTHER = sign_rule_set(ANN, "evening", "# other\n", FIRST)


@pytest.fixture
def sets(tmp_path):
    return RuleSetStore(tmp_path, BOB.public)


def standing(sets, rules):
    found = sets.offered(rules.digest)
    return found and found.standing


def test_stranger_is_asked_about_and_trusted_author_is_not(sets):
    assert sets.offered(FIRST.digest) is None
    sets.keep(FIRST)
    assert standing(sets, FIRST) is Standing.STRANGE
    sets.trust(sets.offered(FIRST.digest))
    assert standing(sets, FIRST) is Standing.FIT
    sets.keep(SECOND)
    assert standing(sets, SECOND) is Standing.FIT


def test_marks_are_those_of_creators_of_cards(sets, tmp_path):
    sets.keep(FIRST)
    store = LedgerStore(tmp_path, BOB.public, None)
    store.mark(ANN.public, False)
    assert standing(sets, FIRST) is Standing.DISTRUSTED
    with pytest.raises(LocalError):
        sets.trust(sets.offered(FIRST.digest))
    sets.mark(ANN.public, True)
    assert store.trust(ANN.public) is True
    store.close()


def test_lower_number_is_refused_until_person_says_so(sets, tmp_path):
    sets.mark(ANN.public, True)
    for rules in (SECOND, FIRST):
        sets.keep(rules)
    found = sets.offered(FIRST.digest)
    assert (found.standing, found.newest) == (Standing.OLDER, 2)
    assert standing(RuleSetStore(tmp_path, BOB.public, older=True), FIRST) is Standing.FIT
    sets.trust(found)
    assert standing(sets, FIRST) is Standing.FIT


def test_two_texts_under_one_number_are_refused_both(sets):
    sets.mark(ANN.public, True)
    for rules in (SECOND, OTHER):
        sets.keep(rules)
    assert {standing(sets, SECOND), standing(sets, OTHER)} == {Standing.DISPUTED}
    problem = sets.offered(OTHER.digest).problem()
    assert dict(problem.args)["digest"] == OTHER.digest
    sets.choose(OTHER)
    assert (standing(sets, SECOND), standing(sets, OTHER)) == (Standing.DISPUTED, Standing.FIT)
    sets.choose(SECOND)
    assert (standing(sets, SECOND), standing(sets, OTHER)) == (Standing.FIT, Standing.DISPUTED)


def test_alarm_outlives_trust_given_later(sets):
    for rules in (SECOND, OTHER):
        sets.keep(rules)
    sets.mark(ANN.public, True)
    assert standing(sets, OTHER) is Standing.DISPUTED


def test_one_name_of_two_authors_is_said(sets):
    sets.mark(ANN.public, True)
    sets.keep(FIRST)
    copied = sign_rule_set(EVE, "Even1ng", "# mine\n")
    sets.keep(copied)
    found = sets.offered(copied.digest)
    assert (found.standing, found.also) == (Standing.STRANGE, (fingerprint(ANN.public),))
    assert sets.offered(FIRST.digest).also == ()


@pytest.mark.parametrize("name", ["Mau Mau", "ELEMENT_DUEL", "Texas Holdem", "n1m", "evеning"])
def test_set_with_shipped_or_mixed_name_is_never_played(sets, name):
    rules = sign_rule_set(ANN, name, "# mine\n")
    sets.mark(ANN.public, True)
    sets.keep(rules)
    assert rule_set_name_problem(name) is not None
    assert standing(sets, rules) is Standing.NAMED
    with pytest.raises(LocalError):
        sets.trust(sets.offered(rules.digest))


def test_own_sets_need_no_trust_and_have_a_newest(sets):
    mine = sign_rule_set(BOB, "evening", "# mine\n")
    later = sign_rule_set(BOB, "evening", "# later\n", mine)
    sets.keep(mine)
    sets.keep(later)
    assert standing(sets, mine) is standing(sets, later) is Standing.FIT
    assert sets.own("evening") == later and sets.own("morning") is None


def test_strangers_fill_a_bounded_place_and_none_of_trusted(sets):
    sets.mark(ANN.public, True)
    sets.keep(FIRST)
    for number in range(MAX_STRANGE_RULE_SETS + 5):
        author = Identity(bytes([number + 100]) * 32)
        sets.keep(sign_rule_set(author, "flood", "# in\n"))
    found = sets.all()
    assert len(found) == MAX_STRANGE_RULE_SETS + 1
    assert standing(sets, FIRST) is Standing.FIT


def test_texts_of_an_author_are_bounded_and_numbers_remembered(sets):
    sets.mark(ANN.public, True)
    sets.keep(SECOND)
    for number in range(MAX_RULE_SETS_STORED + 3):
        sets.keep(sign_rule_set(ANN, f"game {number}", "# in\n"))
    assert len(sets.all()) == MAX_RULE_SETS_STORED
    assert sets.offered(SECOND.digest) is None
    sets.keep(FIRST)
    assert standing(sets, FIRST) is Standing.OLDER


@pytest.mark.slow
def test_numbers_of_an_author_are_bounded_too(sets):
    sets.mark(ANN.public, True)
    for rules in (FIRST, SECOND):
        sets.keep(rules)
    for number in range(MAX_RULE_SETS_KNOWN - 2):
        sets.keep(sign_rule_set(ANN, f"game {number}", "# in\n"))
    # the number that says least went first
    sets.keep(FIRST)
    assert standing(sets, FIRST) is Standing.OLDER
