/// Modules for tests: a builder in as few words as possible, and one module that uses everything that the IR can say.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "../ids.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::ir::test {

/// Builds modules by value names; `float32[2,4]` unless told otherwise.
class ModuleBuilder {
 public:
  ModuleBuilder();

  GraphId addGraph(OpId parent, const std::string& regionName);
  ValueId input(const std::string& name, GraphId graph = kMainGraph);
  ValueId constant(const std::string& name, std::vector<int64_t> data, GraphId graph = kMainGraph);
  OpId op(const std::string& type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
          GraphId graph = kMainGraph);
  void output(const std::string& name, GraphId graph = kMainGraph);
  ValueId value(const std::string& name) const;

  Module module;

 private:
  ValueId define(const std::string& name, Value::Kind kind, GraphId graph);
};

/// Each group its own kernel; ops that no group names are kernels of their own.
KernelList grouping(const Module& module, std::vector<std::vector<OpId>> groups);

/// `default` over single operators, established as fused.
void fuseTrivially(Module& module);

/// Every facet, every kind of attribute, type and pattern part, odd names, regions, erased operators, two timelines.
Module everything();

/// Messages of a run, one a line.
struct Messages {
  std::string text;
  DiagnosticEngine engine{[this](const Diagnostic& diagnostic) { text += diagnostic.message + '\n'; }};
};

/// The module of `text`, or nullopt and its errors.
std::optional<Module> parseText(const std::string& text, std::string& messages);

}  // namespace amdahlc::ir::test
