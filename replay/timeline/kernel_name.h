/// Short names of device kernels for people. Demangled C++ names can have thousands of characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace amdahlc {

/// The kernel's name without return type, parameters, `std::`, anonymous namespaces and `namespaces` (those that all
/// kernels of a runtime share), in at most `width` characters: if template arguments do not fit, the middle is left
/// out. Different kernels may have equal short names. Precondition: width >= 8.
std::string shortKernelName(std::string_view name, size_t width, std::span<const std::string_view> namespaces);

}  // namespace amdahlc
