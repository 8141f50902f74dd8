#include "ir/facets/critical_path.h"

#include "ir/facets/kernel_rows.h"

namespace amdahlc::ir {

template <>
std::unique_ptr<StoredFacet> makeFacet<Facet::CriticalPath>() {
  return std::make_unique<CriticalPathFacet>();
}

namespace {

void printBranch(TextWriter& out, const Branch& branch) {
  out.line() << "branch join " << branch.join << " from ";
  if (branch.from) {
    out << *branch.from;
  } else if (!branch.fromInput.empty()) {
    (out << "input ").quoted(branch.fromInput);
  } else {
    out << "entry";
  }
  out << " via ";
  if (branch.via) {
    out << *branch.via;
  } else {
    (out << "input ").quoted(branch.viaInput);
  }
  (out << " kernels ").numbers(branch.kernels);
  const auto known = [&](const std::optional<int64_t>& value) {
    if (value) {
      out << *value;
    } else {
      out << "unknown";
    }
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
  if (in.accept("input")) {
    branch.fromInput = in.string("a graph input's name");
  } else if (!in.accept("entry")) {
    branch.from = in.id<KernelId>("a kernel's id, `input` or `entry`");
  }
  in.expect("via");
  if (in.accept("input")) {
    branch.viaInput = in.string("a graph input's name");
  } else {
    branch.via = in.id<KernelId>("a kernel's id or `input`");
  }
  in.expect("kernels");
  branch.kernels = in.kernelIds();
  branch.kernelCount = static_cast<int64_t>(branch.kernels.size());
  if (in.accept("of")) {
    branch.kernelCount.reset();
    if (!in.accept("unknown")) branch.kernelCount = in.integer("a number of kernels or `unknown`");
  }
  in.expect("path");
  branch.pathNs = in.integer("a time in ns");
  in.expect("sum");
  if (!in.accept("unknown")) branch.sumNs = in.integer("a time in ns or `unknown`");
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
    durationNs = in.integer("a time in ns");
    in.expect("ties");
    ties = in.integer("a number of paths");
    in.expect("kernels");
    path = in.kernelIds();
  } else if (in.accept("kernel")) {
    parseKernelId(in, kernels.nextId());
    KernelPath kernel;
    kernel.critical = in.accept("critical");
    in.expect("slack");
    kernel.slackNs = in.integer("a time in ns");
    kernels.push_back(kernel);
  } else if (in.accept("branch")) {
    branches.push_back(parseBranch(in));
  } else {
    in.failExpected({"path", "kernel", "branch"});
  }
}

void CriticalPathFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  verifyRowCount(owner, kFacet, kernels.size(), reporter);
  const auto isKernel = [&](KernelId kernel) { return owner.cover.kernels.contains(kernel); };
  const auto areKernels = [&](const std::vector<KernelId>& ids) {
    return strictlyAscending(ids) && std::all_of(ids.begin(), ids.end(), isKernel);
  };
  if (!areKernels(path)) reporter.cover("kernels of the critical path not ascending, or unknown");
  std::vector<KernelId> marked;
  for (const KernelId id : kernels.ids()) {
    if (kernels[id].critical) marked.push_back(id);
  }
  if (marked != path) reporter.cover("kernels marked critical are not those of the path");
  for (const Branch& branch : branches) {
    if (!isKernel(branch.join) || (branch.from && !isKernel(*branch.from)) || (branch.via && !isKernel(*branch.via)) ||
        !areKernels(branch.kernels)) {
      reporter.cover("a branch with unknown kernels");
    }
    if (branch.from && !branch.fromInput.empty()) reporter.cover("a branch from both a kernel and an input");
    if (branch.via.has_value() == !branch.viaInput.empty())
      reporter.cover("a branch by both a kernel and an input, or by neither");
    if (branch.kernelCount.has_value() != branch.sumNs.has_value())
      reporter.cover("a branch with one of the number of its kernels and their sum");
    if (branch.kernelCount && *branch.kernelCount < static_cast<int64_t>(branch.kernels.size()))
      reporter.cover("a branch of " + std::to_string(*branch.kernelCount) + " kernels that lists " +
                     number(branch.kernels.size()));
  }
}

}  // namespace amdahlc::ir
