"""Every bound in one place, with its unit and its reason: a file for each subject, and all names
here.
"""

from protocol.limits.cluster import *
from protocol.limits.games import *
from protocol.limits.ledger import *
from protocol.limits.manager import *
from protocol.limits.match import *
from protocol.limits.player import *
from protocol.limits.search import *
from protocol.limits.wire import *
