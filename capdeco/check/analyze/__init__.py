"""What a plugin really puts in front of a model, read from its source: nothing is imported, run or written."""
