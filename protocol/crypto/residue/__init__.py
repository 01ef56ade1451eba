"""Cards by quadratic residues: the toolbox for mental card games of Schindelhauer (1998), made
non-interactive.

Each seat has m = p·q, both primes 3 modulo 4, so −1 is a *pseudo-square*: of Jacobi symbol +1, and
no residue modulo either prime. A bit is hidden in a number z of Jacobi symbol +1: 0 if z is a
residue, 1 if −z is (Goldwasser and Micali, 1984). Only who has p and q can tell. Bit j of a card is
the exclusive or of one such bit of each seat.

| file | what it is for |
| --- | --- |
| `keys` | keys, roots, and whether a number is a residue |
| `key_proof` | that m is the product of exactly two primes, both 3 modulo 4 |
| `cards` | cards in clear, their encoding, and what is checked of every number that is posted |
| `masking` | new numbers for all cards and a new order, from a seed; and two of them as one |
| `shuffle` | a shuffle, and the proof that it is one |
| `opening` | bits, and the proof that they are right |
| `arithmetic` | the integers: gmpy2's where it is installed, else Python's, with the same result |
"""
