"""ONNX Runtime on TensorRT."""

from ._onnxruntime import OnnxRuntime


class _Provider(OnnxRuntime):
    provider = "TensorrtExecutionProvider"


BACKEND = _Provider
