"""What is printed on a card is what its creator says now, and nobody else."""

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


def test_the_highest_revision_counts_in_whatever_order():
    assert newest(TYPE, SECOND, THIRD) == THIRD.id


def test_nobody_else_can_revise_a_type():
    assert newest(TYPE, SECOND, FOREIGN) == SECOND.id


def test_what_is_frozen_keeps_its_values():
    assert newest(TYPE, SECOND, CHANGED) == SECOND.id


def test_a_revision_without_the_one_before_waits():
    assert newest(TYPE, THIRD) == TYPE.id


def test_of_two_with_one_number_everybody_sees_the_same():
    assert newest(TYPE, SECOND, THIRD, TWIN) == min(THIRD.id, TWIN.id)
