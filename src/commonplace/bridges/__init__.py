"""Other programs' configuration: Commonplace written into it, taken out, and examined."""
