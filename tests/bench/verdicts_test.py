#!/usr/bin/env python3
"""What growth.py says of counts at n, 2n and 4n."""
import unittest

import growth

BOUND = 1.1


def fault(*millions, bound=BOUND):
    return growth.fault(*(round(number * 1e6) for number in millions), bound)


class Verdicts(unittest.TestCase):
    def test_linear_growth_passes(self):
        self.assertIsNone(fault(10, 20, 40))

    def test_quadratic_growth_fails(self):
        self.assertIn('power 2.00', fault(10, 40, 160))

    def test_growth_that_starts_late_fails(self):
        self.assertIn('more than its bound allows', fault(10, 9.9, 400))
        self.assertIn('more than its bound allows', fault(10, 10, 400))

    def test_what_shrinks_passes(self):
        self.assertIsNone(fault(10, 9, 8))
        self.assertIsNone(fault(10, 40, 8))

    def test_small_superlinear_growth_fails(self):
        self.assertIn('more than its bound allows', fault(0.05, 0.2, 0.8))
        self.assertIn('more than its bound allows', fault(0.3, 0.3, 0.9))

    def test_small_linear_growth_passes(self):
        self.assertIsNone(fault(0.1, 0.2, 0.4))
        self.assertIsNone(fault(0.05, 0.05, 0.05))

    def test_a_table_that_doubles_is_no_growth(self):
        self.assertIsNone(fault(0.32, 0.37, 0.49))

    def test_an_allocator_that_tidies_up_is_no_growth(self):
        # Counted on two machines.
        self.assertIsNone(fault(1.836, 1.947, 2.288))
        self.assertIsNone(fault(1.796, 1.957, 2.304))
        self.assertIsNone(fault(10, 10.37, 11.19))


if __name__ == '__main__':
    unittest.main()
