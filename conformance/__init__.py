"""The conformance kit: checks any table or player against the specification, section by section."""
