"""What a trade with one other person needs beside its payloads: letters."""
