/// Which CPU operators are the device work of a trace without a device.
#pragma once

#include "runtimes/runtime.h"
#include "timeline/event_table.h"

namespace amdahlc {

/// Marks the leaf CPU operators as `deviceWork`; each is its own `launch` and `launchOp`.
///
/// What "leaf" means. Operators nest: `linear` calls `addmm`, which computes the product itself and calls `expand`,
/// `as_strided` and `copy_` on the way. Taken literally, a leaf is an operator without children: then `addmm` is none,
/// and 98 % of a BERT's time belongs to nobody. A leaf here is the innermost operator whose own code computes. The
/// runtime's adapter says what an operator is by its name (OperatorRole):
///
///   N  computes nothing: views, allocation, reading a scalar
///   H  computes when called alone, but is a detail inside another: copies, fills, and what calls them
///
/// From each top-level operator inwards:
///   1. an operator with a descendant in neither N nor H is a wrapper: look at its children;
///   2. else, if it is in N, or in H without a copy or fill inside: no event;
///   3. else it is the event, with its whole interval; what it calls is inside and never counted again.
/// Compiled regions, bookkeeping of the compiler and the frames of an autograd engine are always wrappers.
///
/// So leaves of one thread never overlap, their sum is the time of computing code, and the rest of a step is Python and
/// dispatch. It uses names only, no times: the same program always has the same events. On BERT and on an encoder
/// recorded on CPU and GPU, the events are one to one with the GPU's kernels.
void markCpuWork(EventTable& table, const RuntimeAdapter& runtime);

}  // namespace amdahlc
