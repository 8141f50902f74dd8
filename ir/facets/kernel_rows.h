/// What the text forms and invariants of facets share: one row per kernel of the cover, in order. For the files of
/// facets only.
#pragma once

#include <algorithm>

#include "ir/facets/stored_facet.h"
#include "ir/invariants.h"
#include "ir/module.h"
#include "ir/text/reader.h"
#include "ir/text/writer.h"

namespace amdahlc::ir {

/// The label of a kernel as a comment at the end of its row.
void printLabel(TextWriter& out, const FacetOwner& owner, KernelId kernel);
/// The id of the row that follows the word `kernel`: an error unless it is `expected`.
void parseKernelId(TextReader& in, KernelId expected);
/// A facet with a row per kernel has as many as the cover has kernels.
void verifyRowCount(const FacetOwner& owner, Facet facet, size_t rows, CoverReporter& reporter);

}  // namespace amdahlc::ir
