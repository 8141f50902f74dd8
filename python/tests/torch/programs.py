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
