"""What a table tells whoever runs it: that it is ready, and figures for Prometheus and
OpenTelemetry.
"""
