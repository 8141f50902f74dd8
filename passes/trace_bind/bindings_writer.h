/// The output `bindings`.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc::binding {

/// CSV (RFC 4180): one row per selected device event of the cover's run, in order of start, with the kernel that it is
/// bound to and that kernel's nodes, anchor first.
std::string writeBindings(const OutputContext& context, ir::CoverId cover);

/// The JSON Schema of a row as an object.
std::string bindingsSchema(std::span<const ReportSection> sections);

}  // namespace amdahlc::binding
