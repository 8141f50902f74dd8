"""Counts checks."""


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print(f'failed: {what}', flush=True)
