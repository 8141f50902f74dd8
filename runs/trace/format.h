/// What a format of profiler files is to the readers, and what tells it from the others. Internal to the readers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "runs/builder/builder.h"
#include "runs/files/json_sketch.h"
#include "runs/files/trace_file.h"

namespace amdahlc::trace {

/// The files of one run. Never empty.
using TraceFiles = std::span<const std::unique_ptr<TraceFile>>;

/// One format. A new format is a source file that defines one, its declaration below, and its place in reader.cpp.
struct Format {
  /// As in reports: `kineto`.
  std::string_view name;
  /// For messages that list the formats.
  std::string_view description;
  /// How many files of this format one run may have.
  size_t maxFiles;
  bool (*recognises)(const Beginning&);
  /// Adds the events of the files, all of which it recognises, to the builder, and sets the target among the builder's
  /// facts. Reports why it cannot, and returns false.
  bool (*read)(TraceFiles, TimelineBuilder&, DiagnosticEngine&);
  /// How to get a file of this format from one that only its profiler can read, whose name has one of these endings.
  std::string_view advice = {};
  std::array<std::string_view, 2> endingsOfOthers = {};
};

/// `SessionOptions.enable_profiling`: an array whose first event is of a category that only ONNX Runtime writes, or
/// that array wrapped as `traceEvents` by another program.
extern const Format kOnnxRuntimeFormat;
/// Chrome traces as Kineto, PyTorch's profiler library, writes them: an object with `traceEvents`, or that array alone.
extern const Format kKinetoFormat;
/// `nsys export --type=sqlite` of Nsight Systems, NVIDIA's profiler: an SQLite database. Its tables tell whether it is
/// Nsight's, so that reading reports a file of another program.
extern const Format kNsysFormat;
/// Of TensorRT's trtexec: the results of `--exportProfile`, which must be among the files, `--exportLayerInfo` and
/// `--exportTimes`, at most one file of each. Layers are in the order of the file and have no starts.
extern const Format kTensorRtFormat;

}  // namespace amdahlc::trace
