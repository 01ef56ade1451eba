"""Cards by quadratic residues: Schindelhauer's toolbox for mental card games (1998), made
non-interactive.

Each seat has m = p·q with both primes 3 modulo 4. Then −1 is a *pseudo-square*: its Jacobi symbol
is +1, but it is no residue modulo either prime. A number z with Jacobi symbol +1 hides a bit: 0 if
z is a residue, 1 if −z is (Goldwasser and Micali, 1984). Only the owner of p and q can tell. Bit j
of a card is the exclusive or of one such bit of each seat.

| file | content |
| --- | --- |
| `keys` | keys, roots, and test for residues |
| `key_proof` | proof that m is the product of exactly two primes, both 3 modulo 4 |
| `cards` | unencrypted cards, encoding of cards, and checks of every posted number |
| `masking` | new numbers for all cards and a new order, from a seed; composition of two maskings |
| `shuffle` | a shuffle, and its proof |
| `bit_proof` | bits, and the proof that they are right |
| `arithmetic` | integers: gmpy2's if it is installed, else Python's, with equal results |
"""
