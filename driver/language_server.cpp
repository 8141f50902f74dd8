#include "driver/language_server.h"

#include <fmt/format.h>

#include "driver/version.h"
#include "lsp/channel.h"
#include "lsp/server.h"
#include "support/printable.h"

namespace amdahlc::driver {

ExitCode serveEditor(const Settings& settings, Console& console, DiagnosticEngine& diagnostics) {
  if (!settings.inputs.empty()) {
    diagnostics.error(DiagId::OptionConflict, settings.inputs.front().range,
                      "`-lsp` reads no model; the editor sends the texts of rule files");
    return ExitCode::CommandLineFault;
  }
  lsp::StdioChannel channel;
  lsp::ServerOptions options;
  options.version = versionNumber();
  options.log = [&](const std::string& line) { console.message(fmt::format("amdahlc: {}\n", printable(line))); };
  return lsp::serve(channel, options) ? ExitCode::Done : ExitCode::InputFault;
}

}  // namespace amdahlc::driver
