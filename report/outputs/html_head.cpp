// What a person must know first, as HTML that needs no script.
#include "report/outputs/html_parts.h"
#include "report/page/page_document.h"
#include "report/report.h"

namespace amdahlc {

std::string summaryAsHtml(const OutputContext& context) {
  std::string out;
  for (const RunReport& run : context.reported().runs) out += "<h1>" + page::escaped(run.title()) + "</h1>\n";
  return out;
}

}  // namespace amdahlc
