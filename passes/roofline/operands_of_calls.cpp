#include "passes/roofline/operands_of_calls.h"

#include <algorithm>
#include <utility>

#include "ir/facets/bound.h"
#include "support/compressed_rows.h"

namespace amdahlc {

using ir::KernelId;

namespace {

/// Calls of framework operators: of each the outermost one around a launch, and the innermost ones that launch.
struct CallsOfKernel {
  std::vector<HostEventId> outermost;
  CompressedRows<size_t, HostEventId> innermost;
};

}  // namespace

OperandsOfCalls::Operators::Operators(const Timeline& timeline)
    : host(*timeline.host), runtime_(runtimeAdapter(timeline.target.runtime)), isWrapper_(timeline.strings) {}

HostEventId OperandsOfCalls::Operators::around(HostEventId op) {
  const HostEventId parent = host.parent[op];
  const bool isOne = !parent.isNone() && host.kind[parent] == EventKind::Operator &&
                     !isWrapper_.of(host.name[parent], [&](std::string_view name) {
                       return runtime_.role(name, true) == OperatorRole::Wrapper;
                     });
  return isOne ? parent : HostEventId();
}

namespace {

HostEventId outermostOperator(OperandsOfCalls::Operators& operators, HostEventId op) {
  for (HostEventId around = operators.around(op); !around.isNone(); around = operators.around(op)) op = around;
  return op;
}

/// In order of time.
CallsOfKernel callsOf(OperandsOfCalls::Operators& operators, const ir::KernelBinding& kernel) {
  const HostFacts& host = operators.host;
  CallsOfKernel calls;
  HostEventId last;
  for (const ir::BoundEvent& bound : kernel.events) {
    const HostEventId op = host.launchOp[bound.event];
    if (op.isNone()) return {};
    if (op == last) continue;
    last = op;
    const HostEventId call = outermostOperator(operators, op);
    if (calls.outermost.empty() || calls.outermost.back() != call) {
      if (!calls.outermost.empty()) calls.innermost.endRow();
      calls.outermost.push_back(call);
    }
    calls.innermost.append(op);
  }
  if (!calls.outermost.empty()) calls.innermost.endRow();
  return calls;
}

/// Elements of all operands of a call.
long double sizeOf(const HostFacts& host, HostEventId call) {
  const OperatorFacts* facts = host.operatorFactsOf(call);
  long double size = 0;
  if (facts != nullptr)
    for (const auto& dims : facts->inputDims)
      if (!dims.empty()) size += static_cast<long double>(std::max<int64_t>(OperandsOfCalls::elementsOf(dims), 0));
  return size;
}

}  // namespace

int64_t OperandsOfCalls::elementsOf(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  return count;
}

OperandsOfCalls::OperandsOfCalls(const Timeline& timeline, const ir::Cover& cover)
    : dims_(cover.kernels.size()), outermost_(cover.kernels.size()) {
  Operators operators(timeline);
  const HostFacts& host = operators.host;
  const auto& bound = *cover.facets.get<ir::BoundFacet>();
  const auto forwards = static_cast<size_t>(std::max<int64_t>(bound.fit->forwards, 1));
  size_t events = 0;
  for (const ir::KernelBinding& kernel : bound.kernels) events += kernel.events.size();
  // IR text may state any number.
  if (forwards > events) return;
  IdVector<KernelId, CallsOfKernel> calls;
  std::vector<std::pair<long double, size_t>> sizes;
  for (size_t i = 0; i < forwards; ++i) sizes.emplace_back(0, i);
  for (const KernelId kernel : cover.kernels.ids()) {
    std::vector<HostEventId>& own = calls.emplace_back(callsOf(operators, bound.kernels[kernel])).outermost;
    // Which forward a call is of is not known where their number differs from forward to forward.
    if (own.size() % forwards != 0) own.clear();
    const size_t perForward = own.size() / forwards;
    for (size_t i = 0; i < own.size(); ++i) sizes[i / perForward].first += sizeOf(host, own[i]);
  }
  std::ranges::sort(sizes);
  const size_t forward = sizes[(forwards - 1) / 2].second;
  for (const KernelId kernel : cover.kernels.ids()) {
    const size_t perForward = calls[kernel].outermost.size() / forwards;
    for (size_t i = forward * perForward; i < (forward + 1) * perForward; ++i)
      for (const HostEventId op : calls[kernel].innermost[i]) add(operators, op, kernel);
  }
}

void OperandsOfCalls::add(Operators& operators, HostEventId op, KernelId kernel) {
  for (HostEventId around; !op.isNone(); op = around) {
    around = operators.around(op);
    const OperatorFacts* facts = operators.host.operatorFactsOf(op);
    if (facts == nullptr) continue;
    for (const Dims& dims : facts->inputDims) {
      if (dims.empty()) continue;
      dims_[kernel].insert(dims);
      if (around.isNone()) outermost_[kernel].insert(dims);
      any_ = true;
    }
  }
}

}  // namespace amdahlc
