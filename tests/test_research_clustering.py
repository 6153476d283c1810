from __future__ import annotations

import pickle

import numpy as np
import pytest
from research import cfu_tree
from research.cfu_tree import CFuTree
from research.cluster_measures import cluster_f_measure, hac_labels, k_means_labels
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from focused.method.strategies.cfu_forest import NONE, comparison_variation, similarity
from focused.method.strategies.cluster_merging import agglomerate

FOOTBALL = sparse.csr_matrix([[1.0, 1, 0], [1, 0, 1]])  # football boxing / football basketball


@parametrize_with_checks([CFuTree()])
def test_cfu_tree_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def contexts(n: int, n_topics: int = 6, seed: int = 0) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Link contexts of 12 words from a topic of 15 words and from 40 common ones; their topics."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, n_topics, n)
    counts = np.zeros((n, 40 + 15 * n_topics))
    for row, topic in zip(counts, topics, strict=True):
        np.add.at(row, rng.integers(0, 40, 3), 1)
        np.add.at(row, 40 + 15 * topic + rng.integers(0, 15, 9), 1)
    return sparse.csr_matrix(counts), topics


def unit_rows(counts: sparse.csr_matrix) -> np.ndarray:
    rows = counts.toarray()
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)


# Equations 1 and 2


def test_similarity_is_printed_equation_1():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = (v / np.linalg.norm(v) for v in rng.random((2, 5)))
        assert similarity(x @ y) == pytest.approx(1 - np.sqrt(((x - y) ** 2).sum() / 2))
    assert similarity([1.0, 1.0 + 1e-15, 0.0, -1.0]).tolist() == [1, 1, 0, 0]


def test_comparison_variation_is_printed_equation_2():
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(200):
        sims, lambda_ = rng.random(rng.integers(1, 4)) * 0.5, rng.uniform(0.2, 6)
        expected = ((1 - sims) ** lambda_).prod() <= sims.max()
        assert comparison_variation(sims, lambda_) == expected
        outcomes.add(bool(expected))
    assert outcomes == {True, False}


@pytest.mark.parametrize("lambda_", [1e-9, 3, 1e9])
def test_units_that_are_the_same_merge_and_units_that_share_nothing_do_not(lambda_):
    assert comparison_variation([1.0], lambda_)
    assert not comparison_variation([0.0], lambda_)
    assert not comparison_variation([0.0] * 1000, lambda_)


def test_hundreds_of_units_do_not_underflow():
    assert comparison_variation(np.full(2000, 1e-4), 60)
    assert not comparison_variation(np.full(2000, 1e-4), 6)


def test_two_units_merge_from_a_cosine_of_0_5344_on():
    def pair(cosine: float) -> np.ndarray:
        return sparse.csr_matrix([[1, 0], [cosine, np.sqrt(1 - cosine**2)]])

    assert similarity(0.5344) == pytest.approx(0.3177, abs=5e-5)
    assert CFuTree().fit(pair(0.5345)).n_clusters_ == 1
    assert CFuTree().fit(pair(0.5343)).n_clusters_ == 2


def test_football_boxing_and_football_basketball():
    cosine = unit_rows(FOOTBALL)[0] @ unit_rows(FOOTBALL)[1]
    sim = similarity(cosine)
    assert cosine == pytest.approx(0.5)
    assert sim == pytest.approx(0.2929, abs=5e-5)
    assert (1 - sim) ** 3 == pytest.approx(0.3536, abs=5e-5)
    assert (1 - sim) ** 4 == pytest.approx(0.25)
    assert CFuTree(lambda_=3).fit(FOOTBALL).labels_.tolist() == [0, 1]
    assert CFuTree(lambda_=4).fit(FOOTBALL).labels_.tolist() == [0, 0]


@pytest.mark.parametrize("compare", ["smaller", "larger"])
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_with_a_small_lambda_none_merge_and_with_a_large_one_all(compare, how):
    counts, _ = contexts(40)
    counts = sparse.hstack([counts, np.ones((40, 1))], format="csr")  # something in common
    for lambda_, n_clusters in ((1e-9, 40), (1e9, 1)):
        model = CFuTree(lambda_=lambda_, compare=compare)
        model = model.fit(counts) if how == "fit" else model.fit(counts[:1]).partial_fit(counts[1:])
        assert model.n_clusters_ == n_clusters


def test_the_number_of_clusters_falls_with_lambda():
    counts, _ = contexts(60)
    n_clusters = [CFuTree(lambda_=lambda_).fit(counts).n_clusters_ for lambda_ in (0.5, 1, 2, 3, 4, 6, 10)]
    assert n_clusters == sorted(n_clusters, reverse=True)
    assert n_clusters[0] > n_clusters[-1]


# Agglomeration


def closest_pairs_first(rows: np.ndarray, lambda_: float, compare: str) -> list[tuple[int, int]]:
    """The printed steps without any saving."""
    clusters = {unit: [unit] for unit in range(len(rows))}
    merges = []

    def vector(units: list[int]) -> np.ndarray:
        total = rows[units].sum(axis=0)
        return total / np.linalg.norm(total)

    while True:
        pairs = [(a, b) for a in clusters for b in clusters if a < b]
        pairs.sort(key=lambda pair: -similarity(vector(clusters[pair[0]]) @ vector(clusters[pair[1]])))
        for a, b in pairs:
            c_i, c_j = (a, b) if len(clusters[a]) < len(clusters[b]) else (b, a)
            if compare == "larger":
                c_i, c_j = c_j, c_i
            sims = [similarity(rows[unit] @ vector(clusters[c_j])) for unit in clusters[c_i]]
            if np.prod((1 - np.array(sims)) ** lambda_) <= max(sims):
                clusters[a] += clusters.pop(b)
                merges.append((a, b))
                break
        else:
            return merges


@pytest.mark.parametrize("compare", ["smaller", "larger"])
@pytest.mark.parametrize("lambda_", [2.0, 3.0, 5.0])
def test_agglomeration_does_the_printed_steps(compare, lambda_):
    rows = unit_rows(contexts(24, 3, seed=3)[0])
    merges = agglomerate(rows @ rows.T, lambda_, compare)
    expected = closest_pairs_first(rows, lambda_, compare)
    assert [tuple(merge) for merge in merges.tolist()] == expected
    assert 0 < len(merges) < 24


def test_the_order_of_comparison_matters():
    counts, _ = contexts(60)
    assert CFuTree(compare="larger").fit(counts).n_clusters_ < CFuTree(compare="smaller").fit(counts).n_clusters_


def test_no_pair_of_clusters_that_is_left_passes():
    counts, _ = contexts(60)
    forest = CFuTree().fit(counts).forest_
    roots = list(forest.roots.values())
    assert len(roots) > 2
    assert not any(forest.alike(a, b) for a in roots for b in roots if a != b)


# The estimator


@pytest.fixture(params=["fit", "partial_fit", "both"])
def clustered(request):
    counts, topics = contexts(120)
    n_first = {"fit": 120, "partial_fit": 1, "both": 60}[request.param]
    model = CFuTree().fit(counts[:n_first])
    return (model.partial_fit(counts[n_first:]) if n_first < 120 else model), counts, topics


def test_contexts_of_a_topic_come_together(clustered):
    model, _, topics = clustered
    of_cluster = [np.unique(topics[model.labels_ == label]) for label in range(model.n_clusters_)]
    assert sum(len(found) > 1 for found in of_cluster) <= 2
    assert model.n_clusters_ < 60
    assert cluster_f_measure(topics, model.labels_) > 0.5


def test_centers_are_the_sums_of_their_units_of_length_1(clustered):
    model, counts, _ = clustered
    rows = unit_rows(counts)
    for label, center in enumerate(model.cluster_centers_.toarray()):
        total = rows[model.labels_ == label].sum(axis=0)
        assert center == pytest.approx(total / np.linalg.norm(total))


def test_labels_count_clusters_by_their_first_units(clustered):
    model, _, _ = clustered
    _, firsts = np.unique(model.labels_, return_index=True)
    assert (np.diff(firsts) > 0).all()
    assert len(firsts) == model.n_clusters_
    assert len(model.labels_) == 120


def test_every_node_is_the_sum_of_its_children(clustered):
    forest = clustered[0].forest_
    seen = []
    for root in forest.roots.values():
        assert forest.parent[root] == NONE
        waiting = [root]
        while waiting:
            node = waiting.pop()
            units = forest.units(node)
            assert (forest.first[node], forest.n_units[node]) == (units.min(), len(units))
            total = np.asarray(forest.rows[units].sum(axis=0)).ravel()
            assert forest.vector(node) == pytest.approx(total / np.linalg.norm(total))
            if forest.unit[node] == NONE:
                children = forest.left[node], forest.right[node]
                assert [forest.parent[child] for child in children] == [node, node]
                waiting += children
            else:
                seen.append(forest.unit[node])
    assert sorted(seen) == list(range(120))


def test_a_unit_joins_the_closest_leaf_of_the_closest_tree():
    model = CFuTree().fit(sparse.csr_matrix([[4.0, 1, 0, 0], [4, 0, 1, 0], [0, 0, 0, 1]]))
    assert model.labels_.tolist() == [0, 0, 1]
    model.partial_fit(sparse.csr_matrix([[4.0, 0, 2, 0]]))
    assert model.labels_.tolist() == [0, 0, 1, 0]
    forest = model.forest_
    leaf = forest.unit.index(3)
    assert forest.unit[forest.sibling(leaf)] == 1


def test_an_insertion_can_split_a_tree():
    """Units at 0 and 38 degrees pass; one at 57 joins the second, and the two together are too far from the first."""
    angles = np.radians([0, 38, 57])
    rows = sparse.csr_matrix(np.column_stack([np.cos(angles), np.sin(angles)]))
    model = CFuTree(lambda_=1.35).fit(rows[:2])
    assert model.labels_.tolist() == [0, 0]
    assert model.partial_fit(rows[2:]).labels_.tolist() == [0, 1, 1]


def test_units_without_a_term_are_clusters_of_their_own():
    counts = sparse.csr_matrix([[0.0, 0], [1, 0], [0, 0], [1, 0]])
    assert CFuTree().fit(counts).labels_.tolist() == [0, 1, 2, 1]
    assert CFuTree().fit(counts[:1]).partial_fit(counts[1:]).labels_.tolist() == [0, 1, 2, 1]


def test_one_unit_is_one_cluster_and_the_length_of_a_row_does_not_matter():
    assert CFuTree().fit(FOOTBALL[:1]).labels_.tolist() == [0]
    counts, _ = contexts(50)
    scaled = sparse.csr_matrix(counts.multiply(np.linspace(0.1, 9, 50)[:, np.newaxis]))
    assert (CFuTree().fit(scaled).labels_ == CFuTree().fit(counts).labels_).all()


def test_units_past_the_limit_of_one_agglomeration_are_inserted(monkeypatch):
    counts, _ = contexts(80)
    expected = CFuTree().fit(counts[:50]).partial_fit(counts[50:])
    monkeypatch.setattr(cfu_tree, "MOST_AT_ONCE", 50)
    assert (CFuTree().fit(counts).labels_ == expected.labels_).all()


def test_a_deep_tree_can_be_pickled_and_goes_on():
    """Each unit joins the last one: a chain of 600 nodes."""
    rows = sparse.csr_matrix(np.column_stack([np.ones(600), np.linspace(0, 0.5, 600)]))
    model = pickle.loads(pickle.dumps(CFuTree().fit(rows)))  # noqa: S301
    assert model.n_clusters_ == 1
    assert model.partial_fit(rows[:1]).labels_[-1] == 0


def test_clustering_neither_densifies_nor_changes_its_input(monkeypatch):
    counts, _ = contexts(50)
    before = counts.copy()

    def products_only(matrix, *_):
        assert matrix.shape == (50, 50), "densified"
        return dense(matrix)

    dense = sparse.csr_matrix.toarray
    monkeypatch.setattr(sparse.csr_matrix, "toarray", products_only)
    CFuTree().fit(counts).partial_fit(counts[:5])
    hac_labels(counts, 4)
    assert (counts != before).nnz == 0


@pytest.mark.parametrize("lambda_", [0, -1, np.inf, np.nan])
def test_lambda_must_be_positive_and_finite(lambda_):
    with pytest.raises(ValueError, match="lambda_ must be positive and finite"):
        CFuTree(lambda_=lambda_).fit(FOOTBALL)


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match=r"compare must be one of smaller, larger\. Got 'both'"):
        CFuTree(compare="both").fit(FOOTBALL)


# Measures and other methods


def test_cluster_f_measure_is_the_mean_over_clusters_weighted_by_size():
    # Cluster 0: two of class a (k = 3) and one of b: 2 * 2 / (3 + 3). Cluster 1: all three b (k = 4): 6 / 7. Cluster 2: a.
    true = ["a", "a", "b", "b", "b", "b", "a"]
    found = [0, 0, 0, 1, 1, 1, 2]
    assert cluster_f_measure(true, found) == pytest.approx((3 * 4 / 6 + 3 * 6 / 7 + 2 / 4) / 7)


def test_cluster_f_measure_of_a_perfect_clustering_is_1_whatever_the_names():
    assert cluster_f_measure([0, 0, 1, 2], ["x", "x", "z", "y"]) == 1
    assert cluster_f_measure([5], [9]) == 1


def test_cluster_f_measure_takes_the_smaller_of_two_classes_with_as_many_units():
    assert cluster_f_measure(["a", "b", "b"], [0, 0, 1]) == pytest.approx((2 * 2 / 3 + 1 * 2 / 3) / 3)


def test_no_units_have_no_f_measure():
    with pytest.raises(ValueError, match="at least one unit"):
        cluster_f_measure([], [])


@pytest.mark.parametrize("method", [hac_labels, k_means_labels])
def test_other_methods_cluster_the_same_rows(method):
    counts, topics = contexts(90, 3, seed=1)
    arguments = {"random_state": 0} if method is k_means_labels else {}
    assert cluster_f_measure(topics, method(counts, 3, **arguments)) > 0.9
