/// Execution traces as text, for tests.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/execution_trace/reader.h"
#include "runs/files/trace_file.h"

namespace amdahlc::testing {

/// A value that a call takes or returns, in the lists of version 1.1.
struct EtValue {
  std::string value, type, sizes = "[]", strides = "[]";
};

inline std::string rowMajor(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t axis = sizes.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * sizes[axis];
  return fmt::format("[{}]", fmt::join(strides, ","));
}

/// A tensor of four-byte elements, contiguous from an offset in elements.
inline EtValue tensor(int64_t id, int64_t storage, const std::vector<int64_t>& sizes, int64_t offset = 0) {
  int64_t elements = 1;
  for (const int64_t size : sizes) elements *= size;
  return {fmt::format("[{},{},{},{},4,\"cpu\"]", id, storage, offset, elements), "Tensor(float)",
          fmt::format("[{}]", fmt::join(sizes, ",")), rowMajor(sizes)};
}

inline EtValue listOf(const std::vector<EtValue>& values) {
  const auto joined = [&](std::string EtValue::* part) {
    std::vector<std::string> texts;
    for (const EtValue& value : values) texts.push_back(value.*part);
    return fmt::format("[{}]", fmt::join(texts, ","));
  };
  return {joined(&EtValue::value), "GenericList" + joined(&EtValue::type), joined(&EtValue::sizes),
          joined(&EtValue::strides)};
}

inline std::string sideText(const std::vector<EtValue>& values) {
  std::vector<EtValue> quoted = values;
  for (EtValue& value : quoted) value.type = '"' + value.type + '"';
  const EtValue lists = listOf(quoted);
  return fmt::format(R"({{"values":{},"shapes":{},"types":{},"strides":{}}})", lists.value, lists.sizes,
                     lists.type.substr(std::string_view("GenericList").size()), lists.strides);
}

/// A call of version 1.1. Its record function id is the id plus 1000.
struct EtCall {
  int64_t id, parent;
  std::string name;
  std::vector<EtValue> inputs = {}, outputs = {};
  std::string schema = "lib::f(Tensor a) -> Tensor";
  int64_t thread = 1;

  std::string text() const {
    return fmt::format(R"({{"id":{},"name":"{}","ctrl_deps":{},"inputs":{},"outputs":{},"attrs":[)"
                       R"({{"name":"rf_id","type":"uint64","value":{}}},{{"name":"tid","type":"uint64","value":{}}},)"
                       R"({{"name":"op_schema","type":"string","value":"{}"}}]}})",
                       id, name, parent, sideText(inputs), sideText(outputs), id + 1000, thread, schema);
  }
};

inline std::string document(const std::vector<std::string>& nodes, std::string_view schema = "1.1.1-chakra.0.0.4") {
  return fmt::format(R"({{"schema":"{}","pid":7,"nodes":[{}],"finish_ts":1}})", schema, fmt::join(nodes, ","));
}
inline std::string document(const std::vector<EtCall>& calls) {
  std::vector<std::string> nodes;
  for (const EtCall& call : calls) nodes.push_back(call.text());
  return document(nodes);
}

struct EtRead {
  std::optional<execution_trace::ExecutionTrace> trace;
  std::string reported;
};
inline EtRead readExecutionTraceText(std::string_view bytes) {
  EtRead out;
  const SourceManager sources;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out.reported += render(diagnostic, sources, false); });
  const auto file = trace::TraceFile::inMemory(bytes, "folder/et.json", engine);
  if (file) out.trace = execution_trace::readExecutionTrace(*file, engine);
  CHECK(out.trace.has_value() != engine.hasErrors());
  return out;
}
inline execution_trace::ExecutionTrace traceOf(const std::vector<EtCall>& calls) {
  EtRead read = readExecutionTraceText(document(calls));
  REQUIRE_MESSAGE(read.trace, read.reported);
  return std::move(*read.trace);
}

inline execution_trace::NodeId nodeWithId(const execution_trace::ExecutionTrace& trace, int64_t id) {
  const auto found = std::ranges::find(trace.id, id);
  REQUIRE(found != trace.id.end());
  return execution_trace::NodeId(found - trace.id.begin());
}

}  // namespace amdahlc::testing
