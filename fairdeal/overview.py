"""`fairdeal --help`: every command once, in groups, on one screen."""

from collections.abc import Mapping

from protocol.i18n.help_parser import help_columns, help_renderer, wrap_help
from protocol.view.phrase import phrase

# titles of groups, and the commands of each with a line about it: keys of the catalogue
GROUPS = {
    "help.group.play": {
        "app": "help.command.app",
        "play": "help.command.play",
        "join": "help.command.join",
        "tables": "help.command.tables",
        "invite": "help.command.invite",
        "mail": "help.command.mail",
    },
    "help.group.meet": {
        "lobby": "help.command.lobby",
        "lan": "help.command.lan",
        "contacts": "help.command.contacts",
        "identity": "help.command.identity",
        "profile": "help.command.profile",
    },
    "help.group.check": {
        "audit": "help.command.audit",
        "replay": "help.command.replay",
        "show": "help.command.show",
        "compare": "help.command.compare",
        "clock": "help.command.clock",
    },
    "help.group.cards": {
        "cards": "help.command.cards",
        "creator": "help.command.creator",
    },
    "help.group.host": {
        "host": "help.command.host",
        "table": "help.command.table",
        "cluster": "help.command.cluster",
        "standby": "help.command.standby",
        "signer": "help.command.signer",
        "web": "help.command.web",
        "relay": "help.command.relay",
        "directory": "help.command.directory",
    },
    "help.group.study": {
        "solve": "help.command.solve",
        "simulate": "help.command.simulate",
        "verify": "help.command.verify",
        "rules": "help.command.rules",
        "conformance": "help.command.conformance",
    },
}


def is_desktop(environ: Mapping[str, str], platform: str, terminal: bool) -> bool:
    """Check that a person at a terminal of a desktop session started the program."""
    windows = any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return terminal and (windows or platform in ("win32", "darwin"))


def overview(desktop: bool = False) -> str:
    """Return the help of `fairdeal` in the person's language. `desktop`: begin with the app."""
    say = help_renderer()
    first = [say(phrase("help.fairdeal.desktop")), ""] if desktop else []
    first += [f"{say(phrase('help.usage'))}: {say(phrase('help.fairdeal.usage'))}"]
    about, lines = [say(phrase("help.fairdeal.about"))], list[str]()
    for title, commands in GROUPS.items():
        lines.append(f"{say(phrase(title))}:")
        lines += [f"  {name:12} {say(phrase(about))}" for name, about in commands.items()]
    lines += [say(phrase("help.fairdeal.next"))]
    parts = ("\n".join(part) for part in (first, about, lines))  # each begins a line
    return "\n".join(line for part in parts for line in wrap_help(part, help_columns()))
