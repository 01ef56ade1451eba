"""What every store of a table promises (`table.storage.interface.Storage`): one suite over all of
them.
"""
