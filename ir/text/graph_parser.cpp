#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/domain.h"
#include "ir/text/parser.h"
#include "ir/text/printers.h"
#include "support/edit_distance.h"
#include "support/limits.h"

namespace amdahlc::ir {

namespace {

/// Lengths of the shortest operator, `#0 A()`, and the shortest graph. A number that is too large for the length of the
/// text is rejected before memory is allocated.
constexpr size_t kMinOpBytes = 6;
constexpr size_t kMinGraphBytes = 9;

constexpr size_t kKinds = std::size(kListWords);

/// Which of the first alternatives of `AttributeValue` begins with this token; `kKinds` for none.
size_t kindOf(const Token& first) {
  const auto is = [&](std::string_view word) { return first.kind == Token::Kind::Name && first.text == word; };
  if (first.kind == Token::Kind::Integer) return 0;
  if (first.kind == Token::Kind::Float || is("inf") || is("nan")) return 1;
  if (first.kind == Token::Kind::String) return 2;
  return is("tensor") ? 3 : is("type") ? 4 : kKinds;
}

/// The alternative of this index.
template <size_t... I>
AttributeValue emptyAttribute(size_t index, std::index_sequence<I...>) {
  AttributeValue value;
  ((index == I ? void(value.emplace<I>()) : void()), ...);
  return value;
}

uint64_t valueKey(GraphId graph, Symbol name) { return uint64_t{graph.index()} << 32 | name.index; }

}  // namespace

std::optional<Parser::ValueName> Parser::valueName() {
  if (token_.kind == Token::Kind::Name && token_.text == "_") {
    advance();
    return std::nullopt;
  }
  ValueName name;
  name.where = range(token_);
  expect("%");
  name.where.end = token_.end;
  name.text = nameOrString("a value's name");
  if (accept("^")) name.skipped = index("a number of values to skip");
  return name;
}

ValueId Parser::lookUp(GraphId graph, const ValueName& name) const {
  const Symbol symbol = module_.strings.find(name.text);
  if (symbol.empty()) return kNone;
  size_t skipped = name.skipped;
  while (true) {
    if (const auto found = values_.find(valueKey(graph, symbol)); found != values_.end()) {
      if (skipped == 0) return found->second;
      --skipped;
    }
    const OpId parent = module_.graphs[graph].parent;
    if (parent == kNone) return kNone;
    graph = module_.ops[parent].graph;
  }
}

ValueId Parser::resolve(GraphId graph, const ValueName& name) {
  if (panicking_) return kNone;
  const ValueId found = lookUp(graph, name);
  if (found != kNone || syntaxErrors_ != 0) return found;
  IdVector<GraphId, bool> visible(module_.graphs.size(), false);
  for (GraphId g = graph;; g = module_.ops[module_.graphs[g].parent].graph) {
    visible[g] = true;
    if (module_.graphs[g].parent == kNone) break;
  }
  std::vector<std::string> names;
  for (const Value& value : module_.values)
    if (visible[value.graph]) names.emplace_back(module_.text(value.name));
  unknown(name.where, "no value `%" + name.text + "` is defined before this use" + didYouMean(name.text, names));
  return kNone;
}

ValueId Parser::valueRef(GraphId graph) {
  const auto name = valueName();
  return name ? resolve(graph, *name) : kNone;
}

ValueId Parser::define(GraphId graph, const ValueName& name, Value value) {
  if (panicking_) return kNone;
  if (name.text.empty()) {
    failAt(name.where, "a value without a name");
    return kNone;
  }
  value.name = module_.strings.intern(name.text);
  value.graph = graph;
  const auto id = module_.values.nextId();
  if (!values_.emplace(valueKey(graph, value.name), id).second) {
    failAt(name.where, "a second definition of `%" + name.text + "` in its graph");
    return kNone;
  }
  module_.values.push_back(std::move(value));
  return id;
}

TensorConstant Parser::parseLiteral(const Type& expected) {
  TensorConstant constant;
  constant.type = expected;
  if (!at("[") && !at("...")) constant.type = type();
  if (accept("...")) return constant;
  if (isInteger(constant.type.element)) {
    constant.ints = integers("an integer");
  } else {
    std::vector<double> numbers;
    list([&] { numbers.push_back(real("a number")); });
    constant.floats = std::move(numbers);
  }
  return constant;
}

void Parser::parseValueFacts(Value& value) {
  value.type = type();
  value.byteSize = value.type.byteSize();
  if (accept("bytes")) {
    if (accept("?"))
      value.byteSize.reset();
    else
      value.byteSize = integer("a number of bytes");
  }
  value.isWritten = accept("to");
  if (value.isWritten || accept("in")) value.storage = storageRef();
  if (accept("="))
    value.constant = parseLiteral(value.type);
  else if (value.kind == Value::Kind::Constant)
    value.constant = TensorConstant{value.type, std::nullopt, std::nullopt};
}

void Parser::parseDeclaration(GraphId graph, Value::Kind kind) {
  const auto name = valueName();
  if (!name) return fail("expected a value's name");
  expect(":");
  Value value;
  value.kind = kind;
  parseValueFacts(value);
  const ValueId id = define(graph, *name, std::move(value));
  if (kind == Value::Kind::Input && id != kNone) module_.graphs[graph].inputs.push_back(id);
}

TensorConstant Parser::parseTensor() {
  expect("tensor");
  TensorConstant constant;
  constant.type = type();
  return accept("=") ? parseLiteral(constant.type) : constant;
}

AttributeValue Parser::parseAttributeValue() {
  size_t index = kindOf(token_);
  if (index == kKinds) {
    const auto word = std::ranges::find_if(kListWords, [&](std::string_view known) { return accept(known); });
    // The first element decides the type of the list.
    index += word != std::end(kListWords) ? static_cast<size_t>(word - kListWords) : kindOf(Lexer(lexer_).next());
  }
  if (index == 2 * kKinds) {
    fail("expected a list of numbers, strings, tensors or types; an empty one names its type, as in `ints []`");
    return int64_t{0};
  }
  const Overloaded read{
      [&](int64_t& value) { value = integer("an integer"); }, [&](double& value) { value = real("a number"); },
      [&](std::string& value) { value = string("a string"); }, [&](TensorConstant& value) { value = parseTensor(); },
      [&](Type& value) {
        expect("type");
        value = type();
      }};
  AttributeValue value = emptyAttribute(index, std::make_index_sequence<2 * kKinds>());
  const auto parse = [&](auto& held) {
    if constexpr (requires { read(held); })
      read(held);
    else
      list([&] { read(held.emplace_back()); });
  };
  std::visit(parse, value);
  return value;
}

std::vector<Attribute> Parser::parseAttributes() {
  std::vector<Attribute> attributes;
  list(
      [&] {
        Attribute attribute;
        attribute.name = nameOrString("an attribute's name");
        expect("=");
        attribute.value = parseAttributeValue();
        attributes.push_back(std::move(attribute));
      },
      "{", "}");
  return attributes;
}

bool Parser::claimOp(OpId op, SourceRange where) {
  if (panicking_) return false;
  if (op.index() > lexer_.text().size() / kMinOpBytes) {
    failAt(where,
           "operator number " + std::to_string(op.index()) + " in a text that cannot hold so many; numbers are dense");
    return false;
  }
  if (!module_.ops.contains(op)) {
    module_.ops.resize(op.index() + 1);
    opSeen_.resize(op.index() + 1, false);
  }
  if (opSeen_[op]) {
    failAt(where, "a second operator `#" + std::to_string(op.index()) + "`");
    return false;
  }
  opSeen_[op] = true;
  return true;
}

void Parser::parseOperands(OpId op, bool erased) {
  const GraphId graph = module_.ops[op].graph;
  std::vector<ValueId> inputs;
  list(
      [&] {
        const auto name = valueName();
        if (name && erased) {
          // An operand of an erased operator may be erased too and come later.
          deferredOperands_.push_back({graph, op, inputs.size(), *name});
          inputs.push_back(kNone);
        } else {
          inputs.push_back(name ? resolve(graph, *name) : kNone);
        }
      },
      "(", ")");
  module_.ops[op].inputs = std::move(inputs);
}

void Parser::parseOutputTypes(OpId op, const std::vector<std::optional<ValueName>>& outputs) {
  const GraphId graph = module_.ops[op].graph;
  std::vector<ValueId> ids(outputs.size(), kNone);
  const auto present =
      static_cast<size_t>(std::ranges::count_if(outputs, [](const auto& name) { return name.has_value(); }));
  if (present != 0) expect(":");
  if (present > 1) expect("(");
  size_t read = 0;
  for (uint32_t i = 0; i < outputs.size() && !panicking_; ++i) {
    if (!outputs[i]) continue;
    if (read++ != 0) expect(",");
    if (accept("constant")) {
      ids[i] = resolve(graph, *outputs[i]);
      if (ids[i] == kNone) continue;
      Value& constant = module_.values[ids[i]];
      if (constant.kind != Value::Kind::Constant || constant.graph != graph || constant.producer != kNone) {
        failAt(outputs[i]->where,
               "`%" + outputs[i]->text + "` is not a constant of this graph that waits for its operator");
        return;
      }
      constant.producer = op;
      constant.producerIndex = i;
      continue;
    }
    Value value;
    value.kind = Value::Kind::Result;
    value.producer = op;
    value.producerIndex = i;
    parseValueFacts(value);
    ids[i] = define(graph, *outputs[i], std::move(value));
  }
  if (present > 1) expect(")");
  module_.ops[op].outputs = std::move(ids);
}

void Parser::parseOpList(OpId op, std::vector<OpId> Op::* member) {
  list([&] {
    const SourceRange where = range(token_);
    const OpId listed = opRef();
    deferredOps_.emplace_back(listed, where);
    (module_.ops[op].*member).push_back(listed);
  });
}

void Parser::parseOpFacts(OpId op, int depth) {
  const auto symbol = [&](Symbol Op::* member, const char* what) {
    const std::string text = nameOrString(what);
    module_.ops[op].*member = module_.strings.intern(text);
  };
  while (!panicking_) {
    if (accept("name")) {
      symbol(&Op::name, "a node's name");
    } else if (accept("scope")) {
      module_.ops[op].scope = module_.addScope(nameOrString("a module scope"));
    } else if (accept("call")) {
      symbol(&Op::sourceCall, "a framework call");
    } else if (accept("target")) {
      symbol(&Op::sourceTarget, "a call target");
    } else if (accept("doc")) {
      symbol(&Op::docString, "a doc string");
    } else if (accept("metadata")) {
      list(
          [&] {
            const Symbol key = module_.strings.intern(string("a metadata key"));
            expect("=");
            module_.ops[op].metadata.emplace_back(key, module_.strings.intern(string("a metadata value")));
          },
          "{", "}");
    } else if (accept("after")) {
      parseOpList(op, &Op::controlPredecessors);
    } else if (accept("absorbed")) {
      parseOpList(op, &Op::absorbed);
    } else if (accept("regions")) {
      block([&] {
        Region region;
        region.name = nameOrString("a region's name");
        expect("=");
        region.graph = parseGraph(op, depth + 1);
        module_.ops[op].regions.push_back(std::move(region));
      });
    } else {
      return;
    }
  }
}

void Parser::parseOp(GraphId graph, bool erased, int depth) {
  const SourceRange where = range(token_);
  const OpId op = opRef();
  if (!claimOp(op, where)) return;
  module_.ops[op].graph = graph;
  if (!erased) {
    module_.graphs[graph].order.push_back(op);
  } else if (accept("absorbed")) {
    expect("into");
    const SourceRange target = range(token_);
    module_.ops[op].state = OpState::Absorbed;
    module_.ops[op].absorbedInto = opRef();
    deferredOps_.emplace_back(module_.ops[op].absorbedInto, target);
  } else if (accept("folded")) {
    module_.ops[op].state = OpState::Folded;
  } else {
    return failExpected({"absorbed", "folded"});
  }
  std::vector<std::optional<ValueName>> outputs;
  if (at("%") || at("_")) {
    do outputs.push_back(valueName());
    while (accept(","));
    expect("=");
  }
  std::string type = nameOrString("an operator type");
  if (accept("::")) {
    module_.ops[op].domain = module_.strings.intern(ownDomain(type));
    type = nameOrString("an operator type");
  }
  module_.ops[op].type = module_.strings.intern(type);
  parseOperands(op, erased);
  if (at("{")) module_.ops[op].attributes = parseAttributes();
  parseOutputTypes(op, outputs);
  parseOpFacts(op, depth);
}

void Parser::parseReturned(GraphId graph) {
  auto& outputs = module_.graphs[graph].outputs;
  // A body of an erased operator returns results of its own erased operators.
  if (const auto name = valueName()) deferredOutputs_.push_back({graph, kNone, outputs.size(), *name});
  outputs.push_back(kNone);
}

void Parser::parseGraphBody(GraphId graph, int depth) {
  bool returned = false;
  block([&] {
    if (at("#")) {
      parseOp(graph, false, depth);
    } else if (accept("input")) {
      parseDeclaration(graph, Value::Kind::Input);
    } else if (accept("constant")) {
      parseDeclaration(graph, Value::Kind::Constant);
    } else if (at("return")) {
      if (returned) return fail("a second `return`");
      returned = true;
      advance();
      list([&] { parseReturned(graph); }, "(", ")");
    } else if (accept("erased")) {
      block([&] { parseOp(graph, true, depth); });
    } else {
      fail("expected `input`, `constant`, an operator such as `#7 %y = Relu(%x) : float32[*]`, `return` or `erased`");
    }
  });
  if (!returned && !panicking_ && syntaxErrors_ == 0) failAt(graphWhere_[graph], "graph without `return`");
}

GraphId Parser::parseGraph(OpId parent, int depth) {
  const SourceRange where = range(token_);
  expect("graph");
  const auto graph = id<GraphId>("a graph's number");
  if (panicking_) return kNone;
  if (depth > limits::kGraphNesting) {
    failAt(where, "regions nested deeper than " + std::to_string(limits::kGraphNesting));
    return kNone;
  }
  if ((graph == kMainGraph) != parent.isNone() || graph.index() > lexer_.text().size() / kMinGraphBytes ||
      (graphSeen_.contains(graph) && graphSeen_[graph])) {
    failAt(where, "graph number " + std::to_string(graph.index()) +
                      "; numbers are dense and used once, and 0 is the main graph");
    return kNone;
  }
  if (!module_.graphs.contains(graph)) {
    module_.graphs.resize(graph.index() + 1);
    graphSeen_.resize(graph.index() + 1, false);
    graphWhere_.resize(graph.index() + 1);
  }
  graphSeen_[graph] = true;
  graphWhere_[graph] = where;
  module_.graphs[graph].parent = parent;
  module_.graphs[graph].name = module_.strings.intern(nameOrString("a graph's name"));
  parseGraphBody(graph, depth);
  return graph;
}

void Parser::resolveErased() {
  for (const auto* uses : {&deferredOutputs_, &deferredOperands_})
    for (const DeferredUse& use : *uses) {
      auto& values = use.op == kNone ? module_.graphs[use.graph].outputs : module_.ops[use.op].inputs;
      values[use.index] = resolve(use.graph, use.name);
    }
  for (const auto& [op, where] : deferredOps_) isKnown(op, where);
}

void Parser::finishGraphs() {
  if (panicking_ || syntaxErrors_ != 0 || module_.graphs.empty()) return;
  const auto requireDense = [&](const auto& seen, const char* noun, const char* end) {
    const auto missing = std::ranges::find(seen, false);
    if (missing != seen.end())
      failAt(graphWhere_[kMainGraph], fmt::format("no {}{}{}, though higher numbers exist; numbers are dense", noun,
                                                  missing - seen.begin(), end));
  };
  requireDense(opSeen_, "operator `#", "`");
  requireDense(graphSeen_, "graph ", "");
}

}  // namespace amdahlc::ir
