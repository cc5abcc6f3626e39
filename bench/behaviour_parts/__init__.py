"""The parts of what the program does, each asked from outside."""
