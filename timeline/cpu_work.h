/// Which CPU operators are the device work of a trace without a device.
#pragma once

#include "runtimes/runtime.h"
#include "timeline/event_table.h"

namespace amdahlc {

/// Marks the leaf CPU operators as `deviceWork`; each is its own `launch` and `launchOp`.
///
/// Operators nest: `linear` calls `addmm`, which computes the product itself and also calls `expand`, `as_strided` and
/// `copy_`. If a leaf were an operator without children, `addmm` would not be one, and 98 % of a BERT's time would
/// belong to no event. Here a leaf is the innermost operator whose own code computes. The runtime's adapter classifies
/// operators by name (OperatorRole):
///
///   NoWork  computes nothing: views, allocation, reading a scalar
///   Detail  computes if called alone, but is a detail inside another: copies, fills, and their callers
///
/// From each top-level operator inwards:
///   1. an operator with a descendant of neither role is a wrapper: look at its children;
///   2. otherwise, if it is NoWork, or Detail without a copy or fill inside, it is not an event;
///   3. otherwise it is the event, with its whole interval. Operators that it calls are part of it.
/// Compiled regions, bookkeeping of the compiler and the frames of an autograd engine are always wrappers.
///
/// So leaves of one thread never overlap, their sum is the time of computing code, and the rest of a step is Python and
/// dispatch. It uses names only, no times: the same program always has the same events. On BERT and on an encoder
/// recorded on CPU and GPU, the events are one to one with the GPU's kernels.
void markCpuWork(EventTable& table, const RuntimeAdapter& runtime);

}  // namespace amdahlc
