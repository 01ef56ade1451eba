"""Limits with their units and reasons: one file for each subject, and all names in this package."""

from protocol.limits.cluster import *
from protocol.limits.directory import *
from protocol.limits.games import *
from protocol.limits.ledger import *
from protocol.limits.manager import *
from protocol.limits.match import *
from protocol.limits.player import *
from protocol.limits.relay import *
from protocol.limits.search import *
from protocol.limits.wire import *
