/// The generated ONNX messages, without the warnings of their header. Private to the components of ONNX.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop
