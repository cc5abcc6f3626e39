"""The real OpenClaw host with Commonplace inside: what it does, turn by turn, against a scripted model."""
