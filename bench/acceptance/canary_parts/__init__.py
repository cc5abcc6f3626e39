"""What `bench.acceptance.canaries` is made of: a notebook with and without canaries, and a scanner of bytes."""
