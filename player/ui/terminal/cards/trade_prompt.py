"""Prompt of a trade at the terminal: its commands and their effects."""

from collections.abc import Callable, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from player.cards.card_names import completions, resolve_card
from player.cards.trades.trader import Trader
from player.ui.terminal.cards import card_text
from player.ui.terminal.cards.trade_text import TradeTable
from protocol.errors import LocalError
from protocol.ledger.trading.trade_session import TradeSession
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer

WORDS = {
    "give": "cards.word.give",
    "back": "cards.word.back",
    "want": "cards.word.want",
    "propose": "cards.word.propose",
    "yes": "cards.word.yes",
    "no": "cards.word.no",
    "show": "cards.word.show",
    "binder": "cards.word.binder",
    "say": "cards.word.say",
    "leave": "cards.word.leave",
    "help": "cards.word.help",
}


class TradeCompleter(Completer):
    """Completion of the current word: a command first, then cards separated by commas."""

    def __init__(self, words: Callable[[], list[str]], cards: Callable[[], list[str]]) -> None:
        self._words = words
        self._cards = cards

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield the completions at the cursor."""
        command, space, rest = document.text_before_cursor.lstrip().partition(" ")
        begun = rest.rpartition(",")[2].lstrip() if space else command
        for known in self._cards() if space else self._words():
            if known.casefold().startswith(begun.casefold()):
                yield Completion(known, start_position=-len(begun))


class TradePrompt:
    """Commands of a person, line by line (a `player.ui.console_lines.LineHandler`). `leave` ends
    the trade and the program.
    """

    def __init__(
        self,
        table: TradeTable,
        translate: Translate,
        tell: Callable[..., None],
        leave: Callable[[], None],
    ) -> None:
        self.table = table
        self._tell = tell
        self._leave = leave
        self._say = phrase_renderer(translate, ())
        self._meant = {
            word: name for name, key in WORDS.items() for word in translate(key, None).split("|")
        } | {name: name for name in WORDS}
        self._sure = b""  # id of a trade with reserved cards that the person has confirmed once

    # --- player.ui.console_lines.LineHandler ---

    def typed(self, line: str | None) -> None:
        """Run a typed line; None is the end of the input."""
        if line is None:
            self._leave()
            return
        word, _, rest = line.strip().partition(" ")
        if not word:
            return
        try:
            self._obey(self._meant.get(word.casefold(), ""), rest.strip())
        except LocalError as error:
            self._tell(error.phrase)

    def status(self) -> str:
        """Name the partner in one line."""
        trader = self.table.trader
        if trader is None or not trader.partner:
            return self._say(phrase("cards.status.nobody"))
        who = card_text.person(trader.showing().person(trader.partner))
        return self._say(phrase("cards.status", who=who, count=len(self.table.given)))

    def picture(self, typing: bool) -> list[list[tuple[str, str]]]:
        """Return no lines: nothing is drawn above the prompt."""
        return []

    def acts(self, key: str) -> bool:
        """Return False: no key has an action."""
        return False

    def pressed(self, key: str) -> None:
        """Do nothing."""

    def completing(self) -> TradeCompleter:
        """Return the completer: commands in this language, and cards of both sides."""
        return TradeCompleter(lambda: sorted(set(self._meant) - set("?")), self._cards)

    def _cards(self) -> list[str]:
        trader = self.table.trader
        if trader is not None:
            return completions(trader.showing().names())
        return []

    # --- commands ---

    def _obey(self, word: str, rest: str) -> None:
        trader = self.table.trader
        if word in ("", "help"):
            self._tell(phrase("cards.typed.help" if word else "cards.typed.unknown"))
        elif word == "leave":
            self._leave()
        elif trader is None or trader.trading is None:
            raise LocalError("wrong.cards.alone")
        else:
            self._trade(trader, word, rest)

    def _trade(self, trader: Trader, word: str, rest: str) -> None:
        match word:
            case "give" | "back" | "want":
                self._offer(trader, word, rest)
            case "propose":
                trader.act(TradeSession.propose)
            case "yes":
                self._yes(trader)
            case "no":
                terms = self._asked(trader)
                trader.act(lambda trading: trading.reject(terms))
            case "say":
                trader.act(lambda trading: trading.say(rest))
            case "show":
                self._tell(
                    *card_text.card_lines(
                        trader.showing().card(self._card(trader, rest, None)), self._say
                    )
                )
            case "binder":
                cards = trader.showing().mine()
                self._tell(*card_text.card_rows(cards, self._say)[1:])

    def offer(self, trader: Trader, give: tuple[bytes, ...], want: tuple[bytes, ...]) -> None:
        """Offer these cards. Raises: LocalError."""
        trader.act(lambda trading: trading.offer(give, want))
        self.table.given = give
        self.table.wanted = want

    def _offer(self, trader: Trader, word: str, rest: str) -> None:
        own = trader.collection.view.held_by(trader.collection.me)
        named = tuple(
            self._card(trader, part, None if word == "want" else own)
            for part in rest.split(",")
            if part.strip()
        )
        give = self.table.given
        want = self.table.wanted
        if word == "want":
            if named:
                want = tuple(dict.fromkeys([*want, *named]))
            else:
                want = ()
        elif word == "give":
            give = tuple(dict.fromkeys([*give, *named]))
        else:
            give = tuple(card for card in give if named and card not in named)
        self.offer(trader, give, want)
        shown = [card_text.card(card) for card in self.table.known(give)]
        self._tell(phrase("cards.typed.offer", cards=tuple(shown) or phrase("cards.nothing")))

    def _card(self, trader: Trader, text: str, among: tuple[bytes, ...] | None) -> bytes:
        return resolve_card(text, trader.showing().names(among))

    def _asked(self, trader: Trader) -> bytes:
        if trader.terms is None:
            raise LocalError("wrong.cards.no_proposal")
        return trader.terms.id

    def _yes(self, trader: Trader) -> None:
        """Sign the proposal. A reserved card needs a second confirmation."""
        trade = self._asked(trader)
        terms = trader.terms
        assert terms is not None, "it is asked about"
        warned = self._sure == trade
        self._sure = trade if terms.reserved else b""
        trader.sign(terms, warned=warned)
