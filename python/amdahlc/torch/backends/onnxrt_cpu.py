"""ONNX Runtime on the CPU."""

from ._onnxruntime import OnnxRuntime


class _Provider(OnnxRuntime):
    provider = "CPUExecutionProvider"


BACKEND = _Provider
