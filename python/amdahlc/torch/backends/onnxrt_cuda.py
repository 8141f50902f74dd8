"""ONNX Runtime on CUDA."""

from ._onnxruntime import OnnxRuntime


class _Provider(OnnxRuntime):
    provider = "CUDAExecutionProvider"


BACKEND = _Provider
