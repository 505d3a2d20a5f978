"""The head that marks the words of a sentence: pick.py fits it and the pickers with it.

A word's vector is what the encoder's last layer has for it; the head is one linear
function of it, the log odds that the word is part of the value. Words of sentences
that tell no value are marked as none.
"""
import json, os, subprocess, tempfile
import numpy as np

DECAY = 30.0
HEAD_WORDS = 60_000  # as many are fitted on at most


def read_words(grammar, texts):
    """The places of the words of each text, and the vectors of all words one after another."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.f32")
        out = subprocess.run([grammar, "-words", path], input="\n".join(texts) + "\n", capture_output=True, text=True, check=True).stdout
        places = [json.loads(line) or [] for line in out.splitlines()]
        count = sum(map(len, places))
        return places, np.fromfile(path, "<f4").reshape(count, -1)


def labels(places, spans):
    """Which words of each text lie in its span of bytes, one after another."""
    return np.array([w["start"] < end and first < w["end"] for words, (first, end) in zip(places, spans) for w in words], float)


def fit_head(x, y, start=None, seed=4):
    """Logistic regression by Newton's method on some of the rows: weights and bias."""
    some = np.random.default_rng(seed).permutation(len(y))[:HEAD_WORDS]
    x, y = np.hstack([x[some], np.ones((len(some), 1), np.float32)]), y[some].astype(np.float32)
    a = np.zeros(x.shape[1], np.float32) if start is None else start.copy()
    decay = np.full(len(a), DECAY, np.float32)
    decay[-1] = 1e-3
    for _ in range(8 if start is None else 4):
        p = 1 / (1 + np.exp(-x @ a))
        a += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + np.diag(decay), x.T @ (y - p) - decay * a)
    return a


def crossed(x, y, fold, without_held):
    """A head for all words, and the scores of words by heads that were fitted on other folds only; fold 2 is held out."""
    whole, scores = fit_head(x, y), np.zeros(len(y), np.float32)
    for k in range(3):
        head = fit_head(x[fold != k], y[fold != k], whole)
        scores[fold == k] = x[fold == k] @ head[:-1] + head[-1]
    return head if without_held else whole, scores


def report(places, spans, scores, which):
    """How the words that are marked agree with values, over the texts of which some have none."""
    at, right, whole, told, marked, hit, of = 0, labels(places, spans) > 0, 0, 0, 0, 0, 0
    for i, words in enumerate(places):
        got, want = scores[at:at + len(words)] > 0, right[at:at + len(words)]
        at += len(words)
        if not which[i]:
            continue
        marked, hit, of = marked + got.sum(), hit + (got & want).sum(), of + want.sum()
        if want.any():
            told, whole = told + 1, whole + (got == want).all()
    return "marks: precision %.3f, recall %.3f of words, %.3f of %d values whole" % (hit / max(marked, 1), hit / max(of, 1), whole / max(told, 1), told)
