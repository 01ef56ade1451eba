"""The kit for auditors: logs and changed logs in, verdicts out."""
