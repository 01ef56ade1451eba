"""What is proven of lists and maps that others keep: Merkle trees, a witness's heads, and that a
witness lied.
"""
