"""Games by rule files: a text without the named digest, a text that is no game, illegal choices,
and coins (chapters 32 and 33).
"""

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    BodyChange,
    change_due_body,
    change_field,
    fault_case,
    is_action,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import SeatedPlayer
from conformance.table.lobby.lobby import bad_table
from conformance.table.match.rule_files.kit_files import (
    COSTLY,
    CROSSING,
    ENDLESS,
    JUDGED,
    KIT,
    NONSENSE,
    WAITS,
    terms,
)
from protocol.codes import Code
from protocol.games.scripted.engine.state import ScriptState
from protocol.limits import MAX_RULE_FILE

GROUP = CaseGroup("scripts")
TERMS = terms(KIT)
# of a table at which nobody brings anything yet
OPENED = {name: value for name, value in TERMS.items() if name != "brings"}
BAD_ACTION = Code.BAD_ACTION
ILLEGAL = Code.ILLEGAL_MOVE
BAD_NONCE = Code.BAD_NONCE


def instead(place: int, value: object) -> BodyChange:
    """Return a change of the due choice: another verb or number."""
    return change_field(0, lambda words: [*words[:place], value, *words[place + 1 :]])


def by_the_other(verb: str, code: Code) -> CaseBody:
    """Make a case: one seat posts what the other must post."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, "move", 0, is_action(verb), **TERMS)
        due = player.due()
        assert due is not None
        other = play.players[1]
        await other.refused(other.entry(kind="move", body=due.body), code)
        await play.play(player)
        await play.end()

    return run


def void(text: str) -> CaseBody:
    """Make a case: by this file the match ends without a winner, and nobody is named."""

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play(**terms(text))
        await play.finish()
        if play.match.winner is not None:
            raise CaseFailed("somebody has won by rules that are wrong")

    return run


@GROUP.case("4.5.18", "rules")
async def file_for_whoever_asks(arena: TableEnvironment) -> None:
    """The table passes the file of its terms, from who waits there to who does not."""
    owner, other = await arena.guest(), await arena.guest()
    table = await arena.table(owner, **OPENED)
    await other.send("ask_rules", table)
    if await other.expect("rules") != [table, b""]:
        raise CaseFailed("a file that nobody has given")
    await owner.join(table)
    await owner.send("give_rules", KIT.encode())
    # the answer to another question says that the file has been read
    await owner.send("list")
    await owner.expect("tables")
    await other.send("ask_rules", table)
    if await other.expect("rules") != [table, KIT.encode()]:
        raise CaseFailed("another file than was given")


@GROUP.case("4.5.18", str(Code.OTHER_TERMS))
async def file_that_the_terms_do_not_name(arena: TableEnvironment) -> None:
    owner = await arena.guest()
    table = await arena.table(owner, **OPENED)
    await owner.join(table)
    await owner.send("give_rules", JUDGED.encode())
    await owner.expect_error(Code.OTHER_TERMS)
    other = await arena.guest()
    await other.send("ask_rules", table)
    if await other.expect("rules") != [table, b""]:
        raise CaseFailed("a file that the terms do not name")


@GROUP.case("33.1.2", "clean")
async def file_that_the_table_has_never_seen(arena: TableEnvironment) -> None:
    """The log has the text of the file; a table needs nothing else."""
    play = await arena.play(**TERMS)
    await play.finish()
    if play.match.winner != 0:
        raise CaseFailed("the one whom the rules name has not won")


@GROUP.case("33.4.1", str(ILLEGAL))
async def seat_that_can_do_something_and_leaves_it(arena: TableEnvironment) -> None:
    """The seat skips its turn, although everybody sees that `call` is legal."""
    text = KIT.replace(
        'act["name"] == "lay" and', 'act["name"] == "call" or act["name"] == "lay" and'
    )
    await refusal_case(
        "move",
        None,
        ILLEGAL,
        replace_action("leave", 0, 0, 0, 0, b""),
        is_action("lay"),
        **terms(text),
    )(arena)


@GROUP.case("33.4.4", "clean")
async def seats_that_may_do_nothing(arena: TableEnvironment) -> None:
    """The seats say that they have no legal choice, and nobody is named; the file's rule for a
    lapse applies.
    """
    play = await arena.play(
        **terms(KIT.replace('act["name"] == "lay" and', 'act["name"] == "lay" and 0 and'))
    )
    await play.finish()


@GROUP.case("33.7.7", str(Code.TOO_COSTLY))
async def effects_that_wait_beyond_their_bound(arena: TableEnvironment) -> None:
    """Each action leaves effects behind a question. Three times they fit into the bound for what a
    match keeps, the fourth time they do not: it is refused, and the match goes on.
    """
    play, player = await reach_kind(arena, "move", None, is_action("lay"), **terms(WAITS))
    action = replace_action("go", 0, 0, 0, 0, b"")
    for _ in range(3):
        await play.stands(player, player.entry(body=change_due_body(player, action).body))
    await player.refused(player.entry(body=change_due_body(player, action).body), Code.TOO_COSTLY)
    await play.play(player)
    await play.end()


@GROUP.case("33.4.2", "clean")
async def choices_of_two_seats_that_cross(arena: TableEnvironment) -> None:
    """Both seats are asked. Each posts its choice before it has seen that of the other."""
    play, _ = await reach_kind(arena, "move", None, is_action("lay"), **terms(CROSSING))
    for player, choice in [(player, player.entry()) for player in play.players]:
        await play.stands(player, choice)
    await play.finish()


@GROUP.case("33.2.4", str(Code.FALSE_CHOICE))
async def last_choice_that_the_own_hand_forbids(arena: TableEnvironment) -> None:
    """In the last action of the game a seat calls, which `judge` forbids it. It is named at that
    entry when hands are open.
    """

    def is_last(player: SeatedPlayer) -> bool:
        game = player.match.game
        return is_action("lay")(player) and isinstance(game, ScriptState) and game.turns == 4

    play, player = await reach_kind(arena, "move", 1, is_last, **terms(JUDGED))
    call = change_due_body(player, replace_action("call", 0, 0, 1, 0, b""))
    number = await play.stands(player, player.entry(body=call.body))
    await play.go_on_without()
    play.names(1, number, Code.FALSE_CHOICE)


for name, section, code, body in (
    (
        "rules-by-a-name-of-another-length",
        "33.1.1",
        Code.BAD_OPTIONS,
        bad_table(game="script", options=[["rules", "a" * 39]], dealing="verified"),
    ),
    (
        "own-file-with-a-mode-that-there-is-not",
        "33.1.4",
        Code.BAD_OPTIONS,
        bad_table(game="element-duel", options=[["mode", "secret"]], dealing="verified"),
    ),
    (
        "another-text",
        "33.1.2",
        ILLEGAL,
        refusal_case(
            "move",
            0,
            ILLEGAL,
            change_field(0, lambda words: [words[0], words[1] + "#"]),
            is_action("rules"),
            **TERMS,
        ),
    ),
    (
        "text-that-is-too-long",
        "33.1.2",
        BAD_ACTION,
        refusal_case(
            "move",
            0,
            BAD_ACTION,
            replace_action("rules", "#" * (MAX_RULE_FILE + 1)),
            is_action("rules"),
            **TERMS,
        ),
    ),
    ("text-by-another-seat", "33.1.2", Code.NOT_NOW, by_the_other("rules", Code.NOT_NOW)),
    (
        "choice-that-the-file-has-not",
        "33.4.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, instead(0, "fly"), is_action("lay"), **TERMS),
    ),
    (
        "choice-that-is-not-legal",
        "33.2.3",
        ILLEGAL,
        refusal_case(
            "move", None, ILLEGAL, replace_action("go", 0, 0, 0, 0, b""), is_action("lay"), **TERMS
        ),
    ),
    (
        "choice-that-is-too-costly",
        "33.7.2",
        Code.TOO_COSTLY,
        refusal_case(
            "move",
            None,
            Code.TOO_COSTLY,
            replace_action("go", 0, 0, 0, 0, b""),
            is_action("lay"),
            **terms(COSTLY),
        ),
    ),
    (
        "choice-of-another-shape",
        "33.4.1",
        BAD_ACTION,
        refusal_case("move", None, BAD_ACTION, replace_action("lay", 1), is_action("lay"), **TERMS),
    ),
    (
        "card-that-is-not-in-the-own-hand",
        "33.4.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, instead(1, 1), is_action("lay"), **TERMS),
    ),
    (
        "card-laid-without-what-it-is",
        "33.4.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, instead(4, 0), is_action("lay"), **TERMS),
    ),
    (
        "step-where-a-choice-is-due",
        "33.4.1",
        ILLEGAL,
        refusal_case(
            "move", None, ILLEGAL, replace_action("toss", bytes(32)), is_action("lay"), **TERMS
        ),
    ),
    (
        "nonce-before-all-are-bound",
        "33.5.1",
        ILLEGAL,
        refusal_case(
            "move", 0, ILLEGAL, replace_action("toss_open", bytes(32)), is_action("toss"), **TERMS
        ),
    ),
    (
        "nonce-that-was-not-committed-to",
        "33.5.1",
        BAD_NONCE,
        fault_case(
            "move",
            0,
            BAD_NONCE,
            replace_action("toss_open", bytes(32)),
            is_action("toss_open"),
            **TERMS,
        ),
    ),
    (
        "nonce-one-byte-short",
        "33.5.1",
        BAD_ACTION,
        refusal_case(
            "move",
            0,
            BAD_ACTION,
            replace_action("toss_open", bytes(31)),
            is_action("toss_open"),
            **TERMS,
        ),
    ),
):
    GROUP.add(name, section, str(code), body)
GROUP.add("text-that-is-no-rule-file", "32.1", "nobody wins", void(NONSENSE))
GROUP.add("text-that-takes-too-many-steps", "32.6", "nobody wins", void(ENDLESS))
GROUP.add(
    "rules-that-read-a-hidden-face",
    "33.2.2",
    "nobody wins",
    void(KIT.replace("[move(act", '[face(g, cards(g, "deck")[0])["n"], move(act')),
)
GROUP.add(
    "effect-that-cannot-be",
    "33.6",
    "nobody wins",
    void(KIT.replace('"pile"), end', '"attic"), end')),
)
GROUP.add(
    "effects-without-end",
    "33.3.5",
    "nobody wins",
    void(
        KIT.replace("return [add(", 'return [then("again"), add(')
        + 'def again(g):\n    return [then("again")]\n'
    ),
)
GROUP.add(
    "work-that-nobody-chose",
    "33.7.3",
    "nobody wins",
    void(COSTLY.replace("return [add(", 'return [then("burn")] * 43 + [add(')),
)
