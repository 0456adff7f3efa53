"""What scripts/bench is made of: Python's standard library alone."""
