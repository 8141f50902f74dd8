/// Descriptions of hardware as YAML, and `-hardware=`.
///
///     name: NVIDIA H100 SXM
///     devices: ['NVIDIA H100 80GB HBM3']        # regular expressions of names in traces
///     sources: ['the data sheet, 2023']
///     memory-bandwidth: 3.35 TB/s
///     memory-size: 80 GB
///     cache-size: 50 MB
///     launch-cost: 2us
///     matrix: {float16: 989.4 TFLOP/s, tfloat32: 494.7 TFLOP/s}
///     vector: {float32: 66.9 TFLOP/s}
///
/// `name`, `sources`, `memory-bandwidth` and `vector` are needed. Units are powers of 1000, or of 1024 with an `i`.
#pragma once

#include <optional>
#include <string>

#include "api/request.h"
#include "ir/hardware.h"
#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Reports every error; nullopt if there was one.
std::optional<ir::HardwareDescription> readHardwareFile(const std::string& path, SourceManager& sources,
                                                        DiagnosticEngine& diagnostics);

/// Gives the module what `-hardware=` names: a file (with a slash, or the ending of YAML or JSON), or a shipped
/// description by the name of its file. Without a name the shipped ones, if the module or a run of it names a device.
/// False after reporting an error.
bool addHardware(const Request& request, ir::Module& module, SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
