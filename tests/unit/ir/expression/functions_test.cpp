#include "ir/expression/functions.h"

#include <doctest/doctest.h>

#include <set>
#include <tuple>

namespace amdahlc::expression {

TEST_CASE("every row is complete, and no name is two things in one context") {
  std::set<std::tuple<std::string_view, Context, Function::Form>> seen;
  for (const Function& row : functions()) {
    CAPTURE(row.name);
    CHECK(bool(row.implementation));
    CHECK_FALSE(row.documentation.empty());
    CHECK_FALSE(row.documentation.ends_with('.'));
    CHECK(row.documentation.find('\n') == std::string_view::npos);
    CHECK_FALSE(row.contexts.empty());
    CHECK((row.form == Function::Form::Call || row.parameters.empty()));
    for (const Context context : row.contexts) CHECK(seen.insert({row.name, context, row.form}).second);
    bool optional = false;
    for (const Parameter& parameter : row.parameters) {
      CHECK_FALSE((optional && !parameter.optional));
      optional = parameter.optional;
    }
    CHECK(functionDocumentation().find("| `" + row.signature() + "` |") != std::string::npos);
  }
}

TEST_CASE("every implementation is unknown without leaves") {
  for (const Function& row : functions()) {
    CAPTURE(row.name);
    const std::vector<Value> arguments(row.parameters.size(), Value::graph(ir::ValueId(0)));
    CHECK(row.implementation({}, arguments).isUnknown());
    CHECK(row.implementation({}, std::vector<Value>(row.parameters.size())).isUnknown());
  }
}

TEST_CASE("rows are found by form and context") {
  CHECK(findFunction("rank") != nullptr);
  CHECK(findFunction("grid.x") == nullptr);
  CHECK(findName("grid.x", Context::Kernel) != nullptr);
  CHECK(findName("grid.x", Context::Where) == nullptr);
  CHECK(findName("rank", Context::Where) == nullptr);
  CHECK(findFunction("bytes")->form == Function::Form::Call);
  CHECK(findName("bytes", Context::Kernel)->form == Function::Form::Name);
  CHECK(findFunction("opset")->signature() == "opset([domain])");
  CHECK(findFunction("opset")->requiredArguments() == 0);
  CHECK(functionNames(Function::Form::Call, Context::Kernel).empty());
}

}  // namespace amdahlc::expression
