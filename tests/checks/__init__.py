"""Checks of the command beyond goldens. tests/run_checks.py runs them; `table.py` lists them."""
