/// Mutates ONNX models by the fields of their messages: elements are dropped, repeated and exchanged, names become
/// those of others, numbers take edge values.
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <vector>

#include "ir/onnx_schemas/onnx_proto.h"
#include "mutation.h"

namespace amdahlc::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxMessages = 5000;

struct Parts {
  std::vector<Message*> messages;
  /// Every text of the model: names of values, nodes, operators, dimensions.
  std::vector<std::string> texts;
};

void collect(Message& message, Parts& parts) {
  if (parts.messages.size() >= kMaxMessages) return;
  parts.messages.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                     : *reflection.MutableMessage(&message, field),
                parts);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        parts.texts.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                   : reflection.GetString(message, field));
      }
    }
  }
}

/// The bytes of a message of that type from somewhere in the model; empty if none was found. Bytes, because a change
/// may destroy the message: a new member of a `oneof` replaces another one.
std::string someMessage(const google::protobuf::Descriptor* type, const Parts& parts, Random& random) {
  for (int tries = 0; tries < 20; ++tries) {
    const Message* other = parts.messages[random.below(parts.messages.size())];
    if (other->GetDescriptor() == type) return other->SerializePartialAsString();
  }
  return {};
}

std::string someText(const Parts& parts, Random& random) {
  if (parts.texts.empty() || random.oneIn(5)) return std::string(random.of(kOddNames));
  return random.of(parts.texts);
}

/// Sets a singular field, or appends to a repeated one.
void set(Message& message, const FieldDescriptor* field, const Parts& parts, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field->is_repeated();
  const int64_t number = random.oneIn(2) ? static_cast<int64_t>(random.below(20)) : random.of(kEdgeNumbers);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return repeated ? reflection.AddInt32(&message, field, static_cast<int32_t>(number))
                      : reflection.SetInt32(&message, field, static_cast<int32_t>(number));
    case FieldDescriptor::CPPTYPE_INT64:
      return repeated ? reflection.AddInt64(&message, field, number) : reflection.SetInt64(&message, field, number);
    case FieldDescriptor::CPPTYPE_UINT64:
      return repeated ? reflection.AddUInt64(&message, field, static_cast<uint64_t>(number))
                      : reflection.SetUInt64(&message, field, static_cast<uint64_t>(number));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return repeated ? reflection.AddFloat(&message, field, static_cast<float>(number))
                      : reflection.SetFloat(&message, field, static_cast<float>(number));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return repeated ? reflection.AddDouble(&message, field, static_cast<double>(number))
                      : reflection.SetDouble(&message, field, static_cast<double>(number));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int value = static_cast<int>(random.below(20));
      return repeated ? reflection.AddEnumValue(&message, field, value)
                      : reflection.SetEnumValue(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return repeated ? reflection.AddString(&message, field, someText(parts, random))
                      : reflection.SetString(&message, field, someText(parts, random));
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const std::string bytes = someMessage(field->message_type(), parts, random);
      Message& changed =
          repeated ? *reflection.AddMessage(&message, field) : *reflection.MutableMessage(&message, field);
      changed.ParsePartialFromString(bytes);
      return;
    }
    default:
      return;
  }
}

void mutateRepeated(Message& message, const FieldDescriptor* field, const Parts& parts, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, field);
  if (size == 0) return set(message, field, parts, random);
  const auto at = [&] { return static_cast<int>(random.below(static_cast<size_t>(size))); };
  switch (random.below(4)) {
    case 0:
      reflection.SwapElements(&message, field, at(), size - 1);
      return reflection.RemoveLast(&message, field);
    case 1:
      return reflection.SwapElements(&message, field, at(), at());
    case 2:
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
        return reflection.SetRepeatedString(&message, field, at(), someText(parts, random));
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
        return reflection.SetRepeatedInt64(&message, field, at(), random.of(kEdgeNumbers));
      [[fallthrough]];
    default:
      return set(message, field, parts, random);
  }
}

void mutate(Message& model, Random& random) {
  Parts parts;
  collect(model, parts);
  Message& message = *random.of(parts.messages);
  const auto* descriptor = message.GetDescriptor();
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  // A field that is there has a meaning where it is; one that is not may have an unexpected one.
  const FieldDescriptor* field =
      fields.empty() || random.oneIn(4)
          ? descriptor->field(static_cast<int>(random.below(static_cast<size_t>(descriptor->field_count()))))
          : random.of(fields);
  if (field->is_repeated()) return mutateRepeated(message, field, parts, random);
  if (random.oneIn(4)) return message.GetReflection()->ClearField(&message, field);
  set(message, field, parts, random);
}

}  // namespace

size_t mutateModel(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  const google::protobuf::LogSilencer silence;
  Random random(seed);
  onnx::ModelProto model;
  if (random.oneIn(6) || !model.ParsePartialFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t changes = 1 + random.below(4); changes > 0; --changes) mutate(model, random);
  return store(model.SerializePartialAsString(), data, size, maxSize);
}

}  // namespace amdahlc::fuzz
