#include "driver/language_server.h"

#include <fmt/format.h>

#include "driver/version.h"
#include "grammar/lsp/channel.h"
#include "grammar/lsp/server.h"
#include "support/printable.h"

namespace amdahlc::driver {

Outcome serveEditor(const Settings& settings, Console& console, DiagnosticEngine& diagnostics) {
  if (settings.request.model) {
    diagnostics.error(DiagId::OptionConflict, settings.request.model->range,
                      "`-lsp` reads no model; the editor sends the texts of rule files");
    return Outcome::RequestFault;
  }
  lsp::StdioChannel channel;
  lsp::ServerOptions options;
  options.version = versionNumber();
  options.log = [&](const std::string& line) { console.message(fmt::format("amdahlc: {}\n", printable(line))); };
  return lsp::serve(channel, options) ? Outcome::Done : Outcome::InputFault;
}

}  // namespace amdahlc::driver
