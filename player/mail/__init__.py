"""A match by letters: mails that people send with their own mail, one parcel in each."""
