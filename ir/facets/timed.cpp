#include "ir/facets/timed.h"

#include "ir/facets/kernel_rows.h"

namespace amdahlc::ir {

template <>
std::unique_ptr<StoredFacet> makeFacet<Facet::Timed>() {
  return std::make_unique<TimedFacet>();
}

void TimedFacet::print(TextWriter& out, const FacetOwner& owner) const {
  out.line() << "run iterations " << run.iterations << " events " << run.deviceEvents << " busy ";
  out.numbers(run.busyNs) << " wall ";
  out.numbers(run.wallNs);
  if (run.windowNs) (out << " window ").numbers(*run.windowNs);
  out << " device " << run.deviceNs << " bound " << run.boundNs << " unbound " << run.unboundNs;
  for (const KernelId id : kernels.ids()) {
    const KernelTime& time = kernels[id];
    (out.line() << "kernel " << id << ' ').numbers(time.perIterationNs)
        << " total " << time.totalNs << " busy-without " << time.busyWithoutNs;
    printLabel(out, owner, id);
  }
}

void TimedFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (in.accept("run")) {
    in.expect("iterations");
    run.iterations = in.integer("a number of iterations");
    in.expect("events");
    run.deviceEvents = in.integer("a number of events");
    in.expect("busy");
    run.busyNs = in.integers("a time in ns");
    in.expect("wall");
    run.wallNs = in.integers("a time in ns");
    if (in.accept("window")) run.windowNs = in.integers("a time in ns");
    in.expect("device");
    run.deviceNs = in.integer("a time in ns");
    in.expect("bound");
    run.boundNs = in.integer("a time in ns");
    in.expect("unbound");
    run.unboundNs = in.integer("a time in ns");
  } else if (in.accept("kernel")) {
    parseKernelId(in, kernels.nextId());
    KernelTime time;
    time.perIterationNs = in.integers("a time in ns");
    in.expect("total");
    time.totalNs = in.integer("a time in ns");
    in.expect("busy-without");
    time.busyWithoutNs = in.integer("a time in ns");
    kernels.push_back(std::move(time));
  } else {
    in.failExpected({"run", "kernel"});
  }
}

void TimedFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  const auto iterations = static_cast<size_t>(owner.timeline->selectedIterationCount());
  const bool window = !run.windowNs || run.windowNs->size() == iterations;
  if (run.iterations != static_cast<int64_t>(iterations) || run.busyNs.size() != iterations ||
      run.wallNs.size() != iterations || !window) {
    reporter.cover("times of other iterations than the " + number(iterations) + " selected ones");
  }
  int64_t sumNs = 0;
  if (__builtin_add_overflow(run.boundNs, run.unboundNs, &sumNs) || run.deviceNs != sumNs)
    reporter.cover("device time is not bound plus unbound time");
  verifyRowCount(owner, kFacet, kernels.size(), reporter);
  for (const KernelId id : kernels.ids()) {
    const KernelTime& time = kernels[id];
    if (time.perIterationNs.size() != iterations) {
      reporter.kernel(id,
                      "times of " + number(time.perIterationNs.size()) + " iterations, not of " + number(iterations));
    }
    int64_t totalNs = 0;
    bool overflow = false;
    for (const int64_t ns : time.perIterationNs) overflow |= __builtin_add_overflow(totalNs, ns, &totalNs);
    if (overflow || totalNs != time.totalNs) reporter.kernel(id, "total is not the sum over the iterations");
  }
}

}  // namespace amdahlc::ir
