"""Programs that the tests of recording share."""

import torch


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Small(torch.nn.Module):
    def __init__(self, width=32, layers=2):
        super().__init__()
        self.layers = torch.nn.ModuleList([Block(width) for _ in range(layers)])
        self.head = torch.nn.Linear(width, 8)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def scopes(report):
    """The rows of the scopes of a report with one run, by name."""
    return {row["name"]: row for row in report.scope.to_dicts()}


def bits(*objects):
    """All bytes of modules, tensors and what has a `state_dict`, and the states of PyTorch's random numbers."""

    def plain(value):
        if isinstance(value, torch.Tensor):
            return str(value.dtype), tuple(value.shape), value.detach().contiguous().view(-1).view(torch.uint8).tolist()
        if isinstance(value, dict):
            return [(str(key), plain(one)) for key, one in value.items()]
        return [plain(one) for one in value] if isinstance(value, (list, tuple)) else repr(value)

    found = [plain(torch.get_rng_state())]
    for one in objects:
        found.append(plain(one.state_dict() if hasattr(one, "state_dict") else one))
        if isinstance(one, torch.nn.Module):
            found.append([(plain(tensor.grad), tensor._version) for tensor in one.parameters()])
            found.append([module.training for module in one.modules()])
    return found
