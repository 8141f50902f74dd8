/// Which kernels of a cover launch nothing, and only give other names to what they read.
#pragma once

#include "ir/kernel_accesses.h"
#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// Kernels without events whose rule says that they launch nothing, whose state in the run says so, or that have only
/// operators which the rules declare as views on the target of the run.
IdVector<ir::KernelId, bool> renamingKernels(const ir::Module& module, const ir::Cover& cover);

/// Operators all of whose kernels only rename, and those in no kernel.
IdVector<ir::OpId, bool> renamingOperators(const ir::Module& module, const ir::OperatorGraph& graph,
                                           const ir::KernelAccesses& accesses,
                                           const IdVector<ir::KernelId, bool>& kernels);

}  // namespace amdahlc
