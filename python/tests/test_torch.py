import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from safetensors.torch import save_file  # noqa: E402

import riffle_ml  # noqa: E402
import riffle_ml.torch as rt  # noqa: E402
from conftest import ROOT  # noqa: E402
from riffle_ml import _command, _reference  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::riffle_ml.RiffleWarning")


def questions():
    rng = np.random.default_rng(2)
    season = np.loadtxt(ROOT / "examples/season.csv", delimiter=",", skiprows=1, usecols=range(3, 13))
    return {
        "rankings": [season[:8], season[8:16]],
        "tours": [rng.random((20, 2))],
        "sort": [sorted((ROOT / "examples/numbers").glob("*.png"))],
    }


def log_path(network, objects, steps):
    """The log of the probability of the reverse steps from noise to the order: steps [k+1, n], in order form."""
    states = torch.tensor(steps[:-1]).unsqueeze(0)
    times = torch.tensor(rt.schedule(network, objects.shape[1])[:0:-1], dtype=torch.float32).unsqueeze(0)
    # Where the object at each position goes: its position in the state after.
    ranks = torch.tensor(np.stack([np.argsort(after)[before] for before, after in zip(steps, steps[1:])]))
    with torch.no_grad():
        scores = network(objects, states, times)
    if network.config["encoder"] == "points":  # a tour begins at its first city, which is never chosen
        assert (ranks[:, 0] == 0).all()
        scores, ranks = scores[:, 1:], ranks[:, 1:] - 1
        if network.config["law"] == "path":  # the first city's row is the start's
            scores = scores[:, :, 1:]
    return rt.log_prob(network.config["law"], scores, ranks).sum().item()


@pytest.mark.parametrize("name", ["rankings", "tours", "sort"])
def test_scores_are_the_commands(loaded, name):
    sets = questions()[name]
    network = rt.load(ROOT / "models" / name)
    objects = rt.objects(ROOT / "models" / name, sets)
    for answer, x in zip(loaded(name).order(sets, decode="greedy"), objects):
        assert log_path(network, x.unsqueeze(0), answer.steps) == pytest.approx(answer.log_path[0], abs=1e-4)


def test_cgpl_scores_are_the_commands(tmp_path):
    """No model of the repository has the law, so a few steps train one."""
    run, table = tmp_path / "run", ROOT / "examples/seasons.csv"
    sets = ["task.data=" + str(table), "process.reverse=cgpl", "process.schedule=[0,11]", "train.batch=8", "train.validate=0", "eval.examples=2"]
    _command.run("train", "ranking", "--out", str(run), "--engine", "go", "--steps", "5", "--quiet", *[x for s in sets for x in ("--set", s)])
    network, x = rt.load(run), questions()["rankings"]
    assert network.config["law"] == "cgpl"
    with riffle_ml.load(run, engine="go", threads=1) as model:
        for answer, objects in zip(model.order(x, decode="greedy"), rt.objects(run, x)):
            assert log_path(network, objects.unsqueeze(0), answer.steps) == pytest.approx(answer.log_path[0], abs=1e-4)


@pytest.mark.parametrize(("forward", "law"), [("riffle", "gpl"), ("riffle", "irs"), ("riffle", "cgpl"), ("transposition", "it"), ("insertion", "ii")])
def test_times_follow_from_the_size(tmp_path, forward, law):
    """Where a ranking is trained without a schedule, each size of sets has its own."""
    run, table = tmp_path / "run", ROOT / "examples/seasons.csv"
    few = {"task.data": table, "process.forward": forward, "process.reverse": law, "task.n": 8, "train.batch": 4, "train.validate": 0, "eval.examples": 2}
    riffle_ml.train("ranking", run, steps=2, engine="go", threads=1, settings=few)
    network, season = rt.load(run), questions()["rankings"][0]
    sets = [season[:3], season[:5], season]
    with riffle_ml.load(run, engine="go", threads=1) as model:
        for x, answer, objects in zip(sets, model.order(sets, decode="greedy"), rt.objects(run, sets)):
            assert len(rt.schedule(network, len(x))) == len(answer.steps)
            assert log_path(network, objects, answer.steps) == pytest.approx(answer.log_path[0], abs=1e-3)
    if forward == "riffle":
        for n in (3, 8):
            arrangements, times, _ = rt.trajectories(network, [range(n)])
            assert times.tolist() == [rt.schedule(network, n)[1:]] and arrangements.shape == (1, times.shape[1], n)


def test_objects_of_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(ROOT / "examples/season.csv")[:8]
    want = rt.objects(ROOT / "models/rankings", [frame.iloc[:, 3:].to_numpy()])
    assert (rt.objects(ROOT / "models/rankings", [frame[frame.columns[::-1]]]) == want).all()


def test_an_exported_file_needs_nothing_else(tmp_path):
    path = tmp_path / "rankings.safetensors"
    _command.run("export", str(ROOT / "models/rankings"), str(path))
    want, got = _reference.load(ROOT / "models/rankings"), _reference.load(path)
    assert got.config == want.config
    for name, array in want.state_dict().items():
        assert (got.state_dict()[name] == array).all()
    bare = tmp_path / "bare.safetensors"
    save_file(got.state_dict(), bare)
    with pytest.raises(ValueError, match="no configuration in its metadata"):
        _reference.load(bare)


def test_trajectories():
    network = rt.load(ROOT / "models/rankings")
    orders = np.stack([np.random.default_rng(i).permutation(7) for i in range(5)])
    arrangements, times, ranks = rt.trajectories(network, orders, np.random.default_rng(3))
    assert times.tolist() == [[5.0, 11.0]] * 5 and arrangements.shape == ranks.shape == (5, 2, 7)
    before = torch.tensor(orders)
    for s in range(2):  # each object goes back to where it was
        undone = torch.empty_like(before).scatter_(1, ranks[:, s], arrangements[:, s])
        assert (undone == before).all()
        before = arrangements[:, s]


def test_tours_are_not_shuffled_whole():
    network = rt.load(ROOT / "models/tours")
    with pytest.raises(ValueError, match="begin at the first item"):
        rt.trajectories(network, [[0, 1, 2, 3]])


def test_trajectories_are_riffles():
    # One 2-shuffle of three cards: (4 - i)/8 for each of the identity's ways, 1/8 for the others but the reversal.
    network = rt.load(ROOT / "models/rankings")
    network.schedule = [0, 1]
    drawn = rt.trajectories(network, np.tile(np.arange(3), (4000, 1)), np.random.default_rng(1))[0][:, 0]
    orders, counts = np.unique(drawn.numpy(), axis=0, return_counts=True)
    share = dict(zip(map(tuple, orders.tolist()), counts / 4000))
    assert (2, 1, 0) not in share and len(share) == 5
    assert share[0, 1, 2] == pytest.approx(0.5, abs=0.04)
    assert all(share[o] == pytest.approx(0.125, abs=0.03) for o in share if o != (0, 1, 2))


def test_fine_tune_and_back(loaded, tmp_path):
    name = "rankings"
    sets = questions()[name]
    network = rt.load(ROOT / "models" / name)
    objects = rt.objects(ROOT / "models" / name, sets)
    rt.save(network, tmp_path / "same")
    with riffle_ml.load(tmp_path / "same", engine="go", threads=1) as same:
        a, b = loaded(name).order(sets), same.order(sets)
        assert all((x.log_path == y.log_path).all() and (x.order == y.order).all() for x, y in zip(a, b))
    # A step towards the contrary of what it thinks.
    orders = np.stack([x.order[::-1] for x in a])
    arrangements, times, ranks = rt.trajectories(network, orders, np.random.default_rng(1))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    loss, norm = rt.train_step(network, optimizer, objects, arrangements, times, ranks)
    assert loss > 0 and norm > 0
    rt.save(network, tmp_path / "tuned")
    with riffle_ml.load(tmp_path / "tuned", engine="go", threads=1) as tuned:
        c = tuned.order(sets)
        assert all(abs(x.log_path[0] - y.log_path[0]) > 1e-3 for x, y in zip(a, c))
        for x, y in zip(c, objects):
            assert log_path(network, y.unsqueeze(0), x.steps) == pytest.approx(x.log_path[0], abs=1e-4)
    with pytest.raises(FileExistsError, match="tuned"):
        rt.save(network, tmp_path / "tuned")


def test_faults(tmp_path):
    with pytest.raises(FileNotFoundError):
        rt.load(tmp_path)
