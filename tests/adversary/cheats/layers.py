"""Cheats with the layers of encryption: irreversible lists and wrong keys."""

from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.layered.primitives import layer
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of


class LayerTwice(Cheat):
    """A list with an element twice."""

    code, when, kind = Code.BAD_LIST, When.AT_ONCE, "layer"

    def twist(self, match, post):
        (elements,) = post.body
        return Post("layer", [[elements[0], elements[0], *elements[2:]]])


class LayerShort(Cheat):
    """Posts a list with one element missing."""

    code, when, kind = Code.BAD_LIST, When.AT_ONCE, "layer"

    def twist(self, match, post):
        return Post("layer", [post.body[0][1:]])


class LayerCorrupt(Cheat):
    """Posts a list with an element that no key decrypts: found when it is taken or drawn, or at the
    close.
    """

    code, when, kind = Code.BAD_LAYER_KEY, When.ANY, "layer"
    game = "draw-dominoes"
    garbage = b""

    def twist(self, match, post):
        if not self.garbage:
            self.garbage = GARBAGE.randbytes(32)
        own = self.layered(match)
        own_list = [self.garbage, *post.body[0][1:]]
        # the key that it gives for that element is made up, too
        own.layer_keys[0] = bytes(32)
        return Post("layer", [own_list])


class LayerFromOne(Cheat):
    """Posts a list in which two elements decrypt to the same: one piece would be dealt twice,
    another never.
    """

    code, when, kind = Code.BAD_LAYER_KEY, When.ANY, "layer"
    game = "draw-dominoes"

    def twist(self, match, post):
        deal, own = deal_of(match), self.layered(match)
        before = deal.input_of(own.seat)[own.order[0]]
        twin = layer(deal.deal_id, own.seat, own.layer_keys[1], before)
        return Post("layer", [[post.body[0][0], twin, *post.body[0][2:]]])


class WrongStripKeys(Cheat):
    """Publishes wrong keys when the layers come off."""

    code, when, kind = Code.BAD_LAYER_KEY, When.AT_ONCE, "strip"

    def twist(self, match, post):
        keys = post.body[0]
        return Post("strip", [[keys[1], keys[0], *keys[2:]]])


class FewStripKeys(Cheat):
    """Withholds one key when the layers come off."""

    code, when, kind = Code.BAD_LIST, When.AT_ONCE, "strip"

    def twist(self, match, post):
        return Post("strip", [post.body[0][1:]])


CHEATS = [LayerTwice, LayerShort, LayerCorrupt, LayerFromOne, WrongStripKeys, FewStripKeys]
