"""Its group is misspelt, so nobody finds it."""
