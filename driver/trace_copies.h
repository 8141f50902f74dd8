/// Outputs that are annotated copies of the traces: a pass says what to add, and the trace is read once more.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/outputs.h"
#include "ir/module.h"

namespace amdahlc::driver {

class TraceCopies {
 public:
  /// Those that the pipeline asks for.
  TraceCopies(const Pipeline& pipeline, const PassRegistry& registry);

  /// Reports traces that cannot be read a second time: pipes.
  bool canReadTwice(const Settings& settings, DiagnosticEngine& diagnostics) const;
  /// Reports runs of which there is no copy. Before the passes, because they take long.
  bool canCopy(const ir::Module& module, DiagnosticEngine& diagnostics) const;

 private:
  /// An output, and where the command asks for it.
  struct Planned {
    const OutputKind* kind;
    SourceRange range;
  };
  std::vector<Planned> planned_;
};

/// Copies the traces of the module, all of which must outlive it. `files` has the file of each run by its label.
TraceCopier copierOf(const ir::Module& module, const std::map<std::string, std::string>& files,
                     DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
