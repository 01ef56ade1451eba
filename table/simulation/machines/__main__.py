"""`python -P -m table.simulation.machines`: a round on the paper's machines."""

import sys

from table.simulation.machines.door import main

if __name__ == "__main__":
    sys.exit(main())
