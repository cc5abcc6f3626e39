"""Labelled sentences, and the training of the weights by which sentences are selected."""
