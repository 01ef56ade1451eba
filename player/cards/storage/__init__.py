"""A person's cards on disk: records, images, trust marks, and the journal of what was signed
(docs/protocol, 26.6).
"""
