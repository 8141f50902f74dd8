/// Mutates JSON by its values: events are dropped, repeated and exchanged, members take edge values or those of others.
#include <nlohmann/json.hpp>
#include <vector>

#include "mutation.h"

namespace amdahlc::fuzz {
namespace {

using Json = nlohmann::ordered_json;

// The library writes recursively.
constexpr size_t kMaxDepth = 300;
constexpr size_t kMaxValues = 20000;

size_t depthOf(std::string_view text) {
  size_t depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

void collect(Json& value, std::vector<Json*>& values, std::vector<Json*>& containers) {
  if (values.size() >= kMaxValues) return;
  values.push_back(&value);
  if (!value.is_structured() || value.empty()) return;
  containers.push_back(&value);
  for (Json& element : value) collect(element, values, containers);
}

Json& elementOf(Json& container, Random& random) {
  auto element = container.begin();
  std::advance(element, random.below(container.size()));
  return *element;
}

Json edgeValue(const Json& old, Random& random) {
  switch (random.below(9)) {
    case 0:
      return nullptr;
    case 1:
      return true;
    case 2:
      return Json::array();
    case 3:
      return Json::object();
    case 4:
      return std::string(random.of(kOddNames));
    case 5:
      return 1e300 * (random.oneIn(2) ? 1 : -1);
    case 6:
      return old.is_number_integer() ? Json(static_cast<int64_t>(old.get<uint64_t>() + random.below(64) - 32))
                                     : Json(0.25);
    case 7:
      return old.is_string() ? Json(std::to_string(random.below(10))) : Json(std::string("1e5"));
    default:
      return random.of(kEdgeNumbers);
  }
}

void eraseElement(Json& container, Random& random) {
  auto element = container.begin();
  std::advance(element, random.below(container.size()));
  container.erase(element);
}

void mutate(Json& root, Random& random) {
  std::vector<Json*> values, containers;
  collect(root, values, containers);
  Json& value = *random.of(values);
  if (containers.empty()) {
    value = edgeValue(value, random);
    return;
  }
  Json& container = *random.of(containers);
  switch (random.below(7)) {
    case 0:
      return eraseElement(container, random);
    case 1: {
      const Json copy = elementOf(container, random);
      if (container.is_array())
        container.insert(container.begin() + static_cast<std::ptrdiff_t>(random.below(container.size() + 1)), copy);
      else
        container["copy" + std::to_string(random.below(3))] = copy;
      return;
    }
    case 2: {
      Json& first = elementOf(container, random);
      Json& second = elementOf(container, random);
      if (&first != &second) std::swap(first, second);
      return;
    }
    case 3: {
      // A copy first: either may be inside the other.
      Json copy = *random.of(values);
      value = std::move(copy);
      return;
    }
    default: {
      // Mostly leaves: there are more of them.
      value = edgeValue(value, random);
    }
  }
}

}  // namespace

size_t mutateJson(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (random.oneIn(5) || depthOf(text) > kMaxDepth) return LLVMFuzzerMutate(data, size, maxSize);
  Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t changes = 1 + random.below(4); changes > 0; --changes) mutate(root, random);
  return store(root.dump(-1, ' ', false, Json::error_handler_t::ignore), data, size, maxSize);
}

}  // namespace amdahlc::fuzz
