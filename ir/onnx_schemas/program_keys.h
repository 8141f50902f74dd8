/// Names in ONNX files that are programs of runs (docs/programs.md): what the writer states and the reader finds.
/// Private to the components of ONNX.
#pragma once

namespace amdahlc::ir::onnx_schemas {

/// All keys of metadata begin with it.
inline constexpr char kOwnKeys[] = "amdahlc.";

// Of the model.

/// The front end. A file is a program if it has this key.
inline constexpr char kProgramKey[] = "amdahlc.program";
inline constexpr char kDataEdgesKey[] = "amdahlc.data_edges";
inline constexpr char kRuntimeKey[] = "amdahlc.runtime", kVendorKey[] = "amdahlc.vendor", kArchKey[] = "amdahlc.arch",
                      kDeviceKey[] = "amdahlc.device";

// Of the graph.

/// With the path of a module behind it: the class of that module.
inline constexpr char kClassKey[] = "amdahlc.class:";

// Of an input of the graph.

/// The value is a constant, such as a weight, whose elements are not known.
inline constexpr char kConstantKey[] = "amdahlc.constant";

// Of a node.

/// A number, which no other node has.
inline constexpr char kIdKey[] = "amdahlc.id";
/// The ids of nodes before it that it follows without using a result of them, with commas between them.
inline constexpr char kAfterKey[] = "amdahlc.after";
/// The call that the node is a part of: its name, which is unique, its operator and its scope as the trace has them.
inline constexpr char kCallKey[] = "amdahlc.call", kOperatorKey[] = "amdahlc.operator", kScopeKey[] = "amdahlc.scope";

// Domains.

/// The domain of an operator of ONNX of which something is not known that ONNX demands; of another domain with schemas,
/// that one with a point behind it: `amdahlc.lowered.ai.onnx.ml`.
inline constexpr char kLoweredDomain[] = "amdahlc.lowered";
/// The domain of opaque types, whose names are types of the IR: ONNX has no inputs without a type.
inline constexpr char kTypeDomain[] = "amdahlc";

}  // namespace amdahlc::ir::onnx_schemas
