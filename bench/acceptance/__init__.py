"""Commands that measure a bound of the project and end with 1 beyond it; `README.md` lists them."""
