/// Divides whole numbers so that the parts of a rounded number still add up to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace amdahlc {

/// The parts over `divisor`, each rounded down or up, so that their sum is `whole`. Those with the largest remainders
/// are rounded up; of equal ones the first (the method of largest remainders). Preconditions: the divisor is positive,
/// no part is negative, their sum fits into 64 bits, and `whole` is their sum over the divisor, rounded down or up.
std::vector<int64_t> apportion(int64_t whole, std::span<const int64_t> parts, int64_t divisor);

}  // namespace amdahlc
