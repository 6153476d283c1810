"""``scrapy train TOPIC --from-run RUN_DIR``: what a crawl learnt becomes the topic's model for good."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.topic import TopicError, load_topic

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

_OTHER_OPTIONS = (
    *("positive", "positive_urls", "keywords", "unlabeled", "unlabeled_urls", "unlabeled_sample", "seeds", "title"),
    *("note", "language"),
)
_MAX_RUN_BYTES = 50_000_000


def check_alone(opts: argparse.Namespace) -> None:
    """Refuse options that would say a second time what is learnt from.

    Raises
    ------
    ValueError
        Naming the option.
    """
    for option in _OTHER_OPTIONS:
        if getattr(opts, option) is not None:
            raise ValueError(
                f"--from-run and --{option.replace('_', '-')} exclude each other: the topic is trained from its own "
                "examples and the pages that joined in the run. Leave one out."
            )


def train_from_run(
    name: str, run_dir: Path, models_dir: Path, *, force: bool = False, say: Callable[[str], None] = lambda _: None
) -> str:
    """Train a topic again with the labels of the last version that a crawl used, save it, and return what was done.

    Parameters
    ----------
    name : str
        Of the topic.
    run_dir : Path
        Of a crawl for this topic that adapted.
    models_dir : Path
    force : bool
        Also if the topic has been trained since the crawl.
    say : callable
        Told what begins.

    Raises
    ------
    ValueError
        If the run is of another topic or model, or nothing joined in it.
    """
    from focused.adaptation.record import RECORD_FILE, read_record
    from focused.adaptation.retrain import retrain
    from focused.adaptation.versions import FIRST, read_attempts, read_labels, version_in_use

    topic = load_topic(name, models_dir)
    run = _read_run(run_dir)
    if run.get("topic") != name:
        raise ValueError(f"{run_dir} is a crawl of topic {run.get('topic')!r}. Name that topic, or another run.")
    if run.get("model_sha256") != topic.model_sha256 and not force:
        raise ValueError(
            f"{run_dir} was crawled with another model of topic {name!r} than the one there is: it has been trained since, "
            "perhaps from this very run. Train from it all the same with --force."
        )
    attempts = read_attempts(run_dir)
    version = version_in_use(attempts)
    if version == FIRST:
        done = f"all {len(attempts)} new models were refused" if attempts else "it did not adapt"
        raise ValueError(
            f"Nothing was learnt in {run_dir}: {done}. Crawl with -s FOCUSED_ADAPTATION=automatic, interactive or both."
        )
    try:
        labels = read_labels(run_dir, version)
    except (OSError, ValueError, AttributeError) as error:
        raise ValueError(f"The labels of version {version} in {run_dir} cannot be read: {error}.") from None
    pages, n_bad = read_record(run_dir / RECORD_FILE)
    joined = [page for page in pages if page.number in labels and page.terms]
    if not joined:
        raise ValueError(f"{run_dir / RECORD_FILE} holds none of the pages that version {version} was learnt from.")
    n_positive = sum(labels[page.number] for page in joined)
    about = {
        "from_run": run_dir.name,
        "version": version,
        "n_positive": n_positive,
        "n_negative": len(joined) - n_positive,
    }
    before = topic.manifest.get("figures", {}).get("f1")
    made = retrain(
        topic, pages, labels, about=about, random_state=int(topic.manifest.get("random_state") or 0), say=say
    )
    made.manifest["command"] = f"scrapy train {name} --from-run {run_dir.name}"
    made.manifest["trained_before_by"] = topic.manifest.get("command")
    directory = made.save(models_dir)
    figures = made.manifest["figures"]
    lines = [
        f"Topic {name} is trained again: {n_positive} positives and {len(joined) - n_positive} negatives joined, as in "
        f"version {version} of {run_dir}.",
        f"F1 {figures['f1']:.3f} (cross-validated, {figures['f1_low']:.3f} to {figures['f1_high']:.3f})"
        + (f"; before {before:.3f}, on fewer examples." if isinstance(before, float) else "."),
        f"Saved in {directory}.",
    ]
    if n_bad:
        lines.append(f"{n_bad} lines of {RECORD_FILE} could not be read and are left out.")
    return "\n".join(lines)


def _read_run(run_dir: Path) -> dict[str, Any]:
    path = run_dir / "run.json"
    try:
        if path.stat().st_size > _MAX_RUN_BYTES:
            raise ValueError(f"it is larger than {_MAX_RUN_BYTES:,} bytes")
        run = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TopicError(f"{path} cannot be read: {reason}. Name the folder of a crawl: --from-run RUN_DIR") from None
    if not isinstance(run, dict):
        raise TopicError(f"{path} is not what a crawl leaves. Name the folder of a crawl: --from-run RUN_DIR")
    return run
