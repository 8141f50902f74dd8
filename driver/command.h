/// The command: from argv to an exit code.
#pragma once

#include "driver/settings.h"

namespace amdahlc::driver {

Outcome runCommand(int argc, char** argv);

}  // namespace amdahlc::driver
