"""Common code of the programs' command lines: options, logs, signals, exit codes. It is no part of
`protocol`, which has no command line.
"""
