"""Proofs about a witness: Merkle trees of its log and its slot map, signed heads, and fraud
proofs.
"""
