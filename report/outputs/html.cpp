// The report as a page.
#include <utility>
#include <variant>

#include "report/outputs/html_parts.h"
#include "report/outputs/output_options.h"
#include "report/page/page_document.h"
#include "report/report.h"

namespace amdahlc {
namespace {

std::string titleOf(const OutputContext& context) {
  const Report& report = context.reported();
  return report.runs.size() == 1 ? report.runs.front().title() : report.module->modelName;
}

std::string writePage(const OutputContext& context) {
  const std::string report = std::get<WriteModule>(kJsonOutput.write)(context);
  PageData data = pageDataOf(context);
  const std::vector<RunReport>& runs = context.reported().runs;
  for (size_t i = 0; i < runs.size(); ++i)
    for (page::NamedColumn& column : graphColumns(context, runs[i], i)) data.columns.push_back(std::move(column));
  return page::write({.title = titleOf(context),
                      .summary = summaryAsHtml(context),
                      .report = report,
                      .runs = std::move(data.runs),
                      .columns = std::move(data.columns)});
}

}  // namespace

constinit const Output kHtmlOutput{.name = "html",
                                   .summary = "the whole report as a page for a browser, which needs no network",
                                   .write = writePage,
                                   .absenceInBuild = page::absenceOfPage,
                                   .baseline = Output::BaselineUse::IfGiven,
                                   .options = kOptionsOfPages};

}  // namespace amdahlc
