/// What is known of a framework's runtime: how it names steps, calls of modules and operators in a trace. Every other
/// component takes names as text and asks here what they mean. A new runtime is one more file and one row in
/// runtime.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace amdahlc {

/// What an operator does where a trace has no device, by its name.
enum class OperatorRole : uint8_t {
  /// Encloses others and computes nothing itself: a compiled region, bookkeeping.
  Wrapper,
  /// Computes nothing: a view, an allocation, reading a scalar.
  NoWork,
  /// Computes when called alone, but is a detail inside another operator: a copy, a fill, and what calls them.
  Detail,
  Work,
};

/// The names of one runtime. This class knows none: its answers hold for a runtime that nothing is known of.
class RuntimeAdapter {
 public:
  virtual ~RuntimeAdapter() = default;

  /// Whether an annotation of this name is one step of the profiled loop.
  virtual bool isStep(std::string_view annotation) const;
  /// Whether a frame of this name is a call of a module.
  virtual bool isModuleCall(std::string_view frame) const;
  /// The instance that such a frame calls: `Linear_4`.
  virtual std::string_view moduleInstance(std::string_view frame) const;
  /// The class of an instance: `Linear`.
  virtual std::string_view moduleClass(std::string_view instance) const;
  /// Whether an operator event of this name calls an operator of the framework, not a region of a compiler or a
  /// profiler.
  virtual bool isOperatorCall(std::string_view name) const;
  /// `hasChildren`: other operators run inside the call.
  virtual OperatorRole role(std::string_view operatorName, bool hasChildren) const;
  /// Whether the operator, a detail, moves bytes itself.
  virtual bool writes(std::string_view operatorName) const;
  /// Namespaces that the names of all of its kernels share.
  virtual std::span<const std::string_view> kernelNamespaces() const;
};

/// By the name that a target has (`pytorch`); one that knows nothing for every other name.
const RuntimeAdapter& runtimeAdapter(std::string_view runtime);

}  // namespace amdahlc
