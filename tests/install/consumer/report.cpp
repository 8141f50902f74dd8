// report MODEL TRACE SHIPPED: analyses a measured run and prints its report, as the command does. SHIPPED has the
// rules.
#include <cstdio>
#include <optional>
#include <utility>

#include "api/analysis.h"
#include "api/trace_files.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: report MODEL TRACE SHIPPED\n", stderr);
    return 2;
  }
  using namespace amdahlc;
  api::Messages messages;
  api::Request request;
  request.model = {argv[1], {}};
  request.shippedFolder = argv[3];
  api::addTrace(request, "", argv[2], {}, DiagId::OptionValue, messages.diagnostics);
  api::Analysis analysis(std::move(request), messages.sources, messages.diagnostics, {});
  const api::Outcome outcome = analysis.run();
  const auto report = outcome == api::Outcome::Done ? analysis.render("json") : std::nullopt;
  std::fputs(messages.text().c_str(), stderr);
  if (!report) return 1;
  std::fputs(report->front().bytes.c_str(), stdout);
  return 0;
}
