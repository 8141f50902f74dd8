#include "ir/facets/kernel_rows.h"

#include "ir/kernel_graph.h"

namespace amdahlc::ir {

void printLabel(TextWriter& out, const FacetOwner& owner, KernelId kernel) {
  if (!owner.cover.kernels.contains(kernel)) return;
  (out << "  // ").name(kernelLabel(owner.module, owner.cover.kernels[kernel]));
}

void parseKernelId(TextReader& in, KernelId expected) {
  const SourceRange where = in.here();
  const auto id = in.id<KernelId>("a kernel's id");
  if (in.failed() || id == expected) return;
  in.failAt(where, "kernel " + number(id) + " where " + number(expected) + " is next");
}

void verifyRowCount(const FacetOwner& owner, Facet facet, size_t rows, CoverReporter& reporter) {
  if (rows == owner.cover.kernels.size()) return;
  reporter.cover('`' + std::string(name(facet)) + "` has " + number(rows) + " kernels, and the cover " +
                 number(owner.cover.kernels.size()));
}

}  // namespace amdahlc::ir
