/// What a rule file can name: its own declarations and those of the files it imports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grammar/ast.h"

namespace amdahlc::grammar {

struct FileScope;

struct FragmentEntry {
  enum class State : uint8_t { Unchecked, Checking, Good, Bad };
  const ast::Fragment* fragment = nullptr;
  const FileScope* home = nullptr;  ///< where the fragment's own names are looked up
  State state = State::Unchecked;
};

struct ClassEntry {
  const ast::OperatorClass* declaration = nullptr;
  std::vector<ir::OperatorName> members;  ///< flattened
  bool views = false;                     ///< declared by `views`, or made of such classes only
};

struct FileScope {
  std::map<std::string, FragmentEntry*> fragments;
  std::map<std::string, const ClassEntry*> classes;
  bool incomplete = false;  ///< a declaration was lost to a syntax error: unknown names may be known ones
};

}  // namespace amdahlc::grammar
