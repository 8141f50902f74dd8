/// What the calls that ran the kernels of a cover state of their operands, in one forward of the run.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "ir/module.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc {

class OperandsOfCalls {
 public:
  using Dims = std::vector<int64_t>;

  /// The operators of a run. Wrappers, such as functions that users define, are none: what runs inside them is a call
  /// of its own.
  class Operators {
   public:
    explicit Operators(const Timeline& timeline);
    /// The operator that calls another one; none without.
    HostEventId around(HostEventId op);

    const HostFacts& host;

   private:
    const RuntimeAdapter& runtime_;
    SymbolMemo<bool> isWrapper_;
  };

  /// -1 where a dimension is negative, and beyond 64 bits.
  static int64_t elementsOf(const Dims& dims);

  /// Precondition: the run is bound, and the timeline has its host events.
  OperandsOfCalls(const Timeline& timeline, const ir::Cover& cover);

  /// Of the kernel's calls in the forward: the dimensions of the operands of all operators from the call down to what
  /// launched, distinct. Empty if nothing is known.
  const std::set<Dims>& of(ir::KernelId kernel) const { return dims_[kernel]; }
  /// Those of the calls themselves.
  const std::set<Dims>& ofCalls(ir::KernelId kernel) const { return outermost_[kernel]; }
  /// Whether any kernel has operands.
  bool any() const { return any_; }

 private:
  void add(Operators& operators, HostEventId op, ir::KernelId kernel);

  IdVector<ir::KernelId, std::set<Dims>> dims_, outermost_;
  bool any_ = false;
};

}  // namespace amdahlc
