"""Times PyTorch on what `riffle bench` times: bench.py NETWORK.json [--decode greedy|beam] [--warm W]
[--rounds R] [--size S] [--compile]. NETWORK.json is the "network" of `riffle bench --json`.

An ordinary implementation of the paper: torch.nn.TransformerEncoder with the 2n x 2n mask, the
encoder once a training step and again at each reverse step, log-probabilities by gather and
logsumexp, the beam with prefix tensors. Prints a line of JSON.
"""

import argparse
import json
import resource
import time

import torch
from torch.utils.flop_counter import FlopCounterMode

import riffle_torch


def objects(c, batch, gen):
    n, kind = c["n"], c["encoder"]
    if kind == "table":
        return torch.arange(n).expand(batch, n)
    if kind == "points":
        return torch.rand(batch, n, 2, generator=gen)
    if kind == "features":
        return torch.randn(batch, n, c["features"], generator=gen)
    return torch.rand(batch, n, c["height"], c["width"], generator=gen)


def log_prob(law, scores, ranks, fix_first):
    """GPL and PL of all rows at once; scores [rows, n, n] or [rows, n], ranks [rows, n]."""
    if fix_first:
        scores, ranks = scores[:, 1:], ranks[:, 1:] - 1
        if law == "gpl":
            scores = scores[:, :, 1:]
    n = ranks.shape[1]
    order = ranks.argsort(-1)
    if law == "pl":
        s = scores.gather(1, order)
        return (s - s.flip(-1).logcumsumexp(-1).flip(-1)).sum(-1)
    s = scores.gather(2, order.unsqueeze(1).expand(-1, n, -1))
    left = torch.ones(n, n, dtype=torch.bool).triu()
    return (s.diagonal(dim1=1, dim2=2) - s.masked_fill(~left, -torch.inf).logsumexp(-1)).sum(-1)


class Batched(riffle_torch.Denoiser):
    """The reference's network with its loops over sets taken out."""

    def forward(self, x, arrangements, times):
        e = self.encoder(x)
        return self.scores(e, x, arrangements, times)

    def scores(self, e, x, arrangements, times):
        batch, states, n = arrangements.shape
        row = torch.arange(batch).view(-1, 1, 1)
        y = e[row, arrangements].flatten(0, 1)
        time_ = self.time_embedding(riffle_torch.sinusoid(times.flatten(), riffle_torch.TIME_DIM))
        d, law = y.shape[-1], self.config["law"]
        dummies = {"gpl": n, "it": 1}.get(law, 0)
        y = torch.cat([y + time_.unsqueeze(1), y.new_zeros(batch * states, dummies, d)], 1) + self.position_encoding(n, dummies)
        y, mask = self.dropout(y), riffle_torch.attention_mask(n) if law == "gpl" else None
        if self.config.get("edges"):
            z = self.transformer(y[:, :n], x[row, arrangements].flatten(0, 1), time_, y[:, n:], mask)
        else:
            z = self.transformer(y, mask=mask)
        if law != "gpl":
            return self.head(z).squeeze(-1)
        z1, z2 = torch.nn.functional.layer_norm(z, (d,)).split(n, 1)
        return z1 @ z2.mT if self.config["gpl_rows"] == "items" else z2 @ z1.mT


def greedy_rows(scores):
    """The best object of each row that no row before has: [rows, n, n] -> orders, log-probs."""
    rows, n, _ = scores.shape
    taken = torch.zeros(rows, n, dtype=torch.bool)
    order, logp = torch.empty(rows, n, dtype=torch.long), torch.zeros(rows)
    for i in range(n):
        s = scores[:, i].masked_fill(taken, -torch.inf).log_softmax(-1)
        best, k = s.max(-1)
        order[:, i], logp = k, logp + best
        taken.scatter_(1, k.unsqueeze(1), True)
    return order, logp


def beam_rows(scores, width):
    """A beam over rows with prefix tensors: [rows, n, n] -> [rows, width, n], [rows, width]."""
    rows, n, _ = scores.shape
    prefix = torch.zeros(rows, 1, 0, dtype=torch.long)
    taken, logp = torch.zeros(rows, 1, n, dtype=torch.bool), torch.zeros(rows, 1)
    for i in range(n):
        s = scores[:, i].unsqueeze(1).masked_fill(taken, -torch.inf).log_softmax(-1).nan_to_num(-torch.inf)
        total = (logp.unsqueeze(-1) + s).flatten(1)
        logp, at = total.topk(min(width, total.shape[1]), dim=1)
        parent, k = at // n, at % n
        prefix = torch.cat([prefix.gather(1, parent.unsqueeze(-1).expand(-1, -1, i)), k.unsqueeze(-1)], -1)
        taken = taken.gather(1, parent.unsqueeze(-1).expand(-1, -1, n)).scatter(2, k.unsqueeze(-1), True)
    return prefix, logp


def decode(network, c, x, method):
    """From noise to orders. The paper's code encodes anew at each reverse step; so does this."""
    batch, n, free = x.shape[0], c["n"], c["n"] - bool(c.get("fix_first"))
    state = torch.stack([torch.randperm(n) for _ in range(batch)]).unsqueeze(1)
    logp = torch.zeros(batch, 1)
    outer, inner = (c["beam"], max(c["beam"], c["inner"])) if method == "beam" else (1, 1)
    for t in reversed(c["schedule"][1:]):
        states = state.shape[1]
        scores = network(x, state, torch.full((batch, states), t))
        if c["law"] == "pl":
            scores = scores.unsqueeze(1).expand(-1, n, -1)
        scores = scores[:, n - free :, n - free :]
        if method == "greedy":
            order, lp = greedy_rows(scores)
            order, lp = order.unsqueeze(1), lp.unsqueeze(1)
        else:
            order, lp = beam_rows(scores, inner)
            order, lp = order[:, :outer], lp[:, :outer]
        if free < n:
            order = torch.cat([torch.zeros_like(order[..., :1]), order + 1], -1)
        width = order.shape[1]
        order, lp = order.view(batch, states, width, n), lp.view(batch, states, width)
        new = state.unsqueeze(2).expand(-1, -1, width, -1).gather(3, order).flatten(1, 2)
        total = (logp.unsqueeze(-1) + lp).flatten(1)
        logp, at = total.topk(min(outer, total.shape[1]), dim=1)
        state = new.gather(1, at.unsqueeze(-1).expand(-1, -1, n))
    return state[:, 0]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("network")
    p.add_argument("--decode", default="")
    p.add_argument("--warm", type=int, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--size", type=int, default=1)
    p.add_argument("--compile", action="store_true")
    a = p.parse_args()
    with open(a.network) as f:
        c = {k: v for k, v in json.load(f).items() if v is not None}
    gen = torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    network = Batched(c)
    call = torch.compile(network) if a.compile else network
    flops, seconds = 0, []
    if a.decode:
        network.eval()
        x = objects(c, c["eval_batch"], gen)
        with torch.no_grad():
            for i in range(a.rounds + 1):
                start = time.perf_counter()
                decode(call, c, x, a.decode)
                if i:
                    seconds.append(time.perf_counter() - start)
    else:
        optimizer = riffle_torch.adamw(network, 1e-4)
        n, batch, states = c["n"], c["batch"], c["states"]

        def step():
            x = objects(c, batch, gen)
            places = torch.rand(2, batch, states, n, generator=gen).argsort(-1)
            if c.get("fix_first"):
                places = torch.cat([torch.zeros_like(places[..., :1]), torch.rand(2, batch, states, n - 1, generator=gen).argsort(-1) + 1], -1)
            times = torch.randint(1, 12, (batch, states), generator=gen)
            scores = call(x, places[0], times)
            loss = -log_prob(c["law"], scores, places[1].flatten(0, 1), c.get("fix_first", False)).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            return float(loss.detach())

        if not a.compile:
            with FlopCounterMode(display=False) as counter:
                step()
            flops = counter.get_total_flops()
        for _ in range(a.warm):
            step()
        for _ in range(a.rounds):
            start = time.perf_counter()
            for _ in range(a.size):
                step()
            seconds.append((time.perf_counter() - start) / a.size)
    m = torch.rand(2048, 2048)
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        m @ m
        best = max(best, 2 * 2048**3 / (time.perf_counter() - start))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 1_000_000
    print(json.dumps(dict(seconds=seconds, peak_mb=peak, flops=flops, matmul_flops=best, torch=torch.__version__, threads=torch.get_num_threads())))


if __name__ == "__main__":
    main()
