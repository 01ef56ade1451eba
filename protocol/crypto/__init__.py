"""The mathematics under the protocol: hashing, groups, oblivious transfer."""
