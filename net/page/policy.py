"""Policy of the page for browsers: what its document may load, in the document and as a header.

Each part has a reason:

- Scripts and styles come from the page's own place, pictures too, or from the page's memory.
  `wasm-unsafe-eval` lets WebAssembly run, and no text become a script. The web manifest, which names
  the installed page, comes from there too.
- A worker starts from memory only, after the page has checked its digest.
- Lines go to the tables of links, which may be anywhere. A page from https cannot use `ws:`.
- No text becomes a part of the document or a script address but by a policy of the page
  (Trusted Types).
"""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src blob:",
        "style-src 'self'",
        "img-src 'self' blob:",
        "manifest-src 'self'",
        "connect-src 'self' ws: wss:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types fairdeal-worker",
    )
)
# headers that a server adds: a document cannot ask for these itself
HEADERS = (
    ("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
# files named by a digest of their bytes stay as they are, the others are asked for anew
FOREVER = "public, max-age=31536000, immutable"
ANEW = "no-cache"
