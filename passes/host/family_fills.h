/// How families of kernels look in charts.
#pragma once

#include "report/drawing/chart.h"
#include "runs/kernel_families/kernel_families.h"

namespace amdahlc {

/// The same in all charts. Colours differ in lightness as well as in hue, and families that are alike share a colour,
/// the second of them hatched, so that colour-blind people can tell them apart.
drawing::Fill fillOf(KernelFamily family);

}  // namespace amdahlc
