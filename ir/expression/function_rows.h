/// The parts of the table of functions, one for each kind of leaves. Only functions.cpp includes it.
#pragma once

#include <span>

#include "ir/expression/functions.h"

namespace amdahlc::expression {

std::span<const Function> graphFunctions();
std::span<const Function> launchFacts();

}  // namespace amdahlc::expression
