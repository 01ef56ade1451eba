"""Cheats at the game itself."""

from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.dominoes.layout import open_ends
from protocol.games.dominoes.state import DominoesPhase
from protocol.games.operations import Reveal
from tests.adversary.cheats.base import GARBAGE, Cheat, When, deal_of


def _unheld(match, hand):
    """Return a tile that fits and is neither played nor ours, with an end where it fits."""
    game, state = match.setup.game, match.game
    for piece in range(len(game.tiles)):
        ends = open_ends(game.tiles[piece], state.ends)
        if ends and piece not in hand and piece not in state.played:
            return piece, ends[0]
    return None


class PlaysUnheld(Cheat):
    """Plays a tile that it does not hold, with a made-up key."""

    code, when = Code.BAD_OPENING, When.AT_ONCE

    def move(self, match, action):
        found = _unheld(match, self.hand) if match.game.phase is DominoesPhase.PLAY else None
        if found is None:
            return super().move(match, action)
        self.acted = True
        return Post("move", [["play", *found], [[0, GARBAGE.randbytes(32), []]]])


class Lender(Cheat):
    """Accomplice that tells its friend how to open its tiles."""

    shameless = True
    lent: dict = {}  # noqa: RUF012  # by match id: piece -> opening

    def respond(self, match):
        post = super().respond(match)
        if match.deal is not None and self._half is not None:
            half = self._half
            self.lent[match.match_id] = {
                piece: half.part(match.deal, Reveal(piece)) for piece in half.hand
            }
        return post


class Borrower(Cheat):
    """Plays a tile of its accomplice with the real opening, because none of its own fits."""

    code, when = Code.NOT_HELD, When.CLOSE
    friends = {2: Lender}  # noqa: RUF012

    def move(self, match, action):
        if action[0] == "pass":
            for piece, opening in Lender.lent.get(match.match_id, {}).items():
                ends = open_ends(match.setup.game.tiles[piece], match.game.ends)
                if ends and piece not in match.game.played:
                    self.acted = True
                    return Post("move", [["play", piece, ends[0]], [opening]])
        return super().move(match, action)


class FalsePass(Cheat):
    """Passes although it could play."""

    code, when = Code.FALSE_PASS, When.CLOSE

    def move(self, match, action):
        if match.game.phase is not DominoesPhase.PLAY or action[0] == "pass":
            return super().move(match, action)
        self.acted = True
        return super().move(match, ("pass",))


class FalseDraw(Cheat):
    """Draws although it could play."""

    code, when = Code.FALSE_DRAW, When.CLOSE
    game = "draw-dominoes"
    options = {"hand": 3}  # noqa: RUF012
    done = False

    def move(self, match, action):
        if (
            action[0] == "play"
            and match.game.phase is DominoesPhase.PLAY
            and match.game.stock
            and not self.done
        ):
            self.done = self.acted = True
            return super().move(match, ("draw",))
        return super().move(match, action)


class FalseDenial(Cheat):
    """Denies holding any of the tiles that are called."""

    code, when = Code.FALSE_DENIAL, When.CLOSE

    def move(self, match, action):
        if match.game.phase is not DominoesPhase.CALL or action[0] == "deny":
            return super().move(match, action)
        self.acted = True
        return super().move(match, ("deny",))


class OnlyOnce(Cheat):
    """Posts one entry that is refused, and goes on honestly."""

    when = When.REFUSED
    done = False

    def move(self, match, action):
        post = super().move(match, action)
        wrong = None if self.done else self.wrong(match, post)
        if wrong is None:
            return post
        self.done = self.acted = True
        return wrong

    def wrong(self, match, post):
        raise NotImplementedError


class PlaysWhatDoesNotFit(OnlyOnce):
    """Plays one of its own tiles where it does not fit."""

    code = Code.ILLEGAL_MOVE

    def wrong(self, match, post):
        if match.game.phase is not DominoesPhase.PLAY:
            return None
        for piece in self.hand:
            if not open_ends(match.setup.game.tiles[piece], match.game.ends):
                return Post(
                    "move", [["play", piece, 0], [self._half.part(match.deal, Reveal(piece))]]
                )
        return None


class PlaysAgain(OnlyOnce):
    """Plays a tile that is already in the line."""

    code = Code.TILE_PLAYED

    def wrong(self, match, post):
        shown = deal_of(match).shown_pieces
        return Post("move", [["play", shown[0].piece, 0], [[0, bytes(32), []]]]) if shown else None


class PassesInTheDrawGame(OnlyOnce):
    """Passes while there is a stock to draw from."""

    code = Code.ILLEGAL_MOVE
    game = "draw-dominoes"

    def wrong(self, match, post):
        return (
            Post("move", [["pass"], []])
            if match.game.phase is DominoesPhase.PLAY and match.game.stock
            else None
        )


class SpeaksNonsense(OnlyOnce):
    """Posts an action that the game does not have."""

    code = Code.BAD_ACTION

    def wrong(self, match, post):
        return Post("move", [["win"], []])


class WrongPart(OnlyOnce):
    """Posts a move whose proof has the wrong shape."""

    code = Code.BAD_ENTRY

    def wrong(self, match, post):
        return Post("move", [post.body[0], [[[]]]])


class OwnPoints(Cheat):
    """Signs a receipt with points of its own choice; after the refusal signs the right one."""

    code, when, kind = Code.WRONG_SCORES, When.REFUSED, "receipt"
    done = False

    def twist(self, match, post):
        if self.done:
            return post
        self.done = True
        scores = list(post.body[0])
        scores[self.number] += 100
        return Post("receipt", [scores])


CHEATS = [
    PlaysUnheld,
    Borrower,
    FalsePass,
    FalseDraw,
    FalseDenial,
    PlaysWhatDoesNotFit,
    PlaysAgain,
    PassesInTheDrawGame,
    SpeaksNonsense,
    WrongPart,
    OwnPoints,
]
