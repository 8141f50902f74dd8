/// What ONNX knows about operators, over all opsets: for checking rules before any model is seen.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amdahlc::grammar {

/// An operator over all its versions.
struct OperatorInfo {
  int64_t since = 1;         ///< first opset that has it
  int64_t removed = 0;       ///< first opset that no longer has it; 0: still there
  bool hasSchema = false;    ///< without one only the name is known
  uint32_t minOperands = 0;  ///< smallest of all versions
  uint32_t maxOperands = 0;  ///< largest of all versions
  uint32_t maxResults = 0;
  std::set<std::string> attributes;
};

class OperatorSchemas {
 public:
  OperatorSchemas();
  /// nullptr for an operator that no schema and no list of contributed operators knows.
  const OperatorInfo* find(std::string_view domain, std::string_view type) const;
  /// Whether anything is known about a domain; nothing is to be said about operators of others.
  bool knowsDomain(std::string_view domain) const;
  /// Operator types of a domain, sorted.
  std::vector<std::string> typesOf(std::string_view domain) const;
  /// Other domains that have an operator of this type, as `domain::type`.
  std::vector<std::string> elsewhere(std::string_view type) const;

 private:
  std::map<std::pair<std::string, std::string>, OperatorInfo, std::less<>> operators_;
};

/// Operators of ai.onnx whose two operands may be exchanged.
bool isCommutative(std::string_view domain, std::string_view type);

}  // namespace amdahlc::grammar
