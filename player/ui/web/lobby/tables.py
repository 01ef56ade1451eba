"""The lobby of the page: the tables of a manager with their terms in words, and the requests of a
person there.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from player.client import events
from player.client.loadouts import DeckChoices
from player.client.requirements import rules_of
from player.client.rule_sets import NO_RULE_SETS, OfferedRules, RuleSets, named_digest
from player.client.table_client import Plan
from player.client.table_list import unplayable_reason
from player.lobby.roster import Guest
from player.presenter.table_words import search_by_words
from player.presenter.terms_text import (
    clock_line,
    rules_lines,
    trust_lines,
    without_card_conditions,
)
from player.ui.web.lobby.decks import DeckChoice, deck_named
from player.ui.web.lobby.forms import Form, read_form
from player.ui.web.lobby.people import WISHES, LobbyPeople, WaitingPartners
from protocol import wire
from protocol.dealing.registry import DEALINGS
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.accepted_lists import OWNED_CARDS
from protocol.games.registry import Games
from protocol.games.scripted.rule_file.built_in import rule_digest, rules_problem
from protocol.identity.keys import JoinLink, fingerprint, short_fingerprint
from protocol.identity.names import name_problem, tidy_name
from protocol.limits import TABLES_A_PAGE
from protocol.match.clock import Allowance
from protocol.match.match_rules import MatchRules
from protocol.match.setup import Person
from protocol.match.terms import Terms, encode_terms
from protocol.messages.table_search import FIRST_PAGE, TablePage, TableSearch
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, sanitize

PAGE_SEARCH = FIRST_PAGE._replace(most=TABLES_A_PAGE)
MAIN = "main"  # the table that a manager always has; others go when nobody is there


@dataclass(frozen=True)
class Choice:
    """A person's decision: a plan for a table, the link of another table manager (no plan), or a
    trade with the `partner`.
    """

    link: JoinLink
    name: str  # the name under which the person plays
    plan: Plan | None = None
    deck: str | None = None  # the deck to play with; None: no deck
    partner: Guest | None = None


@dataclass(frozen=True)
class Company:
    """The people at the tables, and the person's actions with them. An action that is None is not
    available here.
    """

    people: LobbyPeople
    # returns sentences about the person's own table
    own: Callable[[], tuple[Phrase, ...]] | None
    # seats a bot at the table where the person waits
    add_bot: Callable[[str, Terms, tuple[str, ...]], None] | None
    # answers what comes after a match: "other" (game, with the same people) or "back" (to the tables)
    on_way: Callable[[str], None]
    # changes the terms of the person's own table
    change: Callable[[Terms], None] | None = None
    # bans the person with this fingerprint from the person's own table
    send_away: Callable[[str], None] | None = None
    # lifts this ban of the person's own table
    let_back: Callable[[str], None] | None = None
    # ends the bots that wait at this table
    end_bots: Callable[[str], None] | None = None
    # gets the table where the person has begun to wait, its terms, and the names there
    on_wait: Callable[[str, Terms, tuple[str, ...]], None] | None = None


class Lobby:
    """The tables behind one link, as they were listed last, until the person has chosen one."""

    def __init__(
        self,
        link: JoinLink,
        plan: Plan,
        games: Games,
        say: Say,
        decided: Callable[[Choice], None],
        decks: DeckChoices | None = None,
        company: Company | None = None,
        look: Callable[[TableSearch], None] = lambda search: None,
    ) -> None:
        """`plan`: the name and the requirements of the person. `decided` gets the person's choice.
        `look` requests a page of the tables.
        """
        self._look = look
        self.search = PAGE_SEARCH
        self._starts: list[int] = []  # places of the pages before this one
        self._page: TablePage | None = None
        self._company = company
        # the deck for a table to which people are invited
        self._chosen: tuple[Terms, str | None] | None = None
        self._at: events.Waiting | None = None  # the table at which the person waits
        self._sitting: events.Offered | None = None  # the terms of that table
        self.choosing = True  # the person has not decided yet
        self._decks = DeckChoice(decks, games, say)
        self.link = link
        self._plan = plan
        self._games = games
        self._say = say
        self._decided = decided
        self._rows: tuple[tuple[Any, ...], ...] | None = None
        self._rule_sets: RuleSets = NO_RULE_SETS

    def take_tables(self, event: events.Listed) -> None:
        """Take the manager's list of tables: one page of it. The answer to an earlier search is
        dropped.
        """
        page = event.page
        if page is not None and not page.answers(self.search):
            return
        self._rows = event.rows
        self._rule_sets = event.rule_sets
        self._page = page
        if page is not None and not page.rows and page.start:
            self._show_page([])  # the tables of this page are gone

    def take_terms(self, event: events.Offered) -> None:
        """Take the terms of the seat that the person is about to take."""
        self._sitting = event

    def take_waiting(self, event: events.Waiting) -> None:
        """Take the state of the table at which the person waits with others."""
        first = self._at is None
        self._at = event
        company = self._company
        if first and self._sitting is not None and company is not None and company.on_wait:
            names = tuple(one.name for one in event.people)
            company.on_wait(event.table_id, self._sitting.terms, names)

    @property
    def at(self) -> str | None:
        """Return the id of the table at which the person has waited; None if at none."""
        return None if self._at is None else self._at.table_id

    def shown(self) -> dict[str, Any]:
        """Return the lobby for a snapshot; `tables` is null before the first list."""
        if self._rows is None or not self.choosing:
            tables = None
        else:
            tables = [self._table(*row) for row in self._rows]
        company = self._company
        return {
            "link": str(self.link),
            "name": self._plan.name,
            "tables": tables,
            "page": None if self._page is None else self._shown_page(self._page),
            "choosing": self.choosing,
            "company": None if company is None else company.people.shown(),
            "own": self._own(),
            "game": None if self._sitting is None else sanitize(self._sitting.terms.game.name),
            "bots": company is not None and company.add_bot is not None and not self._is_owned,
            "no_bots": self._say(phrase("lobby.bot.owned")) if self._is_owned else None,
        }

    def _shown_page(self, page: TablePage) -> dict[str, Any]:
        return {
            "text": sanitize(page.text or ""),
            "first": page.before + 1,
            "last": page.before + len(page.rows),
            "total": page.total,
            "previous": bool(self._starts),
            "next": page.next is not None,
        }

    @property
    def _is_owned(self) -> bool:
        """Check that the table where the person waits is for owned cards, which no bot has."""
        return self._sitting is not None and OWNED_CARDS in self._sitting.terms.game.options

    def _own(self) -> list[str] | None:
        if self._company is None or self._company.own is None:
            return None
        return [self._say(told) for told in self._company.own()]

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a request of the page, and return its answer: a form, or nothing. Raises:
        WrongField, LocalError.
        """
        if self._company is not None and self._act_on_people(self._company, body):
            return {}
        if not self.choosing:
            raise LocalError("form.none")
        if self._turn_page(body):
            return {}
        match body.get("do"):
            case "form":
                return {"form": self._form(body).shown()}
            case "create":
                self._create(body)
            case "change":
                self._change(body)
            case "join" | "watch" as what:
                self._join(body, watch=what == "watch")
            case "trust_rules":
                self._trust_rules(self._listed_terms(body))
            case "name":
                self._plan = replace(self._plan, name=_valid_name(str(body.get("name", ""))))
                if self._company is not None:
                    self._company.people.rename(self._plan.name)
            case "link":
                self._decided(Choice(self._link(str(body.get("link", ""))), self._plan.name))
            case _:
                raise LocalError("form.none")
        return {}

    def _turn_page(self, body: Mapping[str, Any]) -> bool:
        """Search or turn the page. Return False for any other request. Raises: LocalError."""
        match body.get("do"):
            case "find":
                self._find(str(body.get("text", "")), body.get("games", []))
            case "next":
                if self._page is not None and self._page.next is not None:
                    self._show_page([*self._starts, self.search.start], self._page.next)
            case "previous":
                if self._starts:
                    self._show_page(self._starts[:-1], self._starts[-1])
            case _:
                return False
        return True

    def _find(self, text: str, named: list[Any]) -> None:
        """Search for tables by this text. `named`: games with this text in their names on the page.
        Raises: LocalError if the text is too long.
        """
        search = search_by_words(text, self._games, self._say, list(map(str, named)))
        self.search = search._replace(most=TABLES_A_PAGE)
        self._show_page([])

    def _show_page(self, starts: list[int], start: int = 0) -> None:
        """Request another page. `starts`: the places of the pages before it."""
        self._starts = starts
        self.search = self.search._replace(start=start)
        self._look(self.search)

    def _act_on_people(self, company: Company, body: Mapping[str, Any]) -> bool:
        """Carry out a request about people or bots. Return False for any other request. Raises:
        LocalError.
        """
        at = self._at
        match body.get("do"):
            case "bot" if company.add_bot is not None and at is not None and self._sitting:
                terms = self._sitting.terms
                if self._is_owned:
                    raise LocalError("lobby.bot.owned")
                company.add_bot(at.table_id, terms, tuple(one.name for one in at.people))
            case "unbot" if company.end_bots is not None and at is not None:
                company.end_bots(at.table_id)
            case "remove" if company.send_away is not None:
                guest = company.people.guest(body.get("number", 0))
                # the person may have thought about it while others came and went
                if short_fingerprint(guest.key) != body.get("target"):
                    raise LocalError("lobby.gone.person")
                company.send_away(fingerprint(guest.key))
            case "let_back" if company.let_back is not None:
                company.let_back(company.people.ban(str(body.get("target", ""))).target)
            case "call" if at is not None:
                meeting = company.people.meeting
                if meeting is None:
                    raise LocalError("wrong.unheard")
                meeting.call(company.people.guest(body.get("number", 0)), at.table_id)
            case "follow":
                self._follow(company.people.waiting)
            case "other" | "back" as way:
                company.on_way(way)
            case wish if wish in WISHES:
                company.people.act(body)
            case _:
                return False
        return True

    def _create(self, body: Mapping[str, Any]) -> None:
        """Open a table. Invited people get their invitations as soon as it is open. Raises:
        WrongField, LocalError.
        """
        terms = self._form(body).terms()
        deck = self._decks.of(body.get("deck"), terms)
        invited = body.get("invited", [])
        meeting = None if self._company is None else self._company.people.meeting
        if invited and self._company is not None and meeting is not None:
            self._chosen = terms, deck
            meeting.play_with(self._company.people.guests(invited), terms)
        else:
            self._decide(replace(self._plan, create=terms), deck)

    def _change(self, body: Mapping[str, Any]) -> None:
        """Change the terms of the person's own table. Raises: WrongField, LocalError."""
        terms = self._form(body).terms()
        if self._company is None or self._company.change is None:
            raise LocalError("form.none")
        if any(name == MAIN and running for name, _, _, running in self._rows or ()):
            raise LocalError("lobby.change.running")
        self._company.change(terms)

    def arrive(self, table_id: str, terms: Terms) -> None:
        """Go to a table by an invitation, or to an own table to which others are invited."""
        plan = replace(self._plan, table_id=table_id, agreed=terms)
        if self._chosen is not None and self._chosen[0] == terms:
            deck = self._chosen[1]
        else:
            deck = self._decks.of(None, terms)
        self._decide(plan, deck)

    def _follow(self, waiting: WaitingPartners) -> None:
        """Go to the table where people of the last match wait. Raises: LocalError."""
        if waiting.terms is None:
            raise LocalError("lobby.gone.person")
        if (reason := self._why_not(waiting.terms)) is not None:
            raise LocalError(reason)
        self.arrive(waiting.table_id, waiting.terms)

    def match_rules(self, body: Mapping[str, Any]) -> MatchRules:
        """Return the rules of a table, or of the form's terms. Raises: WrongField, LocalError."""
        if "table" not in body:
            terms = self._form(body).filled_terms()
        else:
            terms = self._listed_terms(body)
            offered = self._offered_rules(terms)
            if offered is not None:
                # nothing of a stranger's rules is drawn before the person trusts the author
                return MatchRules(terms, self._games, offered.rules.text if offered.fit else "")
        return MatchRules(terms, self._games, self._decks.text)

    def _listed_terms(self, body: Mapping[str, Any]) -> Terms:
        """Return the terms of a table. Raises: LocalError if they are not those that the page showed."""
        for name, terms, *_ in self._rows or ():
            if (name, terms_digest(terms)) == (body.get("table"), body.get("terms")):
                found: Terms = terms
                return found
        raise LocalError("lobby.changed")

    def _form(self, body: Mapping[str, Any]) -> Form:
        requires = self._plan.requires
        hosts = self._company is not None and self._company.own is not None
        return Form(read_form(body), self._games, self._say, requires, self._decks, hosts=hosts)

    def _link(self, text: str) -> JoinLink:
        link = JoinLink.parse(text)
        if link.direct:
            raise LocalError("lobby.direct", link=str(link))
        return link

    def _join(self, body: Mapping[str, Any], watch: bool) -> None:
        """Join or watch a listed table. Raises: LocalError, also if its terms are not those that the
        page showed.
        """
        terms = self._listed_terms(body)
        deck = deck_named(body.get("deck"))
        reason = self._why_not(terms, watch)
        # the deck for a signed set is checked as soon as its rules are brought
        if reason is None and not watch and self._offered_rules(terms) is None:
            reason = self._decks.wrong(deck, terms)
        if reason is not None:
            raise LocalError(reason)
        if watch:
            chosen = None
        else:
            chosen = self._decks.of(deck, terms)
        plan = replace(self._plan, table_id=body["table"], agreed=terms, spectate=watch)
        self._decide(plan, chosen)

    def _decide(self, plan: Plan, deck: str | None) -> None:
        self._decided(Choice(self.link, plan.name, plan, deck))

    def _why_not(self, terms: Terms, watch: bool = False) -> Phrase | None:
        reason = unplayable_reason(terms, self._games)
        if reason is not None or watch:
            return reason
        return self._plan.requires.unmet(terms) or self._other_rules(terms)

    def _other_rules(self, terms: Terms) -> Phrase | None:
        """Return why a person with this rule file, or without one, cannot sit down here."""
        if (offered := self._offered_rules(terms)) is not None:
            return offered.problem()
        played = rules_of(terms, self._decks.text, self._games)
        if played is None or played.contract is not None:
            return None
        return rules_problem(played.game.rules, self._decks.text)

    def _offered_rules(self, terms: Terms) -> OfferedRules | None:
        """Return the signed rule set of these terms, unless the person has named the file."""
        digest = named_digest(terms)
        if not digest or (self._decks.text and rule_digest(self._decks.text) == digest):
            return None
        return self._rule_sets.offered(digest)

    def _trust_rules(self, terms: Terms) -> None:
        """Take the answer yes to the question about the rule set of a table. Raises: LocalError."""
        offered = self._offered_rules(terms)
        if offered is None or offered.question is None:
            raise LocalError("lobby.changed")
        self._rule_sets.trust(offered)

    def _rules_question(self, terms: Terms) -> str | None:
        """Return the question about the rule set of a table, if there is one."""
        offered = self._offered_rules(terms)
        return None if offered is None else self._told(offered.question)

    def _rules(self, terms: Terms) -> list[str]:
        """Return lines about the rules of a table, and about the cards that it accepts."""
        offered, creators = self._offered_rules(terms), self._decks.creators(terms)
        return rules_lines(terms, self._say, self._games, offered=offered, creators=creators)

    def _told(self, reason: Phrase | None) -> str | None:
        return None if reason is None else self._say(reason)

    def _table(
        self, name: str, terms: Terms, people: list[list[Any]], running: int
    ) -> dict[str, Any]:
        row = self._games.specs.get(terms.game.name)
        here = [Person(*person) for person in people]
        return {
            "id": name,
            "title": sanitize(name),
            "terms": terms_digest(terms),
            "game": sanitize(terms.game.name),
            "about": self._say(phrase(row.about)) if row else "",
            "sheet": bool(row and row.sheet),
            "options": list(_options(terms, self._games, self._say)),
            "unusual": list(_unusual(terms, self._games, self._say)),
            "rules": [line.strip() for line in self._rules(terms)],
            "rules_question": self._rules_question(terms),
            "deck": self._decks.shown(terms),
            "dealing": sanitize(terms.dealing.name),
            "trust": [line.strip() for line in trust_lines(terms, self._say, self._games)],
            "clock": _clock(terms, self._say),
            "people": [
                {"name": sanitize(one.name), "fingerprint": short_fingerprint(one.identity)}
                for one in here
            ],
            "seats": terms.seats,
            "running": bool(running),
            "main": name == MAIN,
            "filled": _filled(terms),
            "why_not": self._told(self._why_not(terms)),
            "why_no_look": self._told(self._why_not(terms, watch=True)),
        }


def _valid_name(name: str) -> str:
    """Return a typed name without needless space. Raises: LocalError if it is no valid name."""
    name = tidy_name(name)
    if (why := name_problem(name)) is not None:
        raise LocalError("wrong.name.typed", why=why)
    return name


def terms_digest(terms: Terms) -> str:
    """Return the digest by which a page names terms that it has shown."""
    return sha256(wire.encode(encode_terms(terms))).hexdigest()


def _options(terms: Terms, games: Games, say: Say) -> Iterator[str]:
    """Yield the options in words, such as "points that win: 100"; all options of the game if its
    rules are here.
    """
    row = games.specs.get(terms.game.name)
    dealing = DEALINGS.get(terms.dealing.name)
    values = dict(terms.game.options)
    with suppress(RemoteError):
        values = dict(
            games.spec_of_version(terms.game.name, terms.rules).values(terms.seats, values)
        )
    known = (*(row.options if row else ()), *(dealing.options if dealing else ()))
    about = {option.name: say(phrase(option.help_key)) for option in known}
    for name, value in (*without_card_conditions(tuple(values.items())), *terms.dealing.options):
        yield f"{about.get(name, sanitize(name))}: {sanitize(str(value))}"


def _unusual(terms: Terms, games: Games, say: Say) -> Iterator[str]:
    """Yield the options and the clock that differ from the usual ones, in words. Owned cards are left
    out: the sentences about the rules name them.
    """
    row = games.specs.get(terms.game.name)
    about = {option.name: say(phrase(option.help_key)) for option in (row.options if row else ())}
    for name, value in without_card_conditions(terms.game.options):
        if (name, value) == OWNED_CARDS:
            continue
        yield f"{about.get(name, sanitize(name))}: {sanitize(str(value))}"
    if dict(terms.clock) != dict(Allowance().options()):
        yield _clock(terms, say)


def _filled(terms: Terms) -> dict[str, Any]:
    """Return a form in which these terms are filled in."""
    return {
        "game": terms.game.name,
        "seats": terms.seats,
        "options": dict(terms.game.options),
        "dealing": terms.dealing.name,
        "dealing_options": dict(terms.dealing.options),
        "clock": dict(terms.clock),
    }


def _clock(terms: Terms, say: Say) -> str:
    try:
        return clock_line(terms, say).strip()
    except RemoteError:
        return ""
