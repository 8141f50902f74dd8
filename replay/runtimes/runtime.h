/// The names of a framework's runtime in a trace: of steps, calls of modules and operators. All other components pass
/// names as text and ask here for their meaning. A new runtime is one more file; docs/architecture.md lists the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/runtimes/phase.h"
#include "replay/runtimes/remedy.h"

namespace amdahlc {

/// The role of an operator, by its name, in a trace without a device.
enum class OperatorRole : uint8_t {
  /// Encloses others and computes nothing itself: a compiled region, bookkeeping.
  Wrapper,
  /// Does not compute: a view, an allocation, reading a scalar.
  NoWork,
  /// Computes if called alone, but is a detail inside another operator: a copy, a fill, and their callers.
  Detail,
  Work,
};

/// The names of one runtime. The base class is for an unknown runtime.
class RuntimeAdapter {
 public:
  virtual ~RuntimeAdapter() = default;

  /// Whether an annotation of this name is one step of the profiled loop.
  virtual bool isStep(std::string_view /*annotation*/) const { return false; }
  /// The number in the name of a step; nullopt for another annotation.
  virtual std::optional<int64_t> stepNumber(std::string_view /*annotation*/) const { return std::nullopt; }
  /// Whether a frame of this name is a call of a module.
  virtual bool isModuleCall(std::string_view /*frame*/) const { return false; }
  /// The instance that such a frame calls: `Linear_4`.
  virtual std::string_view moduleInstance(std::string_view frame) const { return frame; }
  /// The class of an instance: `Linear`.
  virtual std::string_view moduleClass(std::string_view instance) const { return instance; }
  /// The class of the modules that ones of this class replace where a model is fused or quantised: `Conv2d` for
  /// `ConvReLU2d`. The class itself if it replaces none.
  virtual std::string_view replacedClass(std::string_view moduleClass) const { return moduleClass; }
  /// Whether an operator event of this name calls an operator of the framework, not a region of a compiler or a
  /// profiler.
  virtual bool isOperatorCall(std::string_view /*name*/) const { return true; }
  /// Whether an operator event of this name runs code that a compiler generated for several operators: its own time
  /// is theirs.
  virtual bool isGeneratedCode(std::string_view /*name*/) const { return false; }
  /// Whether it is a step of a region of a compiler. A recorder that writes it down also writes down the calls of
  /// generated code in the region.
  virtual bool isStepOfRegion(std::string_view /*name*/) const { return false; }
  /// Of the name of a kernel that a compiler generated, the part that lists the operators it was generated for; empty
  /// if the name lists none.
  virtual std::string_view operatorList(std::string_view /*kernelName*/) const { return {}; }
  /// The operators of such a list, as the runtime writes their calls, each once. Their names may hold what separates
  /// them: `isOperator` tells which calls there are besides those whose role is `NoWork` or `Detail`, and those that
  /// create a constant. Empty if the list can be read in no way, or in several ways with as few operators.
  virtual std::vector<std::string> listedOperators(std::string_view /*list*/,
                                                   const std::function<bool(std::string_view)>& /*isOperator*/) const {
    return {};
  }
  /// The phase that an operator event or an annotation of this name begins; all that runs in it on its thread belongs
  /// to it. `Other` for a name that begins none, as most operators. A call of `Backward` is a step of the backward
  /// pass.
  virtual Phase phase(std::string_view /*name*/) const { return Phase::Other; }
  /// Of the name of an event that begins a phase, the part that tells one such event from another: `AddmmBackward0`.
  virtual std::string_view phaseStep(std::string_view name) const { return name; }
  /// `hasChildren`: other operators run inside the call.
  virtual OperatorRole role(std::string_view /*operatorName*/, bool /*hasChildren*/) const {
    return OperatorRole::Work;
  }
  /// Whether the operator returns its input unless the model is trained: a dropout.
  virtual bool isIdentityInInference(std::string_view /*operatorName*/) const { return false; }
  /// Whether the operator reads no tensor, or only the shape of one: exports fold it into a constant.
  virtual bool createsConstant(std::string_view /*operatorName*/) const { return false; }
  /// Whether a call of the operator that no node stands for is no work of the model: it moves data, makes random input,
  /// or computes truth values, by which a program chooses a way that an export has taken already.
  virtual bool isBesideModel(std::string_view /*operatorName*/) const { return false; }
  /// The element type in which a call computes, as ONNX names it, by its operator and the types of its operands as the
  /// trace writes them. Empty if they do not tell, and for a detail.
  virtual std::string_view computedType(std::string_view /*operatorName*/,
                                        std::span<const std::string> /*operandTypes*/) const {
    return {};
  }
  /// The element type of a tensor whose type the trace writes so, as ONNX names it; another text for what is no tensor.
  virtual std::string_view elementType(std::string_view written) const { return written; }
  /// Whether the operator writes its result into its first operand, by its name alone.
  virtual bool writesInPlace(std::string_view /*operatorName*/) const { return false; }
  /// Whether the operator takes weights that were packed before the run: a trace has no dimensions of them.
  virtual bool takesPackedWeights(std::string_view /*operatorName*/) const { return false; }
  /// Whether the operator, a detail, moves bytes itself.
  virtual bool writes(std::string_view /*operatorName*/) const { return false; }
  /// Whether an operator event or an annotation of this name fetches the next batch of input: what runs in it prepares
  /// data and is no part of the model.
  virtual bool isDataLoading(std::string_view /*name*/) const { return false; }
  /// Whether a function of the host with a frame of this name fetches the next batch of input.
  virtual bool isLoadingFrame(std::string_view /*frame*/) const { return false; }
  /// Whether a frame of this name is of the framework or of the language, and not of the program that uses them.
  virtual bool isLibraryFrame(std::string_view /*frame*/) const { return false; }
  /// Whether a frame of this name is of code that the language made, which nobody can move.
  virtual bool isMadeCode(std::string_view /*frame*/) const { return false; }
  /// Whether a function or a step of this name computes again, in the backward pass, what the forward pass did.
  virtual bool isRecomputation(std::string_view /*name*/) const { return false; }
  /// Whether an optimizer, or an operator of one, of this name updates all weights at once, and whether it takes each
  /// step of the update for lists of weights.
  virtual bool isFusedUpdate(std::string_view /*name*/) const { return false; }
  virtual bool isUpdateOfLists(std::string_view /*name*/) const { return false; }
  /// Whether an operator, a function or an annotation of this name compiles code, or tries which kernel is faster.
  virtual bool isCompilation(std::string_view /*name*/) const { return false; }
  /// Whether the size of what the operator returns depends on the values that it reads, so that the host waits for it.
  virtual bool hasSizeOfValues(std::string_view /*operatorName*/) const { return false; }
  /// Namespaces that the names of all of its kernels share.
  virtual std::span<const std::string_view> kernelNamespaces() const { return {}; }
  /// Prefixes of operator names for a variant or a backend, in the spelling of `comparableName`: `cudnn`.
  virtual std::span<const std::string_view> operatorVariants() const { return {}; }
  /// The names that `name` is made of. `name` is that of an event, or the node that an operator states
  /// (`OperatorFacts::node`). Each part is the name of a node of the model that ran, or of a result of one. They are in
  /// the order of `name`, the anchor first. A node's name may hold what separates names: whoever knows the nodes also
  /// looks for adjacent parts as one name. By default `name` itself; nothing for an event that names other events.
  virtual std::vector<std::string_view> namedNodes(std::string_view name) const { return {name}; }
  /// Whether the runtime names all its events after nodes, so that the events of a run of another model name none.
  virtual bool namesAllNodes() const { return false; }
  /// Whether the event ran further nodes, between the first and the last that it names.
  virtual bool namesRange(std::string_view /*eventName*/) const { return false; }
  /// The types of nodes that an operator may be a part of that states none, because the runtime moves, divides and
  /// joins nodes that only move elements. Empty for operators that do something else.
  virtual std::span<const std::string_view> movedTypes(std::string_view /*operatorName*/) const { return {}; }
  /// Whether an operator (empty if the runtime records none) that runs as `name`, which is no node of the model, only
  /// converts the layout or the type of a tensor: the runtime inserted it. `name` is as for `namedNodes`, or empty.
  virtual bool isLayoutConversion(std::string_view /*operatorName*/, std::string_view /*name*/) const { return false; }
  /// How a person does it, as a phrase for a list of advice.
  virtual std::string_view remedy(Remedy kind) const;
  /// The `comparableName` of one of its operators, without the prefix for a variant: `aten::cudnn_convolution` is
  /// `convolution`.
  std::string comparableName(std::string_view operatorName) const;
};

/// The names of the runtimes with an adapter, as targets have them.
inline constexpr std::string_view kOnnxRuntime = "onnxruntime", kPyTorch = "pytorch", kTensorRt = "tensorrt";

/// Lower case, sorted; with and without an adapter. Rules may name others, because a trace may state any target. A
/// misspelt name gets a warning.
const std::vector<std::string>& knownRuntimes();

/// The adapter for the runtime of a target (`pytorch`); the base class for a name without an adapter.
const RuntimeAdapter& runtimeAdapter(std::string_view runtime);

/// The runtime whose rules are used for a runtime without a rule library, because most operators run in the same way.
inline constexpr std::string_view kFallbackRuntime = kPyTorch;

}  // namespace amdahlc
