"""Cheats while the array of slots goes round."""

from protocol.codes import Code
from protocol.crypto.envelopes import new_key
from protocol.dealing import Post
from protocol.dealing.layered.blame import EMPTY_SLOT, read_hop, split_array
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of, read_own, sealed

LOW_ORDER = b"\1" + bytes(31)


class SlotCheat(Cheat):
    """Sends a false array."""

    kind = "slot_hop"
    when = When.PROTEST
    done = False

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        array = split_array(read_own(own, deal, post), len(deal.taken))
        if not self.done and self.change(own, deal, array):
            self.done = True
            return sealed(own, deal, "slot_hop", b"".join(array))
        return post

    def change(self, own, deal, array):
        """Change the array; return whether it was changed."""
        raise NotImplementedError

    def others(self, own, deal, array, filled):
        """Return slots of other seats that are filled, or that are empty."""
        mine = own.own_slots(deal)
        return [
            i for i, slot in enumerate(array) if i not in mine and (slot != EMPTY_SLOT) == filled
        ]

    def filled_now(self, own, deal, array):
        """Return own slots that are filled in this very hop: an earlier one would be
        overwritten.
        """
        route = deal.route(deal.stage)
        if not route:
            return [i for i, slot in enumerate(array) if slot != EMPTY_SLOT]
        last, size = route[-1], len(deal.taken)
        before = split_array(
            read_hop(deal, last, len(route) - 1, own.pair_key(last.sender, last.receiver)), size
        )
        return [i for i, slot in enumerate(array) if slot != before[i]]


class OverwritesSlot(SlotCheat):
    """Overwrites another seat's key with its own."""

    code = Code.SLOT_OVERWRITTEN

    def change(self, own, deal, array):
        for index in self.others(own, deal, array, filled=True)[:1]:
            array[index] = new_key(own.rng).public
            return True
        return False


class EmptiesSlot(SlotCheat):
    """Removes another seat's key."""

    code = Code.SLOT_OVERWRITTEN

    def change(self, own, deal, array):
        for index in self.others(own, deal, array, filled=True)[:1]:
            array[index] = EMPTY_SLOT
            return True
        return False


class FillsAnothersSlot(SlotCheat):
    """Fills another seat's slot, to be told that seat's piece."""

    code = Code.SLOT_OVERWRITTEN

    def change(self, own, deal, array):
        for index in self.others(own, deal, array, filled=False)[:1]:
            array[index] = new_key(own.rng).public
            return True
        return False


class FillsTheLastSlot(Cheat):
    """As first seat, fills another seat's last slot and publishes, so that its owner has no turn
    before the pieces come.
    """

    code, when, kind = Code.SLOT_OVERWRITTEN, When.PROTEST, "slot_hop"
    seats = 2
    place = 0

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        array = split_array(read_own(own, deal, post), len(deal.taken))
        if sum(slot == EMPTY_SLOT for slot in array) > 2:
            return post
        return Post(
            "slots", [[new_key(own.rng).public if slot == EMPTY_SLOT else slot for slot in array]]
        )


class OverwritesAtTheEnd(Cheat):
    """As first seat, overwrites another seat's slot in the array that it publishes."""

    code, when, kind = Code.SLOT_OVERWRITTEN, When.PROTEST, "slots"
    place = 0

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        theirs = next(i for i in range(len(deal.taken)) if i not in own.own_slots(deal))
        post.body[0][theirs] = new_key(own.rng).public
        return post


class LowOrderSlot(SlotCheat):
    """Fills its slot with a key for which everybody knows the shared secret."""

    code = Code.BAD_SLOTS

    def change(self, own, deal, array):
        for index in self.filled_now(own, deal, array):
            array[index] = LOW_ORDER
            return True
        return False


class CopiesSlot(SlotCheat):
    """Fills its slot with a copy of another seat's key, so that an honest seat would publish a key
    twice.
    """

    code = Code.BAD_SLOTS

    def change(self, own, deal, array):
        theirs = self.others(own, deal, array, filled=True)
        for index in self.filled_now(own, deal, array) if theirs else ():
            array[index] = array[theirs[0]]
            return True
        return False


class PublishesLowOrder(Cheat):
    """As first seat, publishes a low-order key among the slots."""

    code, when, kind = Code.BAD_SLOTS, When.AT_ONCE, "slots"
    place = 0

    def twist(self, match, post):
        post.body[0][0] = LOW_ORDER
        return post


class PublishesTwice(Cheat):
    """As first seat, publishes one key in two slots."""

    code, when, kind = Code.BAD_SLOTS, When.AT_ONCE, "slots"
    place = 0

    def twist(self, match, post):
        post.body[0][0] = post.body[0][1]
        return post


class GarbageSlotHop(Cheat):
    """Posts an envelope with an array that does not open."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "slot_hop"

    def twist(self, match, post):
        return Post("slot_hop", [GARBAGE.randbytes(len(post.body[0]))])


class ShortArray(Cheat):
    """Posts an envelope with an array that lacks a slot."""

    code, when, kind = Code.BAD_HOP, When.PROTEST, "slot_hop"

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        return sealed(own, deal, "slot_hop", read_own(own, deal, post)[:-32])


class FillsNone(SlotCheat):
    """Never fills a slot, so that the preparation would not end."""

    code = Code.TOOK_NONE
    when = When.CLOSE

    def twist(self, match, post):
        own, deal = self.layered(match), deal_of(match)
        array = split_array(read_own(own, deal, post), len(deal.taken))
        for index in own.own_slots(deal):
            array[index] = EMPTY_SLOT
        own.slot_keys.clear()
        return sealed(own, deal, "slot_hop", b"".join(array))


CHEATS = [
    OverwritesSlot,
    EmptiesSlot,
    FillsAnothersSlot,
    FillsTheLastSlot,
    OverwritesAtTheEnd,
    LowOrderSlot,
    CopiesSlot,
    PublishesLowOrder,
    PublishesTwice,
    GarbageSlotHop,
    ShortArray,
    FillsNone,
]
