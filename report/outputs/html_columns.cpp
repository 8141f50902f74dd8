// What the page needs of runs beside the report: their events.
#include <nlohmann/json.hpp>

#include "report/outputs/html_parts.h"
#include "report/report.h"

namespace amdahlc {

PageData pageDataOf(const OutputContext& context) {
  PageData data;
  auto runs = nlohmann::ordered_json::array();
  for (const RunReport& run : context.reported().runs) runs.push_back({{"label", run.label}});
  data.runs = runs.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return data;
}

}  // namespace amdahlc
