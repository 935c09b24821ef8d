import math
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import riffle_ml
from conftest import ROOT
from riffle_ml import _model, _sets

SQUARE = np.array([[0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]])
pytestmark = pytest.mark.filterwarnings("ignore::riffle_ml.RiffleWarning")


def around(order):
    """A closed tour from its first city, the way that visits the smaller neighbour first."""
    order = [int(i) for i in order]
    at = order.index(0)
    order = order[at:] + order[:at]
    return order if order[1] < order[-1] else [0] + order[:0:-1]


def test_points(loaded):
    a, b = loaded("tours").order([SQUARE, SQUARE[::-1] * 100], top=2)
    assert around(a.order) == [0, 2, 1, 3]
    assert a.cost[0] == pytest.approx(3.2) and b.cost[0] == pytest.approx(320)  # the sides of the square
    assert a.orders.shape == (2, 4) and a.log_path.shape == (2,) and (a.steps[-1] == a.order).all()
    assert (a.rank[a.order] == np.arange(4)).all()


def test_pictures(loaded):
    names = sorted((ROOT / "examples/numbers").glob("*.png"))
    by_path = loaded("sort").order([names])[0]
    image = pytest.importorskip("PIL.Image")
    pictures = [image.open(n) for n in names]
    by_picture = loaded("sort").order([pictures])[0]
    by_array = loaded("sort").order([[np.asarray(p.convert("L")) / 255 for p in pictures]])[0]
    assert (by_path.order == by_picture.order).all() and (by_path.order == by_array.order).all()
    assert by_path.log_path[0] == pytest.approx(by_array.log_path[0], abs=1e-9)


def test_frame(loaded):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(ROOT / "examples/season.csv")
    model = loaded("rankings")
    features = model.features
    answers = model.order(frame, group="set", item="item")
    assert len(answers) == frame["set"].nunique() and answers[0].id == frame["set"][0]
    positions = answers.positions()
    # Rows in another order, and columns too, are the same question.
    shuffled = frame.sample(frac=1, random_state=3)[["shutouts", "set", *features[:-1][::-1], "item"]]
    again = model.order(shuffled, group="set", item="item").positions()
    assert len(positions) == len(frame)
    for name, rows in frame.groupby("set"):
        assert sorted(positions[rows.index]) == list(range(len(rows))), name
    arrays = model.order([g[features].to_numpy() for _, g in frame.groupby("set", sort=False)])
    assert all((a.order == b.order).all() for a, b in zip(answers, arrays))
    assert sorted(again) == sorted(positions)


def test_frames_in_a_list(loaded):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(ROOT / "examples/seasons.csv")
    model = loaded("rankings")
    some = [g for _, g in frame[frame["set"].isin(["AL 1901", "AL 1902"])].groupby("set")]
    turned = [g[["item", "rank", *model.features[::-1], "set"]] for g in some]  # in other places, beside what is no feature
    want = [model.order(g, item="item", group="set")[0] for g in some]
    for a, b, alone in zip(want, model.order(turned), turned):
        assert (a.order == b.order).all() and a.log_path == b.log_path
        assert (model.order(alone, item="item", group="set")[0].order == b.order).all()
    orders = [a.order for a in want]
    assert model.score(turned, orders, draws=2).log_prob.tolist() == [model.score(g.drop(columns=["item", "set"]), [o], draws=2).log_prob[0] for g, o in zip(turned, orders)]
    # What is wrong with it is told as of one frame.
    features = turned[0][model.features]
    for wrong in (features.drop(columns="runs"), features.rename(columns={"runs": "goals"})):
        told = []
        for given in (wrong, [features, wrong]):
            with pytest.raises(riffle_ml.RiffleError, match="runs") as e:
                model.order(given)
            told.append(str(e.value).replace("set 2", "set 1"))
        assert told[0] == told[1]
    with pytest.raises(ValueError, match=r"sets\[1\]: the column 'shutouts' is there twice"):
        model.order([features, pandas.concat([features, features["shutouts"]], axis=1)])
    with pytest.raises(ValueError, match=r"sets\[0\]: row 1, column 'runs': is inf"):
        model.order([features.assign(runs=[1, math.inf] * 4)])


@pytest.mark.parametrize("fill", ["mean", ""])
def test_empty_features_are_the_commands(tmp_path, fill):
    pandas = pytest.importorskip("pandas")
    table = tmp_path / "lists.csv"
    table.write_text("set,item,rank,a,b\n" + "".join(f"{s},{k},{k},{k},{s + k if k or not fill else ''}\n" for s in range(12) for k in range(3)))
    few = {"model.dim": 16, "model.layers": 1, "model.heads": 2, "train.batch": 4, "eval.examples": 2, "train.validate": 0}
    run = riffle_ml.train("ranking", tmp_path / "run", steps=2, engine="go", threads=1, settings={"task.data": table, "task.fill": fill, "process.schedule": [0, 7]} | few)
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": pandas.array([4, None, 5], "Float64")})
    arrays = frame.to_numpy(dtype=float, na_value=np.nan)
    with run.model(engine="go") as model:
        for given in (frame, [frame], frame.astype(float), [arrays], [arrays.tolist()]):
            if fill:
                assert sorted(model.order(given)[0].order) == [0, 1, 2]
                continue
            with pytest.raises(riffle_ml.RiffleError, match=r'(?s)item 1: column "b" is empty.*task.fill'):
                model.order(given)


def test_bare_items_by_command(tmp_path):
    # A model of votes has bare items with names: trained for a moment, of two voters that agree.
    (tmp_path / "votes.csv").write_text("rank1,rank2,rank3,count\nAnn,Bob,Cy,40\n")
    run = riffle_ml.train(
        "ranking", tmp_path / "run", steps=2, engine="go", threads=1,
        settings={"task.data": tmp_path / "votes.csv", "model.dim": 16, "model.layers": 1, "model.heads": 2, "train.batch": 4, "eval.examples": 2, "train.validate": 0},
    )
    assert run.config["train"]["steps"] == 2 and {m["name"] for m in run.metrics()} > {"exact"}
    assert run.log()["step"].max() >= 1
    assert "<table>" in run._repr_html_() and "image/svg+xml" in run._repr_html_()
    with run.model(engine="go") as model:
        assert model.items == "bare" and sorted(model.names) == ["Ann", "Bob", "Cy"]
        assert sorted(model.order([["Cy", "Ann"]])[0].order) == [0, 1]
        with pytest.raises(riffle_ml.RiffleError, match="Dee"):
            model.order([["Ann", "Dee"]])
    with pytest.raises(riffle_ml.RiffleError, match="preset.*nearest"):
        riffle_ml.train("rankin", tmp_path / "other")


def test_draws(loaded):
    model = loaded("tours")
    a, b = model.sample([SQUARE, SQUARE], 12, seed=2)
    assert a.samples.shape == (12, 4) and (a.samples == b.samples).all()
    marginals = model.marginals([SQUARE], 12, seed=2)[0]
    want = np.stack([(a.samples == k).mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(marginals, want)
    many = np.random.default_rng(1).random((60, 2))
    assert (model.sample([many], 12, seed=3)[0].samples != model.sample([many], 12, seed=2)[0].samples).any()


def test_score(loaded):
    model = loaded("tours")
    s = model.score([SQUARE, SQUARE], [[0, 2, 1, 3], [0, 1, 2, 3]], draws=16)
    assert s.log_prob.shape == (2,) and s.log_prob[0] > s.log_prob[1]
    assert (s.bound <= s.log_prob + 3 * s.stderr + 1e-9).all()
    assert s.uniform[0] == pytest.approx(-math.log(math.factorial(3)))  # the first city is fixed
    with pytest.raises(ValueError, match="are 1, wanted 2"):
        model.score([SQUARE, SQUARE], [[0, 1, 2, 3]])


def test_rules(loaded):
    model = loaded("tours")
    answers = model.order([SQUARE, SQUARE], constraints=[{"pin": ["0=0", "3=3"]}, {}])
    assert answers[0].order[3] == 3
    with pytest.raises(riffle_ml.RiffleError, match="item 1 is pinned at positions 1 and 2"):
        model.order([SQUARE], constraints={"pin": ["1=1", "1=2"]})


def test_rules_of_a_set_and_of_the_call_hold(loaded):
    model = loaded("tours")
    own = {"items": [{"point": p.tolist()} for p in SQUARE], "constraints": {"pin": ["3=3"]}}
    assert model.order([own], constraints={"pin": ["1=1"]})[0].order.tolist() == [0, 1, 2, 3]
    order = model.order([own], constraints=[{"before": ["1,2"]}])[0].order
    assert order[3] == 3 and (order == 1).argmax() < (order == 2).argmax()
    assert own["constraints"] == {"pin": ["3=3"]}
    with pytest.raises(riffle_ml.RiffleError, match="item 3 is pinned at positions 3 and 2"):
        model.sample([own], 2, constraints={"pin": ["3=2"]})
    with pytest.raises(TypeError, match=r"sets\[0\]: constraints: pin: is str, wanted a list of rules"):
        model.order([own], constraints={"pin": "1=1"})


def test_parts_do_not_matter(loaded, monkeypatch):
    sets = [np.random.default_rng(i).random((5, 2)) for i in range(7)]
    whole = loaded("tours").order(sets)
    assert [a.id for a in whole] == list("1234567")
    monkeypatch.setattr(_model, "PART_SETS", 3)
    cut = loaded("tours").order(sets)
    assert [a.id for a in cut] == list("1234567")
    assert all((a.order == b.order).all() and a.cost == b.cost for a, b in zip(whole, cut))


def test_parts():
    values = [{"items": [{}] * n} for n in (10, 10, 2000, 10)]
    assert [len(p) for p in _model._parts(values, 1)] == [2, 1, 1]  # 2000 items are 4 million numbers of marginals
    assert [len(p) for p in _model._parts(values[:2] * 300, 1)] == [256, 256, 88]


@pytest.mark.parametrize(
    ("sets", "error"),
    [
        (SQUARE, r"sets\[0\]: has the shape \[2\], wanted \[items, 2\]"),
        ([], "sets: wanted one or more"),
        ([np.array([[0, math.nan]])], r"sets\[0\]: item 0, number 1: is nan"),
        ([np.zeros((3, 5))], r"wanted \[items, 2\]"),
        ("abc", "sets: is str"),
        ([["a", "b"]], r"sets\[0\]: is no array of numbers"),
    ],
)
def test_faults(loaded, sets, error):
    with pytest.raises((ValueError, TypeError), match=error):
        loaded("tours").order(sets)


def test_errors_are_the_commands(loaded, tmp_path):
    with pytest.raises(riffle_ml.RiffleError, match="nowhere"):
        riffle_ml.load(tmp_path / "nowhere")
    with pytest.raises(riffle_ml.RiffleError, match=r"(?s)decode.*greedy"):
        loaded("tours").order([SQUARE], decode="greddy")


def test_warnings_once(loaded):
    model = riffle_ml.Model.__new__(riffle_ml.Model)
    model._told = set()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model._warn(["odd"])
        model._warn(["odd", "odder"])
    assert [str(w.message) for w in told] == ["odd", "odder"]


def test_threads_share_a_model(loaded):
    model, got = loaded("tours"), {}

    def ask(i):
        got[i] = model.order([SQUARE + i / 100])[0].order.tolist()

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {around(o) == [0, 2, 1, 3] for o in got.values()} == {True}


def test_process_ends_with_its_owner():
    # A program that is killed leaves no process of the command behind.
    code = f"import riffle_ml, os, signal; m = riffle_ml.load({str(ROOT / 'models/tours')!r}, engine='go'); print(m._process.process.pid, flush=True); signal.pause()"
    owner = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(owner.stdout.readline())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    for _ in range(300):
        if not (alive := _running(pid)):
            break
        threading.Event().wait(0.1)
    assert not alive


def _running(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_pickle_and_close(loaded):
    model = pickle.loads(pickle.dumps(loaded("tours")))
    assert model._process is None
    assert around(model.order([SQUARE])[0].order) == [0, 2, 1, 3]
    pid = model._process.process.pid
    model.close()
    assert not _running(pid)
    model.close()


def test_png_of_arrays():
    a = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    image = pytest.importorskip("PIL.Image")
    import io

    assert (np.asarray(image.open(io.BytesIO(_sets.png(a)))) == a).all()
    assert (np.asarray(image.open(io.BytesIO(_sets.png(a / 255)))) == a).all()
    rgb = np.stack([a, a[::-1], a], -1)
    assert (np.asarray(image.open(io.BytesIO(_sets.png(rgb)))) == rgb).all()
    for bad in (a.astype(float), np.zeros((2, 2, 4)), np.zeros((0, 3)), np.full((2, 2), np.nan)):
        with pytest.raises(ValueError):
            _sets.png(bad)


def test_png_of_grey_of_other_depths():
    image = pytest.importorskip("PIL.Image")
    import io

    def read(x):
        return np.asarray(image.open(io.BytesIO(_sets.png(x))))

    a = np.arange(12).reshape(3, 4) * 5950
    for mode in ("I;16", "I;16L", "I;16B"):  # 65535 is white, and 16 bits are kept
        x = image.frombytes(mode, (4, 3), a.astype(">u2" if mode == "I;16B" else "<u2").tobytes())
        assert (read(x) == a).all(), mode
    shares = np.arange(12, dtype=np.float32).reshape(3, 4) / 15
    assert (read(image.fromarray(shares)) == np.arange(12).reshape(3, 4) * 17).all()
    for numbers in (a.astype(np.int32), shares * 255):
        x = image.fromarray(numbers)
        with pytest.raises(ValueError, match=rf"from 0 to 1\nhint: mode {x.mode} does not say which number is white"):
            _sets.png(x)


def test_model_shows_itself(tmp_path):
    shutil.copytree(ROOT / "models/tours", tmp_path / "tours", ignore=shutil.ignore_patterns("figures"))
    with riffle_ml.load(tmp_path / "tours", engine="go", threads=1) as model:
        shown = model._repr_html_()
    assert "Tours of 20 to 60 cities" in shown and "data:image/png" in shown
    assert (tmp_path / "tours/figures/strip.png").read_bytes()[1:4] == b"PNG"  # the command's picture, drawn once


def test_shows_itself(loaded):
    model = loaded("tours")
    answers = model.order([SQUARE] * 7)
    assert answers._repr_html_().count("<polygon") == 5 and "2 more" in answers._repr_html_()
    assert "image/svg+xml" in model.sample([SQUARE], 20)[0]._repr_html_()  # the command's picture of the marginals
    assert "<td" in model.score([SQUARE], [[0, 2, 1, 3]], draws=2)._repr_html_()
    numbers = [sorted((ROOT / "examples/numbers").glob("*.png"))]
    assert "position" in loaded("sort").order(numbers)[0]._repr_html_()


def test_frames_that_would_be_misread(loaded):
    pd = pytest.importorskip("pandas")
    model = loaded("rankings")
    names = model.features
    frame = pd.DataFrame(np.arange(3.0 * len(names)).reshape(3, -1), columns=names)
    with pytest.raises(ValueError, match="is there twice"):
        model.order(pd.concat([frame, frame[names[:1]]], axis=1))
    for missing in (float("nan"), None):
        with pytest.raises(ValueError, match="row 1, column 'season': is missing"):
            model.order(frame.assign(season=[1, missing, 1]), group="season")


def test_orders_are_whole_numbers(loaded):
    model = loaded("tours")
    with pytest.raises(TypeError):
        model.score([np.random.default_rng(0).random((5, 2))], [[0, 1.7, 2, 3, 4]])


def test_settings_are_toml():
    from riffle_ml._run import setting

    assert setting(["encoder.fc1", "a,b"]) == '["encoder.fc1","a,b"]'
    assert setting(np.array([1, 2])) == "[1,2]" and setting(np.bool_(True)) == "true"
