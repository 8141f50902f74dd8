"""What a check finds: it compares, reports differences, and says by name what it leaves out."""
import io
import re
import unittest

# Differences of one check that are printed.
SHOWN = 20


class Skip(Exception):
    """Nothing of a check can run here; the text says what is missing."""


class Check:
    """One check as it runs: faults are counted, and the first ones printed."""

    def __init__(self, name, write=False, only='', chosen=()):
        self.name, self.write, self.only = name, write, re.compile(only)
        # All checks of this process, which may share what they measure.
        self.chosen = chosen or (name,)
        self.compared, self.faults = 0, 0

    def that(self, holds, what):
        self.compared += 1
        if not holds:
            self.faults += 1
            if self.faults <= SHOWN:
                print(f'{self.name}: {what}', flush=True)
        return holds

    def equal(self, what, actual, expected):
        return self.that(actual == expected, f'{what}: {actual}, expected {expected}')

    def at_least(self, what, actual, least):
        return self.that(actual >= least, f'{what}: {actual}, expected at least {least}')

    def none(self, what, faults):
        """Each of the faults, of which there should be none."""
        faults = list(faults)
        for fault in faults:
            self.that(False, f'{what}: {fault}')
        self.compared += not faults

    def say(self, text):
        print(f'{self.name}: {text}', flush=True)

    @property
    def last_name(self):
        return self.name.rpartition('/')[2]

    def left_out(self, what, why):
        """Parts of the check that cannot run here."""
        self.say(f'left out: {what}, because {why}')

    def unit_tests(self, module):
        """The test cases of a module of `unittest`."""
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        said = io.StringIO()
        result = unittest.TextTestRunner(said).run(suite)
        self.compared += result.testsRun
        if not result.wasSuccessful():
            self.faults += len(result.failures) + len(result.errors)
            print(said.getvalue())
