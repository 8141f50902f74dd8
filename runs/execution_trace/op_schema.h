/// The declaration of an operator, as execution traces state it:
///
///   lib::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str mode="a, b") -> Tensor(a!)
#pragma once

#include <string_view>
#include <vector>

namespace amdahlc::execution_trace {

struct SchemaArgument {
  /// `Tensor(a!)`
  std::string_view type;
  std::string_view name;
  /// As written; empty if there is none.
  std::string_view defaultValue;
  /// Whether the operator writes into it.
  bool isWritten = false;
};

/// The arguments in order, as views of `schema`; none if it is no declaration.
std::vector<SchemaArgument> schemaArguments(std::string_view schema);

}  // namespace amdahlc::execution_trace
