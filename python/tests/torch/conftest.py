"""A small model, and one thread, because times of several threads vary with the machine."""

import pytest
import torch
from programs import Small


@pytest.fixture(autouse=True)
def one_thread():
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def small():
    return Small(), torch.randn(16, 32)
