/// What a format of profiler files is to the readers, and what tells it from the others. Internal to the readers.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runs/builder/builder.h"
#include "runs/trace/json_cursor.h"
#include "runs/trace/trace_file.h"

namespace amdahlc::trace {

/// The top of a JSON document: enough to distinguish the formats of profilers.
struct JsonSketch {
  bool isArray = false;
  /// Of the top-level object, or of an array's first element when that is an object; the first 64.
  std::vector<std::string> keys;
  /// `cat` of an array's first element.
  std::string firstCategory;
  bool has(std::string_view key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
};

/// The first bytes of a file, decompressed.
struct Beginning {
  std::string_view bytes;
  /// nullopt if the file is not JSON.
  std::optional<JsonSketch> json;
  /// The first byte that is not as JSON demands, or the number of bytes if they end early; nullopt if the sketch needed
  /// no more.
  std::optional<size_t> invalidAt;
};

/// Whatever JSON the bytes begin with; they may end anywhere.
Beginning look(std::string_view bytes);

/// The files of one run. Never empty.
using TraceFiles = std::span<const std::unique_ptr<TraceFile>>;

/// One format. A new format is one more reader file and one row in reader.cpp.
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
};

/// The format that a file begins with; null if it is unknown.
const Format* formatOf(const Beginning& beginning);

}  // namespace amdahlc::trace
