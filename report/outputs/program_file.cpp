#include "ir/onnx_export/program_file.h"

#include "report/outputs/output.h"

namespace amdahlc {

constinit const Output kOnnxOutput{
    .name = "onnx",
    .summary = "the program of runs without a model as an ONNX file, which can be the input of another run",
    .write = ir::writeProgram};

}  // namespace amdahlc
