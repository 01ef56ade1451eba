"""The text of a card type is the newest revision of its creator, and of nobody else."""

from dataclasses import replace
from itertools import permutations

from protocol.ledger.record_contents import CardType
from protocol.ledger.records import sign_record
from protocol.ledger.type_revisions import TypeRevisions
from tests.support.ledger import EVE, MAKER, TYPE

assert isinstance(TYPE.content, CardType)
SECOND = sign_record(
    replace(TYPE.content, type=TYPE.id, revision=1, previous=TYPE.id, text="Hot."), MAKER
)
assert isinstance(SECOND.content, CardType)
THIRD = sign_record(replace(SECOND.content, revision=2, previous=SECOND.id, text="Hotter."), MAKER)
FOREIGN = sign_record(replace(SECOND.content, creator=EVE.public, revision=7, text="Mine."), EVE)
CHANGED = sign_record(
    replace(SECOND.content, revision=2, previous=SECOND.id, values=(("fire", 9),)), MAKER
)
TWIN = sign_record(replace(SECOND.content, revision=2, previous=SECOND.id, text="Cold."), MAKER)


def newest(*records):
    found = set()
    for order in permutations(records):
        types = TypeRevisions()
        for record in order:
            types.add(record)
        found.add(types.newest[TYPE.id][0].id)
    assert len(found) == 1, "it depends on the order"
    return found.pop()


def test_highest_revision_counts_in_any_order():
    assert newest(TYPE, SECOND, THIRD) == THIRD.id


def test_revision_by_another_key_is_refused():
    assert newest(TYPE, SECOND, FOREIGN) == SECOND.id


def test_frozen_values_survive_revisions():
    assert newest(TYPE, SECOND, CHANGED) == SECOND.id


def test_revision_without_its_predecessor_waits():
    assert newest(TYPE, THIRD) == TYPE.id


def test_two_revisions_with_one_number_resolve_equally():
    assert newest(TYPE, SECOND, THIRD, TWIN) == min(THIRD.id, TWIN.id)
