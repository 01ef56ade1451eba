"""The page for browsers: a folder of files in which a tab is a whole player.

The runtime and the cryptography come from the packages in `package.json`, which
`scripts/_web_packages` fetches; the program is the Python of this project, as it is.
"""
