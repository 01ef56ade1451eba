"""Arguments of the command `verify`.

`verification.command` runs the command. That module takes a while to load, and `--help` does not
need it.
"""

import argparse
from pathlib import Path
from typing import Any

from protocol.limits import DEFAULT_SESSIONS, MAX_SESSIONS

USUAL_SECONDS = 60
ABOUT = """\
Search a protocol for an attack. The intruder is the network: he reads, keeps back, redirects and makes up every
message, opens what he has the key for, and may be one of the people himself. Cryptography is perfect. He wins if a
goal of the protocol is broken: somebody ran with nobody, or a secret is known to him.

PROTOCOL is the name of one that comes along (see --list), or a file in Alice-and-Bob notation:

  Protocol: Hello
  Types:      Agent A,B; Number N; Function pk
  Knowledge:  A: A,B,pk; B: A,B,pk,inv(pk(B))
  Actions:    A->B: {N,A}pk(B)
              B->A: N
  Goals:      A authenticates B on N;  N secret between A,B

{m}k is m encrypted with the public key k, or signed if k is inv(…); {|m|}k with a key that both have. Capital names
are chosen anew in each run, lower-case ones are the same for everybody. docs/verification.md teaches all of it.

Says one of

  attack         a goal is broken, and how: message by message, the shortest way there is
  no attack      with so many sessions (strands of each role), all explored. No proof: more sessions may show one
  gave up        time was over, nothing found
  cannot be run  somebody is to send what he cannot know
  unsupported    something in the file that is not known here

and exits with 1 for an attack, 0 for none, 3 for the last three, 2 for what is not a protocol.
"""
EXAMPLES = """\
examples:
  fairdeal verify needham-schroeder                          the classic, and the man in the middle
  fairdeal verify needham-schroeder --save ns.fairdeal       and as a match: fairdeal show ns.fairdeal
  fairdeal verify otway-rees --untyped                       where anything passes for a key
  fairdeal play intruder --option protocol=needham-schroeder find it yourself
"""


def add_verify(commands: Any) -> argparse.ArgumentParser:
    """Add the command `verify` to the commands of a program."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "verify",
        help="search a protocol for an attack",
        description=ABOUT,
        epilog=EXAMPLES,
    )
    add = parser.add_argument
    add(
        "protocol",
        metavar="PROTOCOL",
        nargs="?",
        help="a name from --list, or a file in Alice-and-Bob notation",
    )
    add("--list", action="store_true", help="list the protocols that come along")
    add(
        "--sessions",
        type=int,
        metavar="N",
        default=DEFAULT_SESSIONS,
        help=f"strands of each role, 1 to {MAX_SESSIONS} (default: %(default)s)",
    )
    add(
        "--seconds",
        type=float,
        metavar="S",
        default=USUAL_SECONDS,
        help="then give up (default: %(default)s)",
    )
    add("--untyped", action="store_true", help="anything passes for what somebody cannot check")
    add("--json", action="store_true", help="print the verdict as one JSON object")
    add("--save", type=Path, metavar="FILE", help="write an attack as a match's log (*.fairdeal)")
    add("--svg", type=Path, metavar="FILE", help="draw an attack (*.svg)")
    return parser
