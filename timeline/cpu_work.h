/// Which CPU operators stand for work where a trace has no device.
#pragma once

#include "timeline/event_table.h"

namespace amdahlc {

/// Marks the leaf CPU operators as `deviceWork`; each is its own `launch` and `launchOp`.
///
/// What "leaf" means. Operators nest: `aten::linear` calls `aten::addmm`, which computes the product itself and calls `aten::expand`,
/// `aten::as_strided` and `aten::copy_` on the way. Taken literally, a leaf is an operator without children: then `addmm` is
/// none, and 98 % of a BERT's time belongs to nobody. A leaf here is the innermost operator whose own code computes:
///
///   N  operators that compute nothing: views, allocation, reading a scalar (the list is in cpu_work.cpp)
///   H  operators that compute when called alone, but are a detail inside another: copies, fills, and what calls them
///
/// From each outermost operator inwards:
///   1. an operator with a descendant in neither N nor H is a wrapper: look at its children;
///   2. else, if it is in N, or in H without a copy or fill inside: no event;
///   3. else it is the event, with its whole interval; what it calls is inside and never counted again.
/// Names without `::` (compiled regions, bookkeeping of the compiler) and the autograd engine's frames are always wrappers.
///
/// So leaves of one thread never overlap, their sum is the time of computing code, and the rest of a step is Python and
/// dispatch. It uses names only, no times: the same program always has the same events. On BERT and on an encoder recorded on CPU
/// and GPU, the events are one to one with the GPU's kernels.
void markCpuWork(EventTable& table);

}  // namespace amdahlc
