"""Exact times: intervals, and numbers as traces write them."""
import decimal


def covered(intervals):
    """The points in time of a union of intervals, as disjoint intervals."""
    out = []
    for begin, end in sorted(intervals):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def length(intervals):
    """Of the union."""
    return sum(end - begin for begin, end in covered(intervals))


def rounded(value):
    """An exact decimal as a whole number; halves go to the even one."""
    return int(value.to_integral_value(decimal.ROUND_HALF_EVEN))


def nanoseconds(microseconds):
    """Of a time in microseconds, exact or as a trace writes it."""
    return rounded(decimal.Decimal(microseconds if isinstance(microseconds, (str, int, decimal.Decimal)) else str(microseconds)) * 1000)


def half_even(total, count):
    """The mean of whole nanoseconds, as the command rounds it."""
    quotient, rest = divmod(total, count)
    return quotient + (2 * rest > count or (2 * rest == count and quotient % 2 == 1))
