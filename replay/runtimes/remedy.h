/// What makes runs faster, as kinds. How a person does it differs between runtimes: `RuntimeAdapter::remedy`.
#pragma once

#include <cstdint>

namespace amdahlc {

enum class Remedy : uint8_t {
  /// One call computes attention.
  FuseAttention,
  /// A compiler makes one kernel of several operators.
  Compile,
  /// A product applies what follows to its results.
  Epilogue,
  /// One launch for a sequence of kernels.
  Graph,
  /// Copies beside other work.
  OverlapCopies,
  /// Products of float32 are rounded to TF32.
  Tf32,
  /// Products in a type of 16 bits, on a device and on a CPU.
  NarrowTypes,
  NarrowTypesOnHost,
  /// Weights and results in a type of 16 bits, where a conversion of weights in each pass costs more than it saves.
  NarrowModel,
  /// Weights of 8 bits.
  Quantize,
  /// Weights and what they are multiplied with of 8 bits, with ranges that some inputs told before.
  QuantizeAll,
  /// The layout of images that kernels of convolutions work in.
  ChannelsLast,
  /// One kernel updates all weights.
  FuseUpdate,
  /// Input is prepared beside the iterations that use it.
  LoadAhead,
  /// The host reads a value of the device later, or not at all.
  ReadLater,
  /// Results have a size that the host knows before the device computes them.
  FixedSizes,
  /// Nothing is compiled and no code is loaded while iterations are measured.
  CompileOnce,
  /// Memory of the device is taken once, and fits.
  KeepMemory,
  /// The backward pass reads what the forward pass computed, and does not compute it again.
  KeepResults,
  /// The recorder writes down which functions of the program run.
  RecordFunctions,
  /// The recorder writes down shapes and strides of operands.
  RecordShapes,
  /// Communication beside computation.
  OverlapCommunication,
};

}  // namespace amdahlc
