/// Names of device kernels for people: demangled C++ runs to thousands of characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace amdahlc {

/// The kernel's name without return type, parameters and the namespaces that all of a framework's kernels share, in at most `width`
/// characters: where template arguments do not fit, the middle is left out. Equal short names may stand for different kernels.
/// Precondition: width >= 8.
std::string shortKernelName(std::string_view name, size_t width);

}  // namespace amdahlc
