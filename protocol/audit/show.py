"""A match as people read it: who sat down, what every entry means, what lies open, hands, scores, the verdict."""

from collections.abc import Callable, Iterator
from email.utils import formatdate

from protocol.audit.replay import Replay
from protocol.audit.report import clock_text, describe, plain, roster_text, scores_text, who
from protocol.audit.verdict import report_of
from protocol.crypto.group import SIZE
from protocol.dealing import TABLE, Result
from protocol.games import Hand
from protocol.identity.keys import fingerprint
from protocol.match.log import Entry
from protocol.match.state import Match

INDENT = " " * 8


def show(data: bytes) -> Iterator[str]:
    """The lines that tell the match in a log file, the audit's verdict last. Never raises for what is in it."""
    replay = Replay(data)
    for step in replay:
        if step.before is None:
            yield from setup_lines(step.after)
            continue
        if step.entry is not None:
            yield from entry_lines(step.before, step.after, step.entry)
        for fault in step.faults:
            yield f"{INDENT}!! {who(step.before, fault.seat)}, entry {fault.entry}: {fault.code}"
    yield ""
    yield from describe(report_of(replay))


def setup_lines(match: Match) -> Iterator[str]:
    """What the match is, before anything has happened."""
    setup = match.setup
    yield f"match    {match.match_id.hex()}"
    if setup.has_table:
        yield f"table    {plain(setup.table.name)}, {plain(setup.table.id)} ({fingerprint(setup.table.key)})"
        yield f"begun    {_date(setup.created)} by the table's clock"
    else:
        yield "table    no table: the seats keep the log among themselves"
        yield f"begun    {_date(setup.created)} by a seat's clock"
    yield f"game     {_with_options(*setup.terms.game)}, rules {plain(setup.terms.rules)}"
    yield f"dealing  {_with_options(*setup.terms.dealing)}"
    if setup.has_table:
        yield f"clock    {clock_text(setup.allowance)}"
    for seat, person in enumerate(setup.people, 1):
        yield f"seat {seat}   {plain(person.name)} ({fingerprint(person.identity)})"
    yield ""


def _date(seconds: int) -> str:
    try:
        return formatdate(seconds, usegmt=True)
    except (ValueError, OverflowError, OSError):
        return f"{seconds} seconds after 1970"


def _with_options(name: str, options: tuple[tuple[str, int | str], ...]) -> str:
    return plain(", ".join([name, *(f"{key} {value}" for key, value in options)]))


def entry_lines(before: Match, after: Match, entry: Entry) -> Iterator[str]:
    """One entry that stands, and what it led to, between the fold's states before and after it."""
    seat = "–" if entry.author == TABLE else str(entry.author + 1)  # somebody may call himself "the table"
    meaning = MEANINGS[entry.kind](before, entry) if entry.kind in MEANINGS else ""
    yield f"{before.number:>6}  {seat} {who(before, entry.author):<10}  {entry.kind:<11} {meaning}".rstrip()
    if roster_text(after) and not roster_text(before):
        yield f"{INDENT}Roster words: {roster_text(after)}"
    yield from _laid(before, after)
    closed, ended = _closed_deal(before, after, entry), _ended_hand(before, after)
    if closed is not None:
        yield from _hands(after, closed)
    if ended:
        yield from (INDENT + row for row in ended)
    if ended or closed is not None:
        yield f"{INDENT}Scores: {scores_text(after)}"


def _laid(before: Match, after: Match) -> Iterator[str]:
    """What lies open on the table, if the entry changed it."""
    if before.game is not None:
        game = after.setup.game
        for row in after.setup.text.laid_text(game, before.game, after.game, _names(after), 100):
            yield INDENT + row


def _ended_hand(before: Match, after: Match) -> list[str]:
    """How a hand ended, if it did by this entry."""
    result, game = getattr(after.game, "result", None), after.setup.game
    if result is None or result is getattr(before.game, "result", None) or after.faults:
        return []
    return after.setup.text.result_text(game, result, _names(after)).splitlines()


def _names(match: Match) -> list[str]:
    return [who(match, seat) for seat in range(match.setup.seats)]


def _closed_deal(before: Match, after: Match, entry: Entry) -> Result | None:
    """The result of the deal that this entry closed. The fold does not keep it, so that step is taken again."""
    if after.deal is not None and after.deal.result is not None:
        return after.deal.result
    if after.deal_number == before.deal_number or before.deal is None or entry.kind not in before.setup.dealing.kinds:
        return None
    return before.setup.dealing.apply(before.deal, entry.author, entry.kind, entry.body, before.number).result


def _hands(after: Match, result: Result) -> Iterator[str]:
    for seat, (dealt, drawn) in enumerate(zip(result.dealt, result.drawn, strict=True)):
        more = f", drew {_pieces(after, drawn)}" if drawn else ""
        yield f"{INDENT}{who(after, seat)} was dealt {_pieces(after, dealt)}{more}"


def _pieces(match: Match, hand: Hand) -> str:
    return match.setup.text.hand_text(match.setup.game, hand, 10_000)


def _move(match: Match, entry: Entry) -> str:
    game = match.setup.game
    return match.setup.text.action_text(game, match.game, who(match, entry.author), game.parse(entry.body[0]))


def _stock(match: Match, entry: Entry) -> str:
    return f"says what nobody has taken: {sum(byte.bit_count() for byte in entry.body[0])} pieces"


def _say(words: str) -> Callable[[Match, Entry], str]:
    return lambda match, entry: words


def _count(words: str) -> Callable[[Match, Entry], str]:
    """Words with the length of the body's first list in them."""
    return lambda match, entry: words.format(len(entry.body[0]))


def _next_seat(words: str) -> Callable[[Match, Entry], str]:
    return lambda match, entry: f"{words} {who(match, (entry.author + 1) % match.setup.seats)}"


def _shares_refused(match: Match, entry: Entry) -> str:
    doubted = ", ".join(who(match, seat) for seat in entry.body[0])
    return f"doubts the share of the key of {doubted}" if doubted else "has good shares of all other keys"


def _clock(words: str) -> Callable[[Match, Entry], str]:
    """Words with the seat that the table speaks of, and how long it says to have waited for it."""
    return lambda match, entry: f"{words.format(who(match, entry.body[0]))}, after {entry.body[1] / 1000:,.1f} s"


MEANINGS: dict[str, Callable[[Match, Entry], str]] = {
    "sit": _say("sits down with a key for this match, and commits to a roster nonce"),
    "nonce": _say("opens the roster nonce"),
    "move": _move,
    "receipt": lambda match, entry: f"signs the score: {scores_text(match)}",
    "protest": lambda match, entry: f"protests against entry {entry.body[0]}",
    "leave": _say("leaves the match"),
    "warning": _clock("warns {}"),
    "extension": _clock("gives {} one more turn's time"),
    "lapse": _clock("declares that the time of {} is over"),
    "pseudonyms": _count("orders {} pieces in secret and publishes a pseudonym for each"),
    "layer": _count("puts a layer on {} pseudonyms and shuffles them"),
    "hop": _next_seat("takes a piece, swaps one or does neither, and hands the sealed list to"),
    "stock": _stock,
    "commit": lambda match, entry: f"commits to the {'key of its envelopes' if len(entry.body) == 1 else 'hand'}",
    "strip": _count("takes the own layer off the {} pieces that were taken"),
    "slot_hop": _next_seat("fills a slot or none, and hands the sealed slots to"),
    "slots": _count("publishes the {} slots"),
    "assign": lambda match, entry: f"seals each of {len(entry.body[1])} pieces to its slot",
    "draw_key": _say("hands over the own layer's key of the piece drawn"),
    "draw_query": _say("asks the table for that piece without saying which it is"),
    "draw_reply": _count("answers with all {} that it may be, of which one can be opened"),
    "open_seat": _say("opens the secrets of this deal"),
    "open_table": _say("opens the secrets of this deal"),
    "pack": lambda match, entry: f"packs {len(entry.body[0]) // SIZE} pieces into its envelopes and shuffles them",
    "choose": lambda match, entry: f"chooses {sum(map(len, entry.body[0]))} pieces for everybody",
    "unwrap": lambda match, entry: f"takes its envelopes off {len(entry.body[0]) // SIZE} pieces of others",
    "open_key": _say("opens the key of its envelopes"),
    "key": _say("makes a key for this deal, and proves to know it"),
    "confirm": _shares_refused,
    "answer": _count("opens {} shares of the own key that were doubted"),
    "shuffle": _say("shuffles and masks the deck, and proves it"),
    "shares": lambda match, entry: f"unlocks {len(entry.body[0]) // SIZE} pieces for their holders, with proofs",
    "show": lambda match, entry: f"shows the {len(entry.body[0]) // SIZE} pieces that are left, with proofs",
    "recover": _count("opens its shares of the keys of seats that left: {}"),
}
