"""Riffle's network in PyTorch, written from the paper: the reference that the Go network is held against.

The names and shapes of state_dict() are those of a saved model (model.safetensors), so
that load() takes a run's directory as it is: load("runs/sort9"). A configuration is a dict of what config.toml calls its
model: n, law, gpl_rows, dim, layers, heads, feed_forward, dropout, positions, encoder and,
as the encoder needs them, height, width, window, channels, kernel, hidden, features; norm (post or pre); score
(context, direct or sum) for a law with a score an object; edges for the network of tours.
"""

import itertools
import json
import math
import pathlib
import tomllib

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

# The fused path of nn.TransformerEncoder treats masks in its own way.
torch.backends.mha.set_fastpath_enabled(False)

TIME_DIM = 256
POINT_SCALE = 100  # spreads coordinates in [0, 1] over the wavelengths of the sinusoid


def sinusoid(values, dim):
    """[...] -> [..., dim]: the cosines of v 10000^(-i/(dim/2)), i = 0 ... dim/2-1, then the sines."""
    omega = 10000.0 ** (-torch.arange(dim // 2, dtype=torch.float64) / (dim // 2))
    angles = values.float().unsqueeze(-1) * omega.float()
    return torch.cat([angles.cos(), angles.sin()], -1)


def position_table(count, dim):
    """[count, dim] of Vaswani et al. 2017: sines at even places, cosines at odd ones."""
    angles = torch.arange(count, dtype=torch.float64).unsqueeze(-1) * 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)[:, :dim].float()


def attention_mask(n):
    """The paper's M = [[0, A], [0, B]], [2n, 2n]: dummy j sees all items and the dummies before j."""
    mask = torch.zeros(2 * n, 2 * n)
    mask[:n, n:] = -math.inf
    mask[n:, n:] = torch.full((n, n), -math.inf).triu()
    return mask


class Points(nn.Module):
    """The sinusoid of each coordinate: [..., 2] -> [..., dim]."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return sinusoid(POINT_SCALE * x, self.dim // 2).flatten(-2)


class Features(nn.Module):
    """Linear layers with ReLU between them: fc1, fc2, ..."""

    def __init__(self, sizes):
        super().__init__()
        for i, (a, b) in enumerate(itertools.pairwise(sizes), 1):
            self.add_module(f"fc{i}", nn.Linear(a, b))

    def forward(self, x):
        layers = [m for name, m in self.named_children() if name.startswith("fc")]
        for layer in layers[:-1]:
            x = layer(x).relu()
        return layers[-1](x)


def add_pooled(module, c, width):
    """Gives a module the convolutions and norms of `pooled`; returns how many numbers they leave of an image."""
    channels, k = c["channels"], c["kernel"]
    for i, (a, b) in enumerate(itertools.pairwise([1, *channels]), 1):
        module.add_module(f"conv{i}", nn.Conv2d(a, b, k, padding=k // 2))
        module.add_module(f"bn{i}", nn.BatchNorm2d(b))
    shrink = 2 ** len(channels)
    return channels[-1] * (c["height"] // shrink) * (width // shrink)


def pooled(module, x, count):
    """Convolution, batch norm, ReLU, pooling, count times: [images, 1, height, width] -> [images, numbers]."""
    for i in range(1, count + 1):
        x = module.get_submodule(f"bn{i}")(module.get_submodule(f"conv{i}")(x))
        x = F.max_pool2d(x.relu(), 2)
    return x.flatten(1)


class CNN(Features):
    """Pooled convolutions, then linear layers."""

    def __init__(self, c):
        blocks = nn.Module()
        flat = add_pooled(blocks, c, c["width"])
        super().__init__([flat, *c.get("hidden", []), c["dim"]])
        for name, block in blocks.named_children():
            self.add_module(name, block)
        self.blocks = len(c["channels"])

    def forward(self, x):  # [batch, n, height, width]
        h = pooled(self, x.flatten(0, 1).unsqueeze(1), self.blocks)
        return super().forward(h).unflatten(0, x.shape[:2])


CODE_SHARPNESS = 2.0
CERTAINTY = 4  # lets scores of laws by choice become large soon
CONTEXT_WIDTH = 64


class Window(nn.Module):
    """One small network for each of the windows that lie side by side, then a linear layer."""

    def __init__(self, c):
        super().__init__()
        self.window = c["window"]
        self.channels, self.hidden = c.get("channels", []), c["hidden"]
        count = c["width"] // self.window
        self.pooled = bool(c.get("kernel"))
        flat = add_pooled(self, c, self.window) if self.pooled else self.add_strided(c["height"])
        for i, (p, q) in enumerate(itertools.pairwise([flat, *self.hidden]), 1):
            self.add_module(f"fc{i}", nn.Linear(p, q))
        units = self.hidden[-1]
        self.codes = None
        if c.get("codes"):
            self.codes = nn.Linear(units, c["codes"])
            units = c["codes"]
        self.out = nn.Linear(count * units, c["dim"])

    def add_strided(self, height):
        a, h, w, k = 1, height, self.window, 5
        for i, b in enumerate(self.channels, 1):
            self.add_module(f"conv{i}", nn.Conv2d(a, b, k, stride=2, padding=k // 2))
            a, h, w, k = b, (h + 1) // 2, (w + 1) // 2, 3
        return a * h * w

    def convolve(self, window):
        if self.pooled:
            return pooled(self, window, len(self.channels))
        for i in range(1, len(self.channels) + 1):
            window = self.get_submodule(f"conv{i}")(window).relu()
        return window.flatten(1)

    def forward(self, x):  # [batch, n, height, width]
        parts = []
        for window in x.flatten(0, 1).unsqueeze(1).split(self.window, -1):
            window = self.convolve(window)
            for i in range(1, len(self.hidden) + 1):
                window = self.get_submodule(f"fc{i}")(window).relu()
            if self.codes is not None:
                window = (CODE_SHARPNESS * self.codes(window)).tanh()
            parts.append(window)
        return self.out(torch.cat(parts, -1)).unflatten(0, x.shape[:2])


def make_encoder(c):
    kind = c["encoder"]
    if kind == "table":
        return nn.Embedding(c["n"], c["dim"])
    if kind == "points":
        return Points(c["dim"])
    if kind == "features":
        return Features([c["features"], *c["hidden"], c["dim"]])
    return {"cnn": CNN, "window": Window}[kind](c)


class EdgeLayer(nn.Module):
    """Cities attend to edges: torch.nn.TransformerDecoderLayer without its self-attention."""

    def __init__(self, d, heads, feed_forward, dropout):
        super().__init__()
        self.multihead_attn = nn.MultiheadAttention(d, heads, dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d, feed_forward), nn.Linear(feed_forward, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.dropout = nn.Dropout(dropout)

    def forward(self, y, edges, mask):
        attended = self.multihead_attn(y, edges, edges, attn_mask=mask, need_weights=False)[0]
        y = self.norm1(y + self.dropout(attended))
        return self.norm2(y + self.dropout(self.linear2(self.dropout(self.linear1(y).relu()))))


class Tour(nn.Module):
    """The paper's TSP-20 layers: to the n(n-1)/2 edges, masked to those a city is incident with, and among cities."""

    def __init__(self, c):
        super().__init__()
        args = c["dim"], c["heads"], c["feed_forward"], c["dropout"]
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(*args, batch_first=True) if i % 2 else EdgeLayer(*args) for i in range(c["layers"])
        )

    def forward(self, y, points, time, dummies, mask):
        """y [rows, n, d], points [rows, n, 2], time [rows, d], dummies [rows, m, d] -> [rows, n+m, d]."""
        n, d = y.shape[1:]
        i, k = torch.triu_indices(n, n, 1)
        edges = sinusoid(POINT_SCALE * (points[:, i] - points[:, k]).norm(dim=-1), d) + time.unsqueeze(1)
        city = torch.arange(n).unsqueeze(1)
        elsewhere = (city != i) & (city != k)  # [n, edges]
        for layer in self.layers[:-1]:
            y = layer(y, edges, elsewhere) if isinstance(layer, EdgeLayer) else layer(y)
        return self.layers[-1](torch.cat([y, dummies], 1), src_mask=mask)


class Transitions(nn.Module):
    """Who comes after whom, for path: z [rows, n, d] -> [rows, n+1, n], the start's row first."""

    def __init__(self, d):
        super().__init__()
        self.query, self.key = nn.Linear(d, d), nn.Linear(d, d)
        self.start = nn.Parameter(torch.randn(d))

    def forward(self, z):
        queries = torch.cat([self.start.expand(len(z), 1, -1), self.query(z)], 1)
        return queries @ self.key(z).mT * (CERTAINTY / math.sqrt(z.shape[-1]))


class Contexts(nn.Module):
    """The vectors of cgpl: z [rows, n, d] -> [rows, n+1, 3w+1], those of the start first."""

    def __init__(self, d):
        super().__init__()
        self.out = nn.Linear(d, 3 * CONTEXT_WIDTH + 1)
        self.start = nn.Parameter(torch.randn(CONTEXT_WIDTH))

    def forward(self, z):
        w = CONTEXT_WIDTH
        key, rest = self.out(z).split([w, 2 * w + 1], -1)
        first = torch.cat([torch.zeros(w), self.start, torch.zeros(w + 1)]).expand(len(z), 1, -1)
        return torch.cat([first, torch.cat([key * (CERTAINTY / math.sqrt(w)), rest], -1)], 1)


def score_mlp(d):
    """[..., d] -> [..., 1]"""
    return nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))


class Denoiser(nn.Module):
    """Objects, their arrangements and times -> the scores of a reverse law."""

    def __init__(self, config):
        super().__init__()
        self.config = c = config
        if c.get("pairs"):
            raise ValueError(f"pairs: {c['pairs']}: this file has no features of pairs")
        d = c["dim"]
        self.encoder = make_encoder(c)
        self.score = c.get("score") or "context"
        if self.score != "context":
            self.direct = score_mlp(d)
        if self.score == "direct":
            return
        self.time_embedding = nn.Sequential(nn.Linear(TIME_DIM, d), nn.SiLU(), nn.Linear(d, d))
        if c["positions"] == "learned":
            self.positions = nn.Embedding(2 * c["n"], d)
        elif c["positions"] == "first":
            self.positions = nn.Embedding(1, d)
        pre = c.get("norm", "post") == "pre"
        if c.get("edges"):
            self.transformer = Tour(c)
        else:
            layer = nn.TransformerEncoderLayer(d, c["heads"], c["feed_forward"], c["dropout"], batch_first=True, norm_first=pre)
            norm = nn.LayerNorm(d) if pre else None
            self.transformer = nn.TransformerEncoder(layer, c["layers"], norm=norm, enable_nested_tensor=False)
        self.dropout = nn.Dropout(c["dropout"])
        if c["law"] != "gpl":
            self.head = {"path": Transitions, "cgpl": Contexts}.get(c["law"], score_mlp)(d)

    def position_encoding(self, n, dummies):
        """[n+dummies, d], the dummies after the items."""
        d, kind = self.config["dim"], self.config["positions"]
        if kind == "learned":
            first = self.config["n"]
            return self.positions(torch.tensor([*range(n), *range(first, first + dummies)]))
        if kind in ("none", "first"):
            items = torch.zeros(n, d)
            if kind == "first":
                items = torch.cat([self.positions.weight, items[1:]])
            return torch.cat([items, position_table(dummies, d)])
        return position_table(n + dummies, d)

    def forward(self, objects, arrangements, times):
        """objects [batch, n, ...], arrangements [batch, states, n] (the object at each position),
        times [batch, states] -> scores [batch*states, ...]."""
        if objects.dtype == torch.uint8:
            objects = objects.float() / 255
        e = self.encoder(objects)
        y = torch.stack([e[b, order] for b, orders in enumerate(arrangements.long()) for order in orders])
        if self.score == "direct":
            return self.direct(y).squeeze(-1)
        direct = self.direct(y).squeeze(-1) if self.score == "sum" else 0
        time = self.time_embedding(sinusoid(times.flatten(), TIME_DIM))
        y = y + time.unsqueeze(1)
        rows, n, d = y.shape
        law = self.config["law"]
        dummies = {"gpl": n, "it": 1}.get(law, 0)
        y = torch.cat([y, torch.zeros(rows, dummies, d)], 1) + self.position_encoding(n, dummies)
        y, mask = self.dropout(y), attention_mask(n) if law == "gpl" else None
        if self.config.get("edges"):
            points = torch.stack([objects[b, order] for b, orders in enumerate(arrangements.long()) for order in orders])
            z = self.transformer(y[:, :n], points, time, y[:, n:], mask)
        else:
            z = self.transformer(y, mask=mask)
        if law in ("path", "cgpl"):
            return self.head(z)
        if law != "gpl":
            return self.head(z).squeeze(-1) + direct
        z1, z2 = F.layer_norm(z, (d,)).split(n, 1)
        if self.config["gpl_rows"] == "items":
            return z1 @ z2.mT
        return z2 @ z1.mT

    def named_arrays(self):
        """What a saved model holds. PyTorch's count of batches has no use at momentum 0.1."""
        return {k: v for k, v in self.state_dict().items() if not k.endswith("num_batches_tracked")}


def load(path, config=None):
    """The network of a run's directory, or of a file of weights, which has its configuration in its metadata."""
    path = pathlib.Path(path)
    if config is None:
        config = run_config(path)
    network = Denoiser(config)
    network.load_state_dict(load_weights(path), strict=True)
    return network.eval()


def load_weights(path):
    """The arrays of a file, or of a run's model.safetensors, in one file or in several."""
    if path.is_file():
        return load_file(path)
    index = path / "model.safetensors.index.json"
    if not index.exists():
        return load_file(path / "model.safetensors")
    names = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    return {k: v for name in names for k, v in load_file(path / name).items()}


def run_config(path):
    """What Denoiser takes, from a run's config.toml or the metadata of a file of weights."""
    if path.is_file():
        with safe_open(path, "pt") as f:
            text = (f.metadata() or {}).get("config")
        if text is None:
            raise ValueError(f"{path}: has no configuration in its metadata, wanted one, or the directory of its run")
    else:
        text = (path / "config.toml").read_text(encoding="utf-8")
    c = tomllib.loads(text)
    task, model = c["task"], c["model"]
    if c.get("method", "diffusion") != "diffusion":
        raise ValueError(f"{path}: method {c['method']}: wanted diffusion")
    out = {k: model[k] for k in ("dim", "layers", "heads", "feed_forward", "dropout", "positions", "encoder")}
    out.update(n=task["rows"] * task["columns"] if task["name"] == "jigsaw" else task["n"], law=c["process"]["reverse"], gpl_rows=model.get("gpl_rows", "items"), score=model.get("score", ""), edges=model.get("edges", False), pairs=model.get("pairs", ""))
    out.update(channels=model.get("channels", []), hidden=model.get("hidden", []), kernel=model.get("kernel", 0), codes=model.get("codes", 0))
    out.update(norm=model.get("norm", "post"), points=model.get("points", ""))
    if task["name"] == "sort":
        out.update(height=28, width=28 * task["digits"], window=28)
    elif task["name"] == "jigsaw":
        if task.get("source", "mnist") != "mnist":
            raise ValueError(f"{path}: pictures in colour: this file has encoders of grey ones alone")
        out.update(height=28 // task["rows"], width=28 // task["columns"], window=28 // task["columns"])
    elif task["name"] == "ranking":
        out.update(features=task.get("features", 0), height=task.get("pixels", 28), width=task.get("pixels", 28), window=task.get("pixels", 28))
    return out


def log_prob(law, scores, ranks):
    """log p of each row, in nats; ranks [rows, n]: where the object at each position goes."""
    orders = ranks.argsort(-1).tolist()
    return torch.stack([LOG_PROBS[law](s, o) for s, o in zip(scores, orders)])


def gpl(s, order):
    """Row i picks the object at position i from those that no row before has picked."""
    s = s[:, order]
    return sum(s[i, i] - s[i, i:].logsumexp(-1) for i in range(len(order)))


def pl(s, order):
    """Generalized Plackett-Luce with the same scores in every row."""
    return gpl(s.expand(len(order), -1), order)


def path(s, order):
    """The row of the object before, 0 at the start, picks the next of those that are left."""
    rows = [0, *(1 + k for k in order[:-1])]
    return sum(s[r, k] - s[r, order[i:]].logsumexp(-1) for i, (r, k) in enumerate(zip(rows, order)))


def cgpl(s, order):
    """A pointer: the object before, 0 at the start, and the mean of all before ask, and keys answer."""
    key, last, mean = s[:, :-1].clamp(-100, 100).split(CONTEXT_WIDTH, -1)
    total = torch.tensor(0.0)
    for i, k in enumerate(order):
        before = order[:i]
        placed = mean[1:][before].mean(0) if before else 0
        odds = s[1:, -1] + key[1:] @ (last[1 + before[-1] if before else 0] + placed).tanh()
        total = total + odds[k] - odds[order[i:]].logsumexp(-1)
    return total


def irs(s, order):
    """The sum over all 2^n ways to deal the objects to the left and right pile."""
    ways = []
    for left in itertools.product([True, False], repeat=len(order)):
        piles = [i for i, x in enumerate(left) if x] + [i for i, x in enumerate(left) if not x]
        if piles == order:
            ways.append(F.logsigmoid(torch.where(torch.tensor(left), s, -s)).sum())
    return torch.stack(ways).logsumexp(-1) if ways else torch.tensor(-math.inf)


def ii(s, order):
    """One object moves to the end."""
    moved = order[-1]
    others = [i for i in range(len(order)) if i != moved]
    return s.log_softmax(-1)[moved] if order[:-1] == others else torch.tensor(-math.inf)


def it(s, order):
    """Nothing moves, or two objects change places."""
    s, tau = s[:-1], s[-1]
    moved = [i for i, k in enumerate(order) if k != i]
    if not moved:
        return (1 - tau.sigmoid()).log()
    if len(moved) != 2:
        return torch.tensor(-math.inf)
    a, (i, j) = s.softmax(-1), moved
    return (tau.sigmoid() * (a[i] * a[j] / (1 - a[i]) + a[j] * a[i] / (1 - a[j]))).log()


LOG_PROBS = {"gpl": gpl, "pl": pl, "path": path, "cgpl": cgpl, "irs": irs, "ii": ii, "it": it}


def adamw(network, lr):
    """The paper's optimiser."""
    return torch.optim.AdamW(network.parameters(), lr=lr, betas=(0.9, 0.98), eps=1e-9, weight_decay=1e-2)


def noam(optimizer, dim, warmup):
    """The learning-rate schedule of Vaswani et al. 2017; the optimiser's own rate is a factor."""
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: dim**-0.5 * min((done + 1) ** -0.5, (done + 1) * warmup**-1.5)
    )


def train_step(network, optimizer, objects, arrangements, times, ranks, clip=1.0):
    """One step on the mean -log p; returns it and the gradient's norm before clipping."""
    loss = -log_prob(network.config["law"], network(objects, arrangements, times), ranks.flatten(0, 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(network.parameters(), clip)
    optimizer.step()
    return loss.detach(), norm
