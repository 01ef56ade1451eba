"""`python -P -m simulation.machines`: a round on the paper's machines."""

import sys

from simulation.machines.command import main

if __name__ == "__main__":
    sys.exit(main())
