#include "ir/onnx_schemas/registry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <onnx/defs/operator_sets.h>
#include <onnx/defs/operator_sets_ml.h>
#include <onnx/defs/operator_sets_preview.h>

namespace amdahlc::ir::onnx_schemas {
namespace {

/// A schema of the library, which is not made yet.
struct Row {
  std::string_view type;
  int since;
  onnx::OpSchema (*make)();
};

constexpr Row kRows[] = {
#include "ir/onnx_schemas/library_schemas.inc"
};

/// The library's own registry makes all schemas at its first use. Here each is made when it is first asked for.
class Schemas {
 public:
  Schemas() {
    for (const Row& row : kRows) byType_[row.type].push_back({&row, std::nullopt});
    for (auto& [type, versions] : byType_)
      std::ranges::sort(versions, std::ranges::greater(), [](const Version& one) { return one.row->since; });
  }

  const onnx::OpSchema* find(std::string_view domain, std::string_view type, int version) {
    const auto found = byType_.find(type);
    if (found == byType_.end()) return nullptr;
    const std::lock_guard alone(making_);
    for (Version& one : found->second) {
      if (one.row->since > version) continue;
      if (!one.schema) {
        onnx::OpSchema made = one.row->make();
        made.Finalize();
        one.schema = std::move(made);
      }
      if (one.schema->domain() == domain) return &*one.schema;
    }
    return nullptr;
  }

 private:
  struct Version {
    const Row* row;
    std::optional<onnx::OpSchema> schema;
  };
  /// The newest first. It does not change, so that schemas keep their places.
  std::map<std::string_view, std::vector<Version>> byType_;
  std::mutex making_;
};

}  // namespace

const onnx::OpSchema* findSchema(const std::string& domain, const std::string& type, int version) {
  static Schemas schemas;
  return schemas.find(domain, type, version);
}

}  // namespace amdahlc::ir::onnx_schemas
