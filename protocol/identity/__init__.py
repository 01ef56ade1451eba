"""Who somebody is: keys and their files, names, and the words that people read to each other."""
