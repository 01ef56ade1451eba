"""Search for an attack on a protocol, within a bound of sessions.

`solver` finds the ways in which the intruder can say a message. `search` goes through all orders in
which strands receive messages. `instantiation` gives an attack concrete values. `attack_check`
checks an attack, and `deduction` derives each of its messages; both share no code with the solver.
"""
