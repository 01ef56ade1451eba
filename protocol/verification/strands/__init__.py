"""What a protocol's roles do, strand by strand: who can read and send what, and as whom each strand runs.

`channels` writes channels as encryptions, `reader` has what a role can open and build, `roles` says
what each role sends and can check, `scenario` has the strands of some sessions and what the intruder
begins with. After F. J. Thayer Fábrega, J. C. Herzog, J. D. Guttman, "Strand spaces: proving security
protocols correct", Journal of Computer Security 7 (1999).
"""
