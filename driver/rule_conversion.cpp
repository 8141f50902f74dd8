#include "driver/rule_conversion.h"

#include "driver/outputs.h"
#include "grammar/xml_rules/convert.h"
#include "support/file.h"
#include "support/memory.h"

namespace amdahlc::driver {

ExitCode convertRules(const Settings& settings, SourceManager& sources, DiagnosticEngine& diagnostics) {
  if (!settings.inputs.empty()) {
    diagnostics.error(DiagId::OptionConflict, settings.inputs.front().range,
                      "a model has no effect on `-convert-rules`, which reads the file of that option");
    return ExitCode::CommandLineFault;
  }
  const std::string& path = settings.convertedLibrary;
  const auto text = withinMemory(diagnostics, FileLocation{inputName(path)}, "the rules were converted",
                                 [&] { return grammar::xml_rules::convertLibrary(path, sources, diagnostics); });
  if (!text) return ExitCode::InputFault;
  const ExitCode code = writeOutputs({{"rules", "", *text}}, "", settings, sources, diagnostics);
  return code == ExitCode::Done && diagnostics.hasErrors() ? ExitCode::InputFault : code;
}

}  // namespace amdahlc::driver
