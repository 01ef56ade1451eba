"""Edition 4 of games by rule files, whose rule language is 3: the same engine for files in ASCII."""

from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.contract import refused


class AsciiScriptGame(ScriptGame):
    """Game by a rule file of language 3, which refuses all characters outside ASCII."""

    def _read_rules(self, state: ScriptState, text: str) -> ScriptState:
        if not text.isascii():
            raise refused("rules.ascii")
        return super()._read_rules(state, text)
