/// Imports a model of every operator schema that ONNX has, with operands missing, without a type, of a wrong type, and
/// of extreme shapes. ONNX's shape inference trusts models that its checker passed; this finds where that is not
/// enough.
///
///   schema_models [--every N]          import every N-th model (1: all)
///   schema_models --write FOLDER N     write N of them as files, seeds for fuzzing
///
/// The first operator of a model is the tested one, of the opset that its schema begins with.
#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>

#include "fuzz.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "modules.h"

namespace amdahlc::fuzz {
namespace {

using onnx::AttributeProto;
using onnx::OpSchema;
using onnx::TensorProto;

/// What an operand is. The kinds from `Shapes` on are tensors of a type that the schema allows.
enum class Operand : uint8_t {
  /// An empty name, as an omitted optional operand.
  Missing,
  /// A graph input without a type.
  Untyped,
  WrongElement,
  Sequence,
  Optional,
  Map,
  Sparse,
  /// Initializers with values that a shape, an axis or a count must not have.
  EdgeValues,
  EmptyValues,
  /// Declared, but without a shape.
  Shapeless,
  Rank0,
  Rank1,
  Rank2,
  Rank4,
  Rank70,
  ZeroDims,
  HugeDims,
  NegativeDims,
  SymbolicDims,
  UnknownDims,
};
constexpr Operand kOperands[] = {
    Operand::Missing,  Operand::Untyped,  Operand::WrongElement, Operand::Sequence,     Operand::Optional,
    Operand::Map,      Operand::Sparse,   Operand::EdgeValues,   Operand::EmptyValues,  Operand::Shapeless,
    Operand::Rank0,    Operand::Rank1,    Operand::Rank2,        Operand::Rank4,        Operand::Rank70,
    Operand::ZeroDims, Operand::HugeDims, Operand::NegativeDims, Operand::SymbolicDims, Operand::UnknownDims};

std::vector<int64_t> dimsOf(Operand operand) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  switch (operand) {
    case Operand::Rank1:
      return {3};
    case Operand::Rank2:
      return {2, 3};
    case Operand::Rank4:
      return {1, 2, 3, 4};
    case Operand::Rank70:
      return std::vector<int64_t>(70, 2);
    case Operand::ZeroDims:
      return {0, 3, 0};
    case Operand::HugeDims:
      return {kHuge, 2, kHuge};
    case Operand::NegativeDims:
      return {-1, 3};
    default:
      return {};
  }
}

/// `tensor(int64)` of the schema as ONNX's number of the element; 0 for what is no tensor.
int32_t elementOf(const std::string& type) {
  const size_t begin = type.find("tensor(");
  if (begin == std::string::npos) return TensorProto::UNDEFINED;
  std::string name = type.substr(begin + 7, type.find(')', begin) - begin - 7);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  TensorProto::DataType element = TensorProto::UNDEFINED;
  TensorProto::DataType_Parse(name, &element);
  return element;
}

/// The first element type that a formal operand allows, in the order of names: schemas list them in any order.
int32_t allowedElement(const OpSchema::FormalParameter& parameter) {
  int32_t best = TensorProto::UNDEFINED;
  for (const std::string* type : parameter.GetTypes()) {
    const int32_t element = elementOf(*type);
    if (element != TensorProto::UNDEFINED && (best == TensorProto::UNDEFINED || element < best)) best = element;
  }
  return best == TensorProto::UNDEFINED ? static_cast<int32_t>(TensorProto::FLOAT) : best;
}

void addInput(onnx::GraphProto& graph, const std::string& name, Operand operand, int32_t element) {
  auto& input = *graph.add_input();
  input.set_name(name);
  if (operand == Operand::Untyped) return;
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  switch (operand) {
    case Operand::Sequence:
      tensor = input.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
      break;
    case Operand::Optional:
      tensor = input.mutable_type()->mutable_optional_type()->mutable_elem_type()->mutable_tensor_type();
      break;
    case Operand::Map: {
      auto& map = *input.mutable_type()->mutable_map_type();
      map.set_key_type(TensorProto::INT64);
      tensor = map.mutable_value_type()->mutable_tensor_type();
      break;
    }
    case Operand::Sparse: {
      auto& sparse = *input.mutable_type()->mutable_sparse_tensor_type();
      sparse.set_elem_type(element);
      sparse.mutable_shape()->add_dim()->set_dim_value(3);
      return;
    }
    default:
      break;
  }
  tensor->set_elem_type(operand == Operand::WrongElement ? static_cast<int32_t>(TensorProto::STRING) : element);
  if (operand == Operand::Shapeless) return;
  auto& shape = *tensor->mutable_shape();
  for (const int64_t dim : dimsOf(operand)) shape.add_dim()->set_dim_value(dim);
  for (int i = 0; i < 3 && operand == Operand::SymbolicDims; ++i) shape.add_dim()->set_dim_param("n");
  for (int i = 0; i < 3 && operand == Operand::UnknownDims; ++i) shape.add_dim();
}

void addInitializer(onnx::GraphProto& graph, const std::string& name, Operand operand, int32_t element) {
  auto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(element);
  const std::vector<int64_t> values =
      operand == Operand::EmptyValues
          ? std::vector<int64_t>{}
          : std::vector<int64_t>{std::numeric_limits<int64_t>::min(), -1, 0, std::numeric_limits<int64_t>::max()};
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t value : values) {
    switch (element) {
      case TensorProto::INT64:
        tensor.add_int64_data(value);
        break;
      case TensorProto::FLOAT:
        tensor.add_float_data(static_cast<float>(value));
        break;
      case TensorProto::DOUBLE:
        tensor.add_double_data(static_cast<double>(value));
        break;
      case TensorProto::STRING:
        tensor.add_string_data(std::to_string(value));
        break;
      case TensorProto::UINT32:
      case TensorProto::UINT64:
        tensor.add_uint64_data(static_cast<uint64_t>(value));
        break;
      default:
        tensor.add_int32_data(static_cast<int32_t>(value));
    }
  }
}

/// Which attributes a node has, and their values.
enum class Attributes : uint8_t { Required, None, Edge };
constexpr Attributes kAttributes[] = {Attributes::Required, Attributes::None, Attributes::Edge};

void addAttribute(onnx::NodeProto& node, const std::string& name, AttributeProto::AttributeType type, bool edge) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  const int64_t number = edge ? std::numeric_limits<int64_t>::max() : 1;
  switch (type) {
    case AttributeProto::INT:
      return attribute.set_i(number);
    case AttributeProto::INTS:
      for (int i = 0; i < 2; ++i) attribute.add_ints(edge && i == 0 ? std::numeric_limits<int64_t>::min() : number);
      return;
    case AttributeProto::FLOAT:
      return attribute.set_f(edge ? std::numeric_limits<float>::infinity() : 1.0f);
    case AttributeProto::FLOATS:
      return attribute.add_floats(1.0f);
    case AttributeProto::STRING:
      return attribute.set_s(edge ? "\xFF" : "linear");
    case AttributeProto::STRINGS:
      return attribute.add_strings(edge ? "" : "linear");
    case AttributeProto::TENSOR: {
      auto& tensor = *attribute.mutable_t();
      tensor.set_data_type(edge ? static_cast<int32_t>(TensorProto::STRING) : static_cast<int32_t>(TensorProto::FLOAT));
      tensor.add_dims(edge ? number : 1);
      if (!edge) tensor.add_float_data(1.0f);
      return;
    }
    case AttributeProto::TENSORS:
      attribute.add_tensors()->set_data_type(TensorProto::FLOAT);
      return;
    case AttributeProto::GRAPH: {
      auto& graph = *attribute.mutable_g();
      graph.set_name("body");
      if (edge) return;
      auto& copy = *graph.add_node();
      copy.set_op_type("Identity");
      copy.add_input("body_input");
      copy.add_output("body_output");
      addInput(graph, "body_input", Operand::Rank1, TensorProto::FLOAT);
      graph.add_output()->set_name("body_output");
      return;
    }
    case AttributeProto::TYPE_PROTO:
      if (!edge) attribute.mutable_tp()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
      return;
    default:
      return;
  }
}

/// A model of one node. Operand `changed` is of the kind `operand`, the others are small and right; if `changed` is the
/// number of operands, all are of that kind.
onnx::ModelProto modelOf(const OpSchema& schema, size_t operands, size_t changed, Operand operand,
                         Attributes attributes) {
  onnx::ModelProto model;
  model.set_ir_version(onnx::Version::IR_VERSION);
  auto& opset = *model.add_opset_import();
  opset.set_domain(schema.domain());
  opset.set_version(schema.SinceVersion());
  auto& graph = *model.mutable_graph();
  graph.set_name("g");
  auto& node = *graph.add_node();
  node.set_op_type(schema.Name());
  node.set_domain(schema.domain());
  for (size_t i = 0; i < operands; ++i) {
    const bool special = changed == i || changed == operands;
    const Operand kind = special ? operand : Operand::Rank2;
    if (kind == Operand::Missing) {
      node.add_input("");
      continue;
    }
    const std::string name = fmt::format("x{}", i);
    node.add_input(name);
    const auto& formal = schema.inputs();
    const int32_t element = formal.empty() ? static_cast<int32_t>(TensorProto::FLOAT)
                                           : allowedElement(formal[std::min(i, formal.size() - 1)]);
    if (kind == Operand::EdgeValues || kind == Operand::EmptyValues)
      addInitializer(graph, name, kind, element);
    else
      addInput(graph, name, kind, element);
  }
  const size_t results = std::max<size_t>(1, std::min<size_t>(schema.outputs().size(), 8));
  for (size_t i = 0; i < results; ++i) {
    const std::string name = fmt::format("y{}", i);
    node.add_output(name);
    graph.add_output()->set_name(name);
  }
  // A map of the library without an order; the models must be the same everywhere.
  const std::map<std::string, OpSchema::Attribute> known(schema.attributes().begin(), schema.attributes().end());
  for (const auto& [name, attribute] : known) {
    const bool edge = attributes == Attributes::Edge;
    if (attributes == Attributes::None || (!attribute.required && !edge)) continue;
    addAttribute(node, name, attribute.type, edge);
  }
  return model;
}

/// Calls `use` with every model, in an order that is always the same.
size_t forEachModel(const std::function<void(const onnx::ModelProto&)>& use) {
  // By name, because the library's order is that of a hash table.
  std::map<std::tuple<std::string, std::string, int>, OpSchema> schemas;
  for (OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    std::tuple key{schema.domain(), schema.Name(), schema.SinceVersion()};
    schemas.emplace(std::move(key), std::move(schema));
  }
  constexpr size_t kMostOperands = 6;
  for (const auto& [key, schema] : schemas) {
    const size_t least = static_cast<size_t>(schema.min_input());
    const size_t most =
        std::min(kMostOperands, std::max(least, schema.inputs().size()) + (schema.max_input() > 100 ? 2 : 0));
    for (const Attributes attributes : kAttributes) {
      // All operands alike, in each possible number and in one too few.
      for (size_t operands = least == 0 ? 0 : least - 1; operands <= most; ++operands)
        for (const Operand operand : kOperands) use(modelOf(schema, operands, operands, operand, attributes));
      // One of them changed.
      for (size_t changed = 0; changed < most && most > 1; ++changed)
        for (const Operand operand : kOperands) use(modelOf(schema, most, changed, operand, attributes));
    }
  }
  return schemas.size();
}

/// The model that is imported, for the message where that does not end.
std::string currentModel;

void onAlarm(int) {
  const std::string_view note = "fuzz: an import does not end:\n";
  if (write(STDERR_FILENO, note.data(), note.size()) > 0 &&
      write(STDERR_FILENO, currentModel.data(), currentModel.size()) > 0)
    std::_Exit(1);
  std::_Exit(2);
}

void importAll(size_t every) {
  // Far more than any of these models takes, on a busy machine as well.
  constexpr unsigned kSeconds = 20;
  std::signal(SIGALRM, onAlarm);
  size_t tried = 0, imported = 0, seen = 0;
  const size_t schemas = forEachModel([&](const onnx::ModelProto& model) {
    if (seen++ % every != 0) return;
    ++tried;
    currentModel = model.ShortDebugString() + "\n";
    alarm(kSeconds);
    Run run;
    const auto module = ir::importOnnx(model.SerializeAsString(), "model.onnx", {}, run.diagnostics);
    require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
    if (!module) return;
    ++imported;
    requireRoundTrip(*module, run);
  });
  alarm(0);
  std::printf("%zu of %zu models of %zu schemas: %zu imported, %zu refused\n", tried, seen, schemas, imported,
              tried - imported);
}

void writeSome(const std::string& folder, size_t count) {
  const size_t all = [] {
    size_t models = 0;
    forEachModel([&](const onnx::ModelProto&) { ++models; });
    return models;
  }();
  const size_t step = std::max<size_t>(1, all / count);
  size_t seen = 0;
  forEachModel([&](const onnx::ModelProto& model) {
    if (seen++ % step != 0) return;
    std::ofstream file(fmt::format("{}/schema{:06}", folder, seen), std::ios::binary);
    model.SerializeToOstream(&file);
  });
}

size_t number(std::string_view text) {
  size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max<size_t>(value, 1);
}

}  // namespace

/// Not used: this program brings inputs of its own.
void fuzzOne(std::string_view, Run&) {}

}  // namespace amdahlc::fuzz

int main(int argc, char** argv) {
  using namespace amdahlc::fuzz;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty())
    importAll(1);
  else if (arguments.size() == 2 && arguments[0] == "--every")
    importAll(number(arguments[1]));
  else if (arguments.size() == 3 && arguments[0] == "--write")
    writeSome(arguments[1], number(arguments[2]));
  else
    return std::fputs("usage: schema_models [--every N | --write FOLDER N]\n", stderr), 2;
  return 0;
}
