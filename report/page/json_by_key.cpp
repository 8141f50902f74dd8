#include "report/page/json_by_key.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace amdahlc::page {
namespace {

/// Where a string that begins at a position ends.
size_t endOfString(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

}  // namespace

std::string jsonByKey(std::string_view json) {
  std::string shape;
  std::vector<std::string> values;
  std::unordered_map<std::string_view, size_t> placeOf;
  std::string_view key;
  for (size_t at = 0; at < json.size();) {
    const size_t begin = at;
    if (json[at] == '"') {
      at = endOfString(json, at);
      if (json.substr(at).starts_with(':')) {
        key = json.substr(begin, at - begin);
        shape += key;
        continue;
      }
    } else if (std::string_view("{}[]:, \n").find(json[at]) != std::string_view::npos) {
      shape += json[at++];
      continue;
    } else {
      at = std::min(json.find_first_of(",]}\n", at), json.size());
    }
    shape += kJsonValue;
    const auto [place, isFirst] = placeOf.try_emplace(key, values.size());
    if (isFirst) values.emplace_back();
    std::string& ofKey = values[place->second];
    if (!isFirst) ofKey += kJsonValue;
    ofKey += json.substr(begin, at - begin);
  }
  for (const std::string& ofKey : values) (shape += kJsonPart) += ofKey;
  return shape;
}

}  // namespace amdahlc::page
