#include "ir/facets/critical_path.h"

#include <fmt/format.h>

#include "ir/facets/timed.h"
#include "ir/invariants.h"
#include "ir/kernel_graph.h"
#include "ir/text/printers.h"
#include "ir/text/reader.h"

namespace amdahlc::ir {

namespace {

void printBranch(TextWriter& out, const Branch& branch) {
  out.line() << "branch join " << branch.join << " from ";
  if (branch.from)
    out << *branch.from;
  else if (!branch.fromInput.empty())
    (out << "input ").quoted(branch.fromInput);
  else
    out << "entry";
  out << " via ";
  if (branch.via)
    out << *branch.via;
  else
    (out << "input ").quoted(branch.viaInput);
  (out << " kernels ").numbers(branch.kernels);
  const auto known = [&](const std::optional<int64_t>& value) {
    if (value)
      out << *value;
    else
      out << "unknown";
  };
  if (branch.isCut()) {
    out << " of ";
    known(branch.kernelCount);
  }
  out << " path " << branch.pathNs << " sum ";
  known(branch.sumNs);
}

Branch parseBranch(TextReader& in) {
  Branch branch;
  in.expect("join");
  branch.join = in.id<KernelId>("a kernel's id");
  in.expect("from");
  if (in.accept("input"))
    branch.fromInput = in.string("a graph input's name");
  else if (!in.accept("entry"))
    branch.from = in.id<KernelId>("a kernel's id, `input` or `entry`");
  in.expect("via");
  if (in.accept("input"))
    branch.viaInput = in.string("a graph input's name");
  else
    branch.via = in.id<KernelId>("a kernel's id or `input`");
  in.expect("kernels");
  branch.kernels = in.kernelIds();
  branch.kernelCount = static_cast<int64_t>(branch.kernels.size());
  if (in.accept("of")) {
    branch.kernelCount.reset();
    if (!in.accept("unknown")) branch.kernelCount = in.nonNegative("a number of kernels or `unknown`");
  }
  in.expect("path");
  branch.pathNs = in.durationNs();
  in.expect("sum");
  if (!in.accept("unknown")) branch.sumNs = in.integerWithin("a duration in ns or `unknown`", 0, kMaxTimeNs);
  return branch;
}

}  // namespace

void CriticalPathFacet::print(TextWriter& out, const FacetOwner& owner) const {
  (out.line() << "path " << durationNs << " ties " << ties << " kernels ").numbers(path);
  for (const KernelId id : kernels.ids()) {
    out.line() << "kernel " << id << (kernels[id].critical ? " critical" : "") << " slack " << kernels[id].slackNs;
    printLabel(out, owner, id);
  }
  for (const Branch& branch : branches) printBranch(out, branch);
}

void CriticalPathFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (in.accept("path")) {
    durationNs = in.durationNs();
    in.expect("ties");
    ties = in.nonNegative("a number of paths");
    in.expect("kernels");
    path = in.kernelIds();
  } else if (in.accept("kernel")) {
    in.ordinal("a kernel's id", "kernel", kernels.size());
    KernelPath kernel;
    kernel.critical = in.accept("critical");
    in.expect("slack");
    kernel.slackNs = in.durationNs();
    kernels.push_back(kernel);
  } else if (in.accept("branch")) {
    branches.push_back(parseBranch(in));
  } else {
    in.failExpected({"path", "kernel", "branch"});
  }
}

namespace {

/// The weight of each kernel in its graph, by measured totals.
IdVector<KernelId, int64_t> weightsOf(const FacetOwner& owner) {
  const auto& times = owner.cover.facets.get<TimedFacet>()->kernels;
  IdVector<KernelId, int64_t> weights(times.size(), 0);
  for (const KernelId kernel : times.ids()) weights[kernel] = times[kernel].reportedNs;
  return KernelNesting(owner.module, owner.cover).withBodies(weights);
}

/// Describes a branch whose times cannot be those of its kernels; empty if they can. Precondition: its kernels exist.
std::string timeDefect(const Branch& branch, const IdVector<KernelId, int64_t>& weights) {
  int64_t listedNs = 0;
  for (const KernelId kernel : branch.kernels) listedNs += weights[kernel];
  // The kernel of `from` is excluded.
  const bool hasKernel = branch.via && branch.via != branch.from;
  if (!hasKernel && branch.pathNs != 0) return fmt::format("its path is {} ns, but it has no kernel", branch.pathNs);
  if (hasKernel && branch.pathNs < weights[*branch.via])
    return fmt::format("its path is {} ns, but the kernel of `via` takes {} ns", branch.pathNs, weights[*branch.via]);
  if (!branch.sumNs) return {};
  if (branch.isCut() ? *branch.sumNs < listedNs : *branch.sumNs != listedNs)
    return fmt::format("its sum is {} ns, but its kernels take {}{} ns", *branch.sumNs,
                       branch.isCut() ? "at least " : "", listedNs);
  return {};
}

/// Describes what is wrong with a branch; empty if nothing is. Kernel ids are in topological order.
std::string defect(const Branch& branch, const Cover& cover, int64_t pathNs, int64_t kernelsNs) {
  const auto isKernel = [&](const std::optional<KernelId>& kernel) {
    return !kernel || cover.kernels.contains(*kernel);
  };
  if (!isKernel(branch.join) || !isKernel(branch.from) || !isKernel(branch.via) || !strictlyAscending(branch.kernels) ||
      (!branch.kernels.empty() && !isKernel(branch.kernels.back())))
    return "kernels unknown or not ascending";
  if (branch.from && !branch.fromInput.empty()) return "`from` has both a kernel and an input";
  if (branch.via.has_value() == !branch.viaInput.empty()) return "`via` has both a kernel and an input, or neither";
  if (branch.via && *branch.via >= branch.join) return "the kernel of `via` is not before the join";
  if (branch.from && *branch.from >= branch.join) return "the kernel of `from` is not before the join";
  if (branch.from && branch.via && *branch.from > *branch.via) return "the kernel of `from` is after that of `via`";
  if (!branch.kernels.empty() && branch.kernels.back() != branch.via) return "its last kernel is not that of `via`";
  if (!branch.kernels.empty() && branch.from && branch.kernels.front() <= *branch.from)
    return "its first kernel is not after that of `from`";
  if (branch.kernelCount.has_value() != branch.sumNs.has_value())
    return "has only one of the number of kernels and their sum";
  if (branch.kernelCount && *branch.kernelCount < static_cast<int64_t>(branch.kernels.size()))
    return "has " + std::to_string(*branch.kernelCount) + " kernels, but lists " + number(branch.kernels.size());
  if (branch.kernelCount && *branch.kernelCount > static_cast<int64_t>(cover.kernels.size()))
    return "has " + std::to_string(*branch.kernelCount) + " kernels, but the cover has " + number(cover.kernels.size());
  if (branch.pathNs < 0 || branch.pathNs > pathNs) return "its path is below 0 or above the critical path";
  if (branch.sumNs && (*branch.sumNs < branch.pathNs || *branch.sumNs > kernelsNs))
    return "its sum is below its path or above the sum of all kernels";
  return {};
}

}  // namespace

void CriticalPathFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  reporter.rows(kFacet, kernels.size());
  const auto isKernel = [&](KernelId kernel) { return owner.cover.kernels.contains(kernel); };
  const bool isPath = strictlyAscending(path) && std::ranges::all_of(path, isKernel);
  if (!isPath) reporter.cover("kernels of the critical path not ascending, or unknown");
  // The facet `timed` was verified before: each time is at most the device time of all iterations.
  int64_t kernelsNs = 0;
  for (const KernelTime& time : owner.cover.facets.get<TimedFacet>()->kernels) kernelsNs += time.reportedNs;
  if (durationNs < 0 || durationNs > kernelsNs) reporter.cover("critical path below 0 or above the sum of all kernels");
  if (ties < 0) reporter.cover("a negative number of tied paths");
  const IdVector<KernelId, int64_t> weights = weightsOf(owner);
  int64_t onPathNs = 0;
  if (isPath)
    for (const KernelId kernel : path) onPathNs += weights[kernel];
  if (isPath && onPathNs != durationNs)
    reporter.cover(fmt::format("critical path of {} ns, but its kernels take {} ns", durationNs, onPathNs));
  std::vector<KernelId> marked;
  for (const KernelId id : kernels.ids()) {
    if (kernels[id].critical) marked.push_back(id);
    if (kernels[id].slackNs < 0 || kernels[id].slackNs > durationNs)
      reporter.kernel(id, "slack below 0 or above the critical path");
    else if (kernels[id].critical && kernels[id].slackNs != 0)
      reporter.kernel(id, fmt::format("slack of {} ns on the critical path", kernels[id].slackNs));
  }
  if (marked != path) reporter.cover("kernels marked critical are not those of the path");
  for (size_t i = 0; i < branches.size(); ++i) {
    std::string what = defect(branches[i], owner.cover, durationNs, kernelsNs);
    if (what.empty()) what = timeDefect(branches[i], weights);
    if (!what.empty()) reporter.cover("branch " + number(i) + ": " + what);
  }
}

}  // namespace amdahlc::ir
