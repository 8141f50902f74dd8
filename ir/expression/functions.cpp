#include "ir/expression/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace amdahlc::expression {

std::string_view describe(Context context) {
  static constexpr std::string_view kWords[] = {"a condition of `where`", "an attribute test", "a test of a constant",
                                                "a kernel test", "the value of an attribute"};
  return kWords[static_cast<size_t>(context)];
}

std::string_view describe(Type type) {
  static constexpr std::string_view kWords[] = {"anything",
                                                "a condition",
                                                "a number",
                                                "a string",
                                                "an element type",
                                                "a list",
                                                "a value of the pattern",
                                                "a regular expression"};
  return kWords[static_cast<size_t>(type)];
}

bool Function::allows(Context context) const { return std::ranges::find(contexts, context) != contexts.end(); }

size_t Function::requiredArguments() const {
  return static_cast<size_t>(std::ranges::count(parameters, false, &Parameter::optional));
}

std::string Function::signature() const {
  if (form == Form::Name) return std::string(name);
  std::string list;
  for (const Parameter& parameter : parameters)
    list += fmt::format(fmt::runtime(parameter.optional ? "{}[{}]" : "{}{}"), list.empty() ? "" : ", ", parameter.name);
  return fmt::format("{}({})", name, list);
}

const std::vector<Function>& functions() {
  static const std::vector<Function> rows = [] {
    std::vector<Function> all;
    for (const std::span<const Function> part : {graphFunctions(), argumentFunctions(), launchFacts()})
      all.insert(all.end(), part.begin(), part.end());
    std::ranges::sort(all, {}, [](const Function& row) { return std::tuple(row.form, row.name); });
    return all;
  }();
  return rows;
}

namespace {

const Function* find(auto wanted) {
  const auto found = std::ranges::find_if(functions(), wanted);
  return found == functions().end() ? nullptr : &*found;
}

}  // namespace

const Function* findFunction(std::string_view name) {
  return find([&](const Function& row) { return row.form == Function::Form::Call && row.name == name; });
}

const Function* findName(std::string_view name, Context context) {
  return find(
      [&](const Function& row) { return row.form == Function::Form::Name && row.name == name && row.allows(context); });
}

std::vector<std::string> functionNames(Function::Form form, Context context) {
  std::vector<std::string> names;
  for (const Function& row : functions())
    if (row.form == form && row.allows(context)) names.emplace_back(row.name);
  return names;
}

std::string functionDocumentation() {
  std::string out;
  for (const auto& [form, title] : {std::pair{Function::Form::Call, "function"}, {Function::Form::Name, "name"}}) {
    out += fmt::format("{}| {} | is | allowed in | meaning |\n|--|--|--|--|\n", out.empty() ? "" : "\n", title);
    for (const Function& row : functions()) {
      if (row.form != form) continue;
      std::string contexts;
      for (const Context context : row.contexts)
        contexts += fmt::format("{}{}", contexts.empty() ? "" : ", ", describe(context));
      out +=
          fmt::format("| `{}` | {} | {} | {} |\n", row.signature(), describe(row.result), contexts, row.documentation);
    }
  }
  return out;
}

}  // namespace amdahlc::expression
