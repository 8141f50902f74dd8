/// The listings of G10's tensor analysis, in its layout.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/liveness/liveness.h"

namespace amdahlc {

/// What a listing is of.
struct ListingInput {
  const ir::Module& module;
  const ir::Cover& cover;
  const Liveness& liveness;
  /// Of the run; 1 without one.
  int64_t iterations = 1;
};

/// `kernels.config`: each kernel with what it reads and writes.
std::string kernelListing(const ListingInput& input);
/// `tensors.config`: a line for each tensor.
std::string tensorListing(const ListingInput& input);
/// `liveness_analysis.config`: each tensor with its birth, its death and its inactive periods.
std::string livenessListing(const ListingInput& input);

}  // namespace amdahlc
