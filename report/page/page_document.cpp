#include "report/page/page_document.h"

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "report/page/json_by_key.h"
#include "report/page/page_assets.h"
#include "support/printable.h"

namespace amdahlc::page {
namespace {

using Json = nlohmann::ordered_json;

/// The version of what scripts and tests read in a page.
constexpr int kVersion = 1;

/// JSON as the content of an element: the same values, without a character that HTML would read as markup.
std::string inertJson(std::string_view json) {
  return replaced(json, {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

Json describe(const NamedColumn& column, size_t index) {
  if (column.derived) {
    const DerivedColumn& derived = *column.derived;
    Json out{{"name", column.name}, {"of", derived.of}};
    if (!derived.rows.empty()) out["rows"] = derived.rows;
    if (derived.plus != 0) out["plus"] = derived.plus;
    return out;
  }
  const EncodedColumn& bytes = column.column;
  Json out{{"id", "c" + std::to_string(index)}, {"name", column.name},
           {"type", name(bytes.type)},          {"length", bytes.length},
           {"encoding", name(bytes.encoding)},  {"planes", bytes.planes},
           {"deflated", bytes.isDeflated}};
  if (bytes.encoding == Encoding::After) out["after"] = column.after;
  return out;
}

class Writer {
 public:
  explicit Writer(const Document& document) : document_(document) {}

  std::string write() {
    size_t size = kAssets.script.size() + kAssets.style.size() + kAssets.replay.size() + document_.summary.size() +
                  document_.report.size();
    for (const NamedColumn& column : document_.columns) size += column.column.base64.size() + 100;
    out_.reserve(size);
    add({"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '", kAssets.scriptHash,
         "' 'wasm-unsafe-eval'; style-src '", kAssets.styleHash,
         "'; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; ",
         "form-action 'none'\">\n", "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
         "<meta name=\"color-scheme\" content=\"light dark\">\n", "<title>", escaped(document_.title),
         ": amdahlc</title>\n<style>", kAssets.style, "</style>\n</head>\n<body>\n"});
    add({"<header><h1>", escaped(document_.title), "</h1></header>\n"});
    add({"<main aria-busy=\"true\">\n<section id=\"summary\">\n", document_.summary, "</section>\n</main>\n"});
    add({"<script type=\"application/json\" id=\"page\">", inertJson(description()), "</script>\n"});
    inert("report", base64(deflated(jsonByKey(document_.report))));
    for (size_t i = 0; i < document_.columns.size(); ++i)
      if (!document_.columns[i].derived) inert("c" + std::to_string(i), document_.columns[i].column.base64);
    if (!kAssets.replay.empty()) inert("replay", kAssets.replay);
    add({"<script>", kAssets.script, "</script>\n</body>\n</html>\n"});
    return std::move(out_);
  }

 private:
  void add(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) out_ += part;
  }
  void inert(std::string_view id, std::string_view base64) {
    add({"<script type=\"application/octet-stream\" id=\"", id, "\">", base64, "</script>\n"});
  }

  /// What the element `page` says. The runs are JSON already.
  std::string description() const {
    Json columns = Json::array();
    for (size_t i = 0; i < document_.columns.size(); ++i) columns.push_back(describe(document_.columns[i], i));
    const Json head{{"version", kVersion}, {"tool", "amdahlc " AMDAHLC_VERSION}, {"columns", std::move(columns)}};
    std::string json = head.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.pop_back();
    return json + ",\"runs\":" + (document_.runs.empty() ? "[]" : document_.runs) + "}";
  }

  const Document& document_;
  std::string out_;
};

}  // namespace

std::optional<Absence> absenceOfPage() {
  return kAssets.script.empty() ? std::optional(Absence{Absence::Reason::NoBundler}) : std::nullopt;
}

bool hasReplay() { return !kAssets.replay.empty(); }

std::string write(const Document& document) { return Writer(document).write(); }

std::string escaped(std::string_view text) {
  return replaced(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

}  // namespace amdahlc::page
