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
  auto bytes = readFile(path, limits::kReportBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const Compression compression = compressionOf(*bytes);
  if (compression == Compression::None) return bytes;
  const auto packed = bytesInMemory(*bytes);
  const auto plain = decompress(*packed, compression, inputName(path), diagnostics);
  return readAll(*plain, limits::kReportBytes, inputName(path), diagnostics);
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
