"""Rule sheet of the game `intruder`. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from protocol.games.intruder_spec import OWN_PROTOCOL
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Paragraph, RuleSheet

EXAMPLE, OWN_EXAMPLE = "{NA}pk(b)", "{NA}pk(i)"  # one message, for b and for the intruder


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    values = request.values
    protocol = str(values["protocol"])
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(phrase("sheet.intruder.goal"))),
            *section(
                phrase("sheet.setup"),
                bullets(
                    phrase("sheet.intruder.protocol.own")
                    if protocol == OWN_PROTOCOL
                    else phrase("sheet.intruder.protocol", protocol=protocol),
                    phrase("sheet.intruder.sessions", count=int(values["sessions"])),
                    phrase("sheet.intruder.know"),
                    phrase(
                        "sheet.intruder.typed"
                        if values["typed"] == "yes"
                        else "sheet.intruder.untyped"
                    ),
                ),
            ),
            *section(
                phrase("sheet.turn"),
                bullets(
                    phrase("sheet.intruder.run"),
                    phrase("sheet.intruder.send"),
                    phrase("sheet.intruder.answer"),
                    phrase("sheet.intruder.offers"),
                ),
            ),
            *section(
                phrase("sheet.intruder.reading"),
                bullets(
                    phrase("sheet.intruder.reading.pair", pair="NA,b"),
                    phrase("sheet.intruder.reading.public", public=EXAMPLE, name="b"),
                    phrase("sheet.intruder.reading.signed", signed="{NA}inv(pk(a))", name="a"),
                    phrase("sheet.intruder.reading.shared", shared="{|NA|}KAB", key="KAB"),
                ),
            ),
            *section(phrase("sheet.end"), Paragraph(phrase("sheet.intruder.end"))),
            *section(
                phrase("sheet.example"),
                Paragraph(phrase("sheet.intruder.example", message=EXAMPLE, own=OWN_EXAMPLE)),
            ),
        )
    )
