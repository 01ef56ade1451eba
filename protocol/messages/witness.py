"""What is said to a witness and by it: the shapes of those messages (docs/protocol, 27.6)."""

from protocol.ledger.proofs.proof_shapes import FOUND, HEAD, LOG_PATH, MAP_PATH
from protocol.limits import MAX_RECORD_SENT, MAX_TRANSFERS, MAX_WITNESS_ASKED, MAX_WITNESS_SENT
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, uint

_ID = exactly(32)
_RECORD = between(1, MAX_RECORD_SENT)
_IDS = many(_ID, 0, MAX_WITNESS_ASKED)
# a word of the witness's, its path in the log of the head, and the trade that it is for
_WORD = either(nothing, fields(_RECORD, LOG_PATH, _RECORD))

REQUEST_SHAPES: dict[str, tuple[Shape, ...]] = {
    # the newest head of this witness that the asker has -> head
    "witness": (either(nothing, HEAD),),
    "which": (_IDS,),  # of these records -> lacking
    "records": (many(_RECORD, 1, MAX_WITNESS_SENT),),  # parents first; for the next `certify`
    "certify": (_ID,),  # a trade -> certified
    "prove": (_ID,),  # a slot -> proof
    "follow": (uint(), uint()),  # from one size to another -> followed
}
REPLY_SHAPES: dict[str, tuple[Shape, ...]] = {
    "head": (HEAD,),
    "lacking": (_IDS,),  # those that it does not have
    "certified": (_ID, many(_RECORD, 1, MAX_TRANSFERS), HEAD),  # the trade, `seen` records for it
    "proof": (_ID, HEAD, MAP_PATH, FOUND, _WORD),
    "followed": (uint(), uint(), LOG_PATH),
}
