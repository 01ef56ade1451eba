"""Program that prints its input, and `the end` at its end."""

import sys

for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
sys.stdout.write("the end\n")
