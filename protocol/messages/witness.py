"""Shapes of the messages to and from a witness (docs/protocol, 27.6)."""

from protocol.ledger.proofs.proof_shapes import FOUND, HEAD, LOG_PATH, MAP_PATH
from protocol.limits import MAX_RECORD_SENT, MAX_TRANSFERS, MAX_WITNESS_ASKED, MAX_WITNESS_SENT
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, uint

_ID = exactly(32)
_RECORD = between(1, MAX_RECORD_SENT)
_IDS = many(_ID, 0, MAX_WITNESS_ASKED)
# a `seen` record of the witness, its path in the log of the head, and the trade that it is about
_ATTESTATION = either(nothing, fields(_RECORD, LOG_PATH, _RECORD))

REQUEST_SHAPES: dict[str, tuple[Shape, ...]] = {
    # the newest head of this witness that the requester has -> head
    "witness": (either(nothing, HEAD),),
    "which": (_IDS,),  # ids of records -> lacking
    "records": (many(_RECORD, 1, MAX_WITNESS_SENT),),  # for the next `certify`, parents first
    "certify": (_ID,),  # id of a trade -> certified
    "prove": (_ID,),  # id of a slot -> proof
    "follow": (uint(), uint()),  # from one size of the witness's log to another -> followed
}
REPLY_SHAPES: dict[str, tuple[Shape, ...]] = {
    "head": (HEAD,),
    "lacking": (_IDS,),  # ids of the records that the witness does not have
    "certified": (_ID, many(_RECORD, 1, MAX_TRANSFERS), HEAD),  # the trade, and its `seen` records
    "proof": (_ID, HEAD, MAP_PATH, FOUND, _ATTESTATION),
    "followed": (uint(), uint(), LOG_PATH),
}
