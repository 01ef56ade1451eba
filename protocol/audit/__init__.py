"""Audit of a finished log: verdict, report, transcript, and comparison of two logs."""
