"""What every store of a table promises (`table.room.storage.Storage`): one suite over all of
them.
"""
