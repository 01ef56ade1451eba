"""Table with its standby: agreement of both about stored entries after losses, kills and
promotions.
"""
