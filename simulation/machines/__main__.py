"""`python -P -m simulation.machines`: a round on the machines of the paper."""

import sys

from simulation.machines.command import main

if __name__ == "__main__":
    sys.exit(main())
