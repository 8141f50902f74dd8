#include "ir/text.h"
#include "report/outputs/output.h"

namespace amdahlc {

constinit const Output kIrOutput{.name = "ir",
                                 .summary = "the module as IR text, which can be the input of another run",
                                 .write = [](const OutputContext& context) { return ir::print(context.module); }};

}  // namespace amdahlc
