"""Execution traces of recorded runs: links, edges, births and orders, computed again from their definitions."""
