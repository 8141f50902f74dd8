/// Shared by text forms and invariants of facets with one row per kernel of the cover, in order. Private to the facets.
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
/// Parses the id after the word `kernel`. It is an error unless it is `expected`.
void parseKernelId(TextReader& in, KernelId expected);
/// Checks that there are as many rows as the cover has kernels.
void verifyRowCount(const FacetOwner& owner, Facet facet, size_t rows, CoverReporter& reporter);

}  // namespace amdahlc::ir
