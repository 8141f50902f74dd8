#include "api/gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/comparison/report_reader.h"
#include "support/byte_source.h"
#include "support/file.h"
#include "support/memory.h"

namespace amdahlc::api {
namespace {

/// The decompressed text of a file of at most `limits::kReportBytes`.
std::optional<std::string> readReportText(const std::string& path, DiagnosticEngine& diagnostics) {
  constexpr size_t kBlock = size_t{1} << 20;
  auto bytes = readFile(path, limits::kReportBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const Compression compression = compressionOf(*bytes);
  if (compression == Compression::None) return bytes;
  const auto packed = bytesInMemory(*bytes);
  const auto plain = decompress(*packed, compression, inputName(path), diagnostics);
  std::string text;
  for (size_t count = kBlock; count == kBlock && text.size() <= limits::kReportBytes;) {
    const size_t start = text.size();
    text.resize(start + kBlock);
    count = plain->read(text.data() + start, kBlock);
    text.resize(start + count);
  }
  if (plain->failed()) return std::nullopt;
  if (text.size() <= limits::kReportBytes) return text;
  diagnostics.error(DiagId::FileTooLarge, FileLocation{inputName(path)},
                    fmt::format("the file is larger than the limit of {}", describeBytes(limits::kReportBytes)));
  return std::nullopt;
}

}  // namespace

std::optional<comparison::Baseline> loadBaseline(const Request& request, DiagnosticEngine& diagnostics) {
  const std::string name = inputName(request.baseline);
  return withinMemory(diagnostics, FileLocation{name}, "the baseline was read", [&] {
    const auto text = readReportText(request.baseline, diagnostics);
    return text ? comparison::readReport(name, *text, diagnostics) : std::nullopt;
  });
}

Outcome checkGates(const Request& request, const ir::Module& module, AnalysisManager& analyses,
                   DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  for (const PassArgument& argument : request.passArguments) {
    const auto& gate = argument.option->gate;
    if (!gate) continue;
    if (module.has(gate->needs))
      gate->check({module, analyses, argument.value, hasPrefix(*argument.option, argument.text)}, diagnostics);
    else
      diagnostics.error(DiagId::OptionConflict, argument.range,
                        fmt::format("`-{}` has nothing to check; a pass dropped the facet `{}`", argument.option->name,
                                    ir::name(gate->needs)));
  }
  return diagnostics.errorCount() == errorsBefore ? Outcome::Done : Outcome::GateFailed;
}

}  // namespace amdahlc::api
