/// The names in a rule file: its own declarations and those of the files it imports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grammar/ast.h"

namespace amdahlc::grammar {

struct FileScope;

struct FragmentEntry {
  enum class State : uint8_t { Unchecked, Checking, Good, Bad };
  const ast::Declaration* declaration = nullptr;
  /// The scope in which the names of the fragment are looked up.
  const FileScope* home = nullptr;
  State state = State::Unchecked;
};

struct ClassEntry {
  const ast::Declaration* declaration = nullptr;
  /// Flattened.
  std::vector<ir::OperatorName> members;
  /// Declared by `views`, or made of such classes only.
  bool views = false;
};

struct FileScope {
  std::map<std::string, FragmentEntry*> fragments;
  std::map<std::string, const ClassEntry*> classes;
  /// A declaration has a syntax error, so unknown names may be its names.
  bool incomplete = false;
};

}  // namespace amdahlc::grammar
