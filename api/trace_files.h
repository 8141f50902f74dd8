/// The files that `-trace` names: of one run, or of its ranks.
#pragma once

#include <string>
#include <string_view>

#include "api/request.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// What options and outputs of ranks need, and how to give it.
inline constexpr std::string_view kTracesOfRanks =
    "traces of several ranks; give a folder, a pattern, or `-trace=rank0=file -trace=rank1=file`";

/// Whether a path names a trace or a folder, and not a model: by its ending, else by the first bytes of the file. False
/// for stdin, and for what cannot be read.
bool isTrace(const std::string& path);

/// Whether a file is an execution trace, by its content. False for stdin, and for what cannot be read.
bool isExecutionTrace(const std::string& path);

/// Moves the execution traces among the files of a run out of them, in order. One file alone is a trace, or no input of
/// this kind.
std::vector<std::string> takeExecutionTraces(std::vector<std::string>& paths);

/// Adds a run: its file, or its files with commas between them. Or adds the ranks of a run: the traces in a folder, by
/// the endings of their names, or the files that a pattern of the shell matches (`traces/rank*.json.gz`); execution
/// traces among them are told by their content. `label` may be empty. Reports errors as `fault`.
void addTrace(Request& request, std::string label, const std::string& files, SourceRange range, DiagId fault,
              DiagnosticEngine& diagnostics);
/// The same of files that are given one by one, so that names and labels may have any characters.
void addTrace(Request& request, TraceArgument trace, DiagId fault, DiagnosticEngine& diagnostics);

/// Adds the ranks of a run by their files, of which all have numbers or none; execution traces among them are told by
/// their content. Reports errors as `fault`.
void addRanks(Request& request, std::vector<RankArgument::File> files, DiagId fault, DiagnosticEngine& diagnostics);

/// Makes several traces ranks of one run, if each is one file with the name of another rank (`rank0.json`).
/// Precondition: no trace has a label.
void takeRanksByName(Request& request);

/// An analysis calls it once, when all traces were added. It:
///
/// 1. makes traces that are labelled `rank0`, `rank1`, ... ranks of one run, if there are several, and adds the
///    argument that stands for the rank whose events are bound;
/// 2. labels the runs without labels, by their files or folder, with a number behind a name that another run has or
///    that the command keeps for itself.
///
/// Runs with the same label are then recordings of one run. Reports options for ranks without effect, a label of ranks
/// that another run has, and a file that is given twice with one label or without any, and returns false.
bool completeTraces(Request& request, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
