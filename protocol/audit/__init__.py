"""What a finished log says: verdict, report, the match in words, and two logs side by side."""
