/// What ONNX's operator schemas say about attributes that a node leaves out.
#pragma once

#include <optional>
#include <string_view>

#include "ir/module.h"

namespace amdahlc {

/// The default of attribute `name` in the schema that `version` of `domain` selects; nullopt where the schema gives
/// none, or there is no schema.
std::optional<ir::AttributeValue> schemaDefault(std::string_view domain, std::string_view type, int64_t version,
                                                std::string_view name);

}  // namespace amdahlc
