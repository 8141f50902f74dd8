/// What the operators of a CPU run compute, by their names.
#pragma once

#include "replay/timeline/timeline.h"
#include "support/id.h"

namespace amdahlc {

/// One entry for each host event.
struct CpuWork {
  /// `timeline.host` must be present.
  explicit CpuWork(const Timeline& timeline);

  /// The leaf that the event is or runs in; none for others. Leaves are the operators whose own code computes: those
  /// that a rule can be about.
  ///
  /// Operators nest: `linear` calls `addmm`, which computes the product itself and also calls `expand`, `as_strided`
  /// and `copy_`. So the operators that compute are not those without children. The runtime's adapter classifies
  /// operators by name (OperatorRole):
  ///
  ///   NoWork  computes nothing: views, allocation, reading a scalar
  ///   Detail  computes if called alone, but is a detail inside another: copies, fills, and their callers
  ///
  /// From each top-level operator inwards:
  ///   1. an operator with a descendant of neither role is a wrapper: look at its children;
  ///   2. otherwise, if it is NoWork, or Detail without a copy or fill inside, it is no leaf, nor is any operator
  ///      inside;
  ///   3. otherwise it is a leaf, and the operators that it calls are part of it.
  /// Compiled regions, bookkeeping of the compiler and the frames of an autograd engine are always wrappers.
  ///
  /// It uses names only, no times: the same program always has the same leaves. On BERT and on an encoder recorded on
  /// CPU and GPU, they are one to one with the GPU's kernels. An operator that computes and calls another that computes
  /// is no leaf (`lstm`, `_embedding_bag`).
  IdVector<HostEventId, HostEventId> leafOf;

  /// Whether the call that each operator belongs to computes anything.
  ///
  /// A call is the outermost operator inside the innermost module frame, with all operators inside it down to the next
  /// module frame; wrappers around calls are left out. It computes if its outermost operator has the role Work, if an
  /// operator of the role Work runs inside it, or if it is a Detail and a copy or fill runs inside it or is it. Views
  /// and allocation outside other operators do not compute. False for wrappers that belong to no call, and for events
  /// that are not operators.
  IdVector<HostEventId, bool> computes;
};

}  // namespace amdahlc
