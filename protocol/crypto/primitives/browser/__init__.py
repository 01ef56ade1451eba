"""Backend of a Python in a browser's worker: libsodium and @noble/ciphers, by the JavaScript module
`web/static/primitives.js`. It computes, and checks nothing.
"""
