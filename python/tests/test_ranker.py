import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import riffle_ml  # noqa: E402
from riffle_ml import RiffleRanker  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::riffle_ml.RiffleWarning")


def small(**changes):
    """A ranker that is fitted in a moment."""
    how = {"n_steps": 60, "learning_rate": 5e-3, "dim": 16, "n_layers": 1, "dropout": 0, "batch_size": 16, "engine": "go", "n_jobs": 1, "random_state": 0}
    return RiffleRanker(**how | changes)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(240, 3))
    y = np.digitize(2 * x[:, 0] - x[:, 1], [-1.5, 0, 1.5])
    return small().fit(x, y, group=[6] * 40), x, y


def test_learns(fitted):
    ranker, x, y = fitted
    # Six items in a random order have an NDCG far below this; the rule is there to be learned.
    assert ranker.score(x, y, group=[6] * 40) > 0.9
    assert ranker.n_features_in_ == 3
    # Lists without a relevant item say nothing of an order, and are no failures of the model.
    half = y.copy()
    half[:120] = 0
    assert ranker.score(x, half, group=[6] * 40) == pytest.approx(ranker.score(x[120:], y[120:], group=[6] * 20))
    assert np.isnan(ranker.score(x, np.zeros_like(y), group=[6] * 40))


def test_negative_relevances_are_no_gaps(fitted):
    _, x, y = fitted
    # The same order with other numbers, and finer below 0 than above: nothing of it is "unjudged".
    shifted = small(n_steps=2).fit(x, y - 2, group=[6] * 40)
    plain = small(n_steps=2).fit(x, y, group=[6] * 40)
    assert (shifted.predict(x, group=[6] * 40) == plain.predict(x, group=[6] * 40)).all()


def test_warnings_of_a_training_come_through(tmp_path):
    lists = tmp_path / "lists.txt"
    lists.write_text("".join(f"{r} qid:{q} 1:{r + q}\n" for q in range(40) for r in range(3 + q % 3)))
    with pytest.warns(riffle_ml.RiffleWarning, match="left out"):
        riffle_ml.train("ranking-features", tmp_path / "run", settings={"task.data": lists, "task.n": 3, "train.validate": 0, "eval.examples": 1}, steps=1, engine="go")


def test_predict_is_the_order(fitted):
    ranker, x, _ = fitted
    scores = ranker.predict(x[:15], group=[6, 4, 5])
    orders = ranker.model_.order([x[:6], x[6:10], x[10:15]])
    for rows, answer in zip((slice(0, 6), slice(6, 10), slice(10, 15)), orders):
        assert (np.argsort(-scores[rows]) == answer.order).all()
        assert sorted(scores[rows]) == list(range(1 - len(answer.order), 1))


def test_groups_by_ids(fitted):
    ranker, x, _ = fitted
    by_size = ranker.predict(x[:12], group=[6, 6])
    mixed = np.array([0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11])
    by_id = ranker.predict(x[mixed], qid=np.where(mixed < 6, "a", "b"))
    assert (by_id == by_size[mixed]).all()
    with pytest.raises(ValueError, match="sum to the 12 rows"):
        ranker.predict(x[:12], group=[6, 7])
    with pytest.raises(ValueError, match="one of group, qid"):
        ranker.predict(x[:12], group=[6, 6], qid=[0] * 12)


def test_great_ids_stay_apart(fitted):
    pandas = pytest.importorskip("pandas")
    ranker, x, y = fitted
    want = ranker.predict(x[:12], group=[6, 6])
    ids = 1_700_000_000_000_000_000 + np.repeat([0, 1], 6)  # times in nanoseconds
    for qid in (ids, ids.tolist(), ids.astype(np.uint64), pandas.Series(ids, dtype="Int64"), ids.astype("datetime64[ns]")):
        assert (ranker.predict(x[:12], qid=qid) == want).all()
    whole = np.round(x[:12] * 10).astype(np.int64)
    frame = pandas.DataFrame(x[:12], columns=list("abc"))
    for table, column, group in (
        (frame.assign(time=ids), "time", [6, 6]), (frame.assign(time=ids.astype(np.uint64)), -1, [6, 6]), (frame.assign(time=pandas.array(ids, "Int64")), "time", [6, 6]),
        (np.column_stack([ids, whole]), 0, [6, 6]), (np.column_stack([ids.astype(object), x[:12]]), 0, [6, 6]), ([[i, *row] for i, row in zip(ids.tolist(), x[:12].tolist())], 0, [6, 6]),
    ):
        by_column = small(n_steps=2, group_column=column).fit(table, y[:12])
        assert by_column.model_.info["n"] == 6
        assert sorted(by_column.predict(table)) == sorted([-k for k in range(6)] * 2)
    with pytest.raises(ValueError, match=r"group_column 0: row 0: is 1.7e\+18, beyond 2\^53"):  # float64 has melted them already
        small(group_column=0).fit(np.column_stack([ids, x[:12]]), y[:12])


@pytest.mark.parametrize("missing", [float("nan"), None, "NA", "NaT"])
@pytest.mark.parametrize("kind", [1, "a"])
def test_missing_groups_are_no_group(fitted, missing, kind):
    pandas = pytest.importorskip("pandas")
    ranker, x, y = fitted
    missing = {"NA": pandas.NA, "NaT": pandas.NaT}.get(missing, missing)
    qid = [kind] * 5 + [missing] * 3 + [kind] * 4
    of_pandas = pandas.Series([None if v is pandas.NaT else v for v in qid], dtype="Int64" if kind == 1 else "string")
    for given in (qid, np.array(qid, dtype=object), pandas.Series(qid, dtype=object), of_pandas):
        with pytest.raises(ValueError, match="qid: row 5: is missing, wanted the list that the row belongs to"):
            ranker.predict(x[:12], qid=given)
        with pytest.raises(ValueError, match="group_column 'q': row 5: is missing"):
            small(group_column="q").fit(pandas.DataFrame(x[:12], columns=list("abc")).assign(q=given), y[:12])
    with pytest.raises(ValueError, match="qid: row 2: is missing"):
        ranker.predict(x[:3], qid=np.array(["2020", "2020", "NaT"], dtype="datetime64[D]"))


def test_ids_of_several_kinds(fitted):
    ranker, x, _ = fitted
    assert (ranker.predict(x[:12], qid=[1] * 6 + ["a"] * 6) == ranker.predict(x[:12], group=[6, 6])).all()


def test_sizes_are_whole_numbers(fitted):
    ranker, x, _ = fitted
    for sizes, first in (([2.6, 3.4], "list 0 is 2.6"), ([3, None], "list 1 is (nan|None)"), ([3, "x"], "list 1 is 'x'")):
        with pytest.raises(ValueError, match=f"group: the size of ({first}), wanted a whole number of rows"):
            ranker.predict(x[:6], group=sizes)
    assert (ranker.predict(x[:12], group=[6.0, 6.0]) == ranker.predict(x[:12], group=[6, 6])).all()


def test_pickle_has_the_weights(fitted):
    ranker, x, _ = fitted
    again = pickle.loads(pickle.dumps(ranker))
    assert (again.predict(x, group=[6] * 40) == ranker.predict(x, group=[6] * 40)).all()
    with pytest.raises(NotFittedError):
        clone(ranker).predict(x)
    assert clone(ranker).get_params() == ranker.get_params()


def weights(ranker):
    """The numbers of its file, behind the header, which says in what folder the training was."""
    data = ranker._kept.files["model.safetensors"]
    return data[8 + int.from_bytes(data[:8], "little") :]


def test_same_seed_same_model(fitted):
    ranker, x, y = fitted
    again = small().fit(x, y, qid=np.repeat(np.arange(40), 6))
    assert weights(again) == weights(ranker)


def test_search_with_a_column_of_groups(lists):
    x, y, sizes = lists
    ids = np.repeat(np.arange(40), 6)
    table = np.column_stack([ids, x])
    pipeline = make_pipeline(StandardScaler(), small(group_column=0, n_steps=30))
    search = GridSearchCV(pipeline, {"riffleranker__learning_rate": [1e-6, 5e-3]}, cv=GroupKFold(2)).fit(table, y, groups=ids)
    assert search.best_params_ == {"riffleranker__learning_rate": 5e-3}  # the other one learns nothing
    assert len(search.predict(table)) == len(y)


def test_search_with_routing(lists):
    x, y, _ = lists
    ids = np.repeat(np.arange(40), 6)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = small(n_steps=20).set_fit_request(qid=True, group=False).set_score_request(qid=True, group=False)
        search = GridSearchCV(ranker, {"dim": [16]}, cv=GroupKFold(2), refit=False).fit(x, y, qid=ids, groups=ids)
    assert 0 < search.cv_results_["mean_test_score"][0] <= 1


def test_frames():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"query": np.repeat(["b", "a", "c"], 4), "price": rng.normal(size=12), "stars": rng.normal(size=12)})
    ranker = small(group_column="query", n_steps=5).fit(frame, rng.integers(0, 3, 12))
    assert list(ranker.feature_names_in_) == ["query", "price", "stars"]
    assert ranker.model_.info["n"] == 4 and len(ranker.predict(frame)) == 12


def test_faults(lists):
    x, y, _ = lists
    with pytest.raises(ValueError, match="2 items or more"):
        small().fit(x[:3], y[:3], group=[1, 1, 1])
    with pytest.raises(riffle_ml.RiffleError, match="learning_rate|train.lr"):
        small(learning_rate=-1).fit(x, y, group=[6] * 40)


LISTWISE = "an item's score is its place in its list, which the whole batch is here"
WANTED = {
    "check_methods_subset_invariance": LISTWISE,
}


@parametrize_with_checks(
    [small(n_steps=3, dim=8, batch_size=2, settings={"model.heads": 1, "model.feed_forward": 8})],
    expected_failed_checks=lambda _: WANTED,
)
def test_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", riffle_ml.RiffleWarning)
        check(estimator)
