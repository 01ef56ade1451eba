"""Benchmarks of fairdeal on this machine. Each is measured next to its baseline in the same run."""
