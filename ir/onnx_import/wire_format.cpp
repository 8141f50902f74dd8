#include "ir/onnx_import/steps.h"

#include <map>
#include <optional>

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include "ir/onnx_schemas/onnx_proto.h"
#include "support/limits.h"

namespace amdahlc::ir::onnx_import {

namespace {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, LengthDelimited = 2, Fixed32 = 5 };

class Walker {
 public:
  explicit Walker(std::string_view bytes) : bytes_(bytes) {}

  std::optional<WireDamage> message(size_t begin, size_t end, const google::protobuf::Descriptor& type,
                                    const std::string& path, int depth) {
    if (depth > limits::kMessageNesting)
      return WireDamage{begin, path, fmt::format("messages are nested more than {} deep", limits::kMessageNesting)};
    std::map<int, int> occurrences;
    size_t at = begin;
    while (at < end) {
      const size_t start = at;
      const std::optional<uint64_t> tag = varint(at, end);
      if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > google::protobuf::FieldDescriptor::kMaxNumber)
        return WireDamage{start, path, "no field starts here"};
      const auto number = static_cast<int>(*tag >> 3);
      const auto* field = type.FindFieldByNumber(number);
      const std::string name = fieldPath(path, field, number, occurrences);
      const auto wireType = static_cast<WireType>(*tag & 7u);
      switch (wireType) {
        case WireType::Varint:
          if (!varint(at, end)) return WireDamage{start, name, "an integer is cut off or too long"};
          break;
        case WireType::Fixed64:
        case WireType::Fixed32: {
          const size_t width = wireType == WireType::Fixed64 ? 8 : 4;
          if (end - at < width) return WireDamage{start, name, "a number is cut off"};
          at += width;
          break;
        }
        case WireType::LengthDelimited: {
          const std::optional<uint64_t> length = varint(at, end);
          if (!length) return WireDamage{start, name, "a length is cut off or too long"};
          // In a truncated file, every element around the cut claims too many bytes. The innermost one is the most
          // specific.
          const bool fits = *length <= end - at;
          if (field != nullptr && field->type() == google::protobuf::FieldDescriptor::TYPE_MESSAGE) {
            if (auto damage = message(at, fits ? at + *length : end, *field->message_type(), name, depth + 1))
              return damage;
          }
          if (!fits)
            return WireDamage{start, name, fmt::format("it claims {} bytes and {} are left", *length, end - at)};
          at += *length;
          break;
        }
        default:
          return WireDamage{start, name, fmt::format("unknown wire type {}", *tag & 7u)};
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<uint64_t> varint(size_t& at, size_t end) const {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[at++]);
      value |= static_cast<uint64_t>(byte & 0x7fu) << shift;
      if ((byte & 0x80u) == 0) return value;
    }
    return std::nullopt;
  }

  static std::string fieldPath(const std::string& path, const google::protobuf::FieldDescriptor* field, int number,
                               std::map<int, int>& occurrences) {
    std::string name = path.empty() ? "" : path + ".";
    if (field == nullptr) return name + fmt::format("field {}", number);
    name += field->name();
    if (field->is_repeated()) name += fmt::format("[{}]", occurrences[number]++);
    return name;
  }

  std::string_view bytes_;
};

}  // namespace

WireDamage findWireDamage(std::string_view bytes) {
  auto damage = Walker(bytes).message(0, bytes.size(), *onnx::ModelProto::descriptor(), "", 1);
  return damage ? *damage : WireDamage{0, "", "a field has a type that the format does not give it"};
}

}  // namespace amdahlc::ir::onnx_import
