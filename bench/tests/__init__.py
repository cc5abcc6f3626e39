"""Tests of the benches; `make test` runs them with the others."""
