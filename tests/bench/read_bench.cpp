/// Measures one way to read a trace, in a process of its own, so that its memory can be told. tests/bench/read.py runs
/// it and compares.
///
///   amdahlc_read_bench generate BYTES FILE   writes a plain trace as PyTorch's profiler does, of about that size
///   amdahlc_read_bench walk FILE             the reference: libdeflate's and simdjson's one-shot walk over all values
///   amdahlc_read_bench read FILE             the project's reader
///
/// `walk` and `read` print one line: CPU milliseconds, peak memory and size of the plain text in bytes, events.
#include <fmt/format.h>
#include <libdeflate.h>
#include <simdjson.h>
#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "runs/trace/reader.h"
#include "support/file.h"

namespace amdahlc::bench {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

uint64_t peakMemoryBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void report(std::clock_t start, uint64_t rawBytes, size_t events) {
  fmt::print("{:.1f} {} {} {}\n", 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, peakMemoryBytes(),
             rawBytes, events);
}

/// The calls of a linear layer: two frames, two operators, a launch, a kernel, a flow. As many as `bytes` hold.
int generate(uint64_t bytes, const char* path) {
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr) return 1;
  uint64_t written = 0;
  std::string text =
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA A\", "
      "\"computeMajor\": 8, \"computeMinor\": 0\n    }\n  ],\n  \"traceEvents\": [\n";
  constexpr uint64_t kCallsPerStep = 2000;
  for (uint64_t call = 0; written < bytes; ++call) {
    const uint64_t ns = 1'000'000 + 40'000 * call;
    const auto us = [](uint64_t at) { return fmt::format("{}.{:03}", at / 1000, at % 1000); };
    const auto event = [&](std::string_view category, std::string_view name, std::string_view place, uint64_t at,
                           uint64_t duration, const std::string& args) {
      text += fmt::format(
          "  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", {},\n    \"ts\": {}, \"dur\": {},\n    "
          "\"args\": "
          "{{\n      {}\n    }}\n  }},\n",
          category, name, place, us(at), us(duration), args);
    };
    constexpr std::string_view kHost = "\"pid\": 4242, \"tid\": 4242";
    constexpr std::string_view kStream = "\"pid\": 0, \"tid\": 7";
    const uint64_t shape = call % 37;
    if (call % kCallsPerStep == 0)
      event("user_annotation", fmt::format("ProfilerStep#{}", call / kCallsPerStep), kHost, ns,
            40'000 * kCallsPerStep - 1000,
            fmt::format("\"External id\": {},\"Record function id\": 0, \"Ev Idx\": {}", 4 * call, 4 * call));
    event("python_function", fmt::format("nn.Module: Linear_{}", call % 100), kHost, ns + 100, 38'000,
          fmt::format("\"Python parent id\": {}, \"Python module id\": {}, \"Python id\": {}", 2 * call, call % 100,
                      2 * call + 1));
    event("python_function", "torch/nn/modules/linear.py(124): forward", kHost, ns + 300, 37'000,
          fmt::format("\"Python parent id\": {}, \"Python id\": {}", 2 * call + 1, 2 * call + 2));
    const std::string shapes = fmt::format(
        "\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": [\"float\", \"float\", "
        "\"float\"], \"Input Strides\": [[{0}, 1], [{0}, 1], [1]], \"Input Dims\": [[128, {0}], [{1}, {0}], [{1}]]",
        64 + 8 * shape, 256 + 8 * shape);
    event("cpu_op", "aten::linear", kHost, ns + 1000, 35'000,
          fmt::format("\"External id\": {}, {}, \"Ev Idx\": {}", 4 * call + 1, shapes, 4 * call + 1));
    event("cpu_op", "aten::addmm", kHost, ns + 3000, 30'000,
          fmt::format("\"External id\": {}, {}, \"Ev Idx\": {}", 4 * call + 2, shapes, 4 * call + 2));
    event("cuda_runtime", "cudaLaunchKernel", kHost, ns + 20'000, 6000,
          fmt::format("\"External id\": {}, \"cbid\": 211, \"correlation\": {}", 4 * call + 2, call + 1));
    event("kernel", fmt::format("ampere_sgemm_{}x64_tn", 32 + 32 * (call % 4)), kStream, ns + 28'000, 9000,
          fmt::format(
              "\"External id\": {}, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": {}, "
              "\"registers per thread\": 122, \"shared memory\": 16384, \"blocks per SM\": 0.148148, \"warps per SM\": "
              "1.185185, \"grid\": [{}, 2, 1], \"block\": [128, 1, 1], \"est. achieved occupancy %\": 2",
              4 * call + 2, call + 1, 8 + shape));
    for (const std::string_view end : {"s", "f"})
      text += fmt::format(
          "  {{\n    \"ph\": \"{}\", \"id\": {}, {}, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"{}\n  }},\n",
          end, call + 1, end == "s" ? kHost : kStream, us(ns + 20'000), end == "s" ? "" : ", \"bp\": \"e\"");
    if (text.size() > (1u << 20) || written + text.size() >= bytes) {
      written += std::fwrite(text.data(), 1, text.size(), file);
      text.clear();
    }
  }
  text =
      "  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", "
      "\"ts\": 1.000\n  }\n  ],\n"
      "  \"traceName\": \"generated\"\n}\n";
  std::fwrite(text.data(), 1, text.size(), file);
  return std::fclose(file) == 0 ? 0 : 1;
}

/// Looks at every value of every event, and keeps nothing.
size_t walkValue(simdjson::ondemand::value value) {
  namespace ondemand = simdjson::ondemand;
  size_t bytes = 0;
  switch (value.type()) {
    case ondemand::json_type::object:
      for (auto field : value.get_object()) bytes += field.unescaped_key().value().size() + walkValue(field.value());
      break;
    case ondemand::json_type::array:
      for (ondemand::value element : value.get_array()) bytes += walkValue(element);
      break;
    default:
      bytes += value.raw_json_token().size();
  }
  return bytes;
}

int walk(const std::string& path) {
  namespace ondemand = simdjson::ondemand;
  const std::clock_t start = std::clock();
  DiagnosticEngine diagnostics;
  auto bytes = readFile(path, kNoLimit, diagnostics);
  if (!bytes) return 1;
  std::string text;
  if (bytes->starts_with("\x1f\x8b")) {
    // The last four bytes of a gzip file are the size of the text.
    uint32_t size = 0;
    std::copy_n(bytes->data() + bytes->size() - sizeof size, sizeof size, reinterpret_cast<char*>(&size));
    text.reserve(size + simdjson::SIMDJSON_PADDING);
    text.resize(size);
    std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (libdeflate_gzip_decompress(inflater.get(), bytes->data(), bytes->size(), text.data(), text.size(), nullptr) !=
        LIBDEFLATE_SUCCESS)
      return 1;
    bytes->clear();
    bytes->shrink_to_fit();
  } else {
    text = std::move(*bytes);
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  }
  ondemand::parser parser;
  ondemand::document document = parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
  size_t events = 0;
  size_t values = 0;
  const auto walkEvents = [&](ondemand::array array) {
    for (ondemand::value event : array) {
      values += walkValue(event);
      ++events;
    }
  };
  if (document.type() == ondemand::json_type::array) {
    walkEvents(document.get_array());
  } else {
    for (auto field : document.get_object()) {
      if (field.unescaped_key().value() == "traceEvents")
        walkEvents(field.value().get_array());
      else
        values += walkValue(field.value());
    }
  }
  report(start, text.size(), values == 0 ? 0 : events);
  return 0;
}

int read(const std::string& path) {
  const std::clock_t start = std::clock();
  const SourceManager sources;
  DiagnosticEngine diagnostics(
      [&](const Diagnostic& diagnostic) { fmt::print(stderr, "{}", render(diagnostic, sources, false)); });
  const auto timeline = trace::readTrace({path}, {}, diagnostics);
  if (!timeline) return 1;
  report(start, 0, timeline->size() + timeline->host->size());
  return 0;
}

}  // namespace
}  // namespace amdahlc::bench

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "generate" && argc == 4) return amdahlc::bench::generate(std::strtoull(argv[2], nullptr, 10), argv[3]);
  if (mode == "walk" && argc == 3) return amdahlc::bench::walk(argv[2]);
  if (mode == "read" && argc == 3) return amdahlc::bench::read(argv[2]);
  fmt::print(stderr, "usage: {} generate BYTES FILE | walk FILE | read FILE\n", argv[0]);
  return 2;
}
