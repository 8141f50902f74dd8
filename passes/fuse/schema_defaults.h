/// Defaults in ONNX's operator schemas of attributes that a node omits.
#pragma once

#include <optional>
#include <string_view>

#include "ir/module.h"

namespace amdahlc {

/// The default of attribute `name` in the schema that `version` of `domain` selects; nullopt if there is no schema or
/// no default.
std::optional<ir::AttributeValue> schemaDefault(std::string_view domain, std::string_view type, int64_t version,
                                                std::string_view name);

}  // namespace amdahlc
