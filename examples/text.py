"""Text: which 20 of some 2,800 words tell the topic? The model that will use them is known, so it is given.

python examples/text.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB

from sweepless import SequentialSelector
from sweepless.reports import SubsetCurveDisplay

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())
TOPICS = {  # three phrases each: words that come together
    "cooking": ["oven butter flour pan", "garlic onion simmer broth", "knead dough yeast crust"],
    "sailing": ["mast sail wind rope", "harbour tide anchor buoy", "keel rudder hull deck"],
    "space": ["orbit probe rocket launch", "comet dust tail lens", "crater moon eclipse shadow"],
    "chess": ["pawn bishop rook knight", "gambit opening centre tempo", "endgame clock draw zugzwang"],
    "garden": ["soil seed compost spade", "hedge prune lawn shears", "bulb bloom frost mulch"],
}


def corpus(n_texts: int = 1000, seed: int = 0):
    """Texts of 38 words: most of them common ones, and the first phrase of the topic more often than the others."""
    rng = np.random.default_rng(seed)
    syllables = np.array([consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"])
    common = np.unique(["".join(rng.choice(syllables, 3)) for _ in range(3000)])
    often = 1.0 / np.arange(10, len(common) + 10)  # Zipf's law
    topics = rng.choice(list(TOPICS), n_texts)
    phrases = [rng.choice(TOPICS[topic], p=[0.6, 0.25, 0.15]).split() for topic in topics]
    astray = rng.choice(" ".join(np.ravel(list(TOPICS.values()))).split(), n_texts)  # a word of any topic
    fill = rng.choice(common, (n_texts, 34), p=often / often.sum())
    texts = [[*rest, *rng.choice(phrase, 3), word] for rest, phrase, word in zip(fill, phrases, astray)]
    return [" ".join(words) for words in texts], topics


texts, topics = corpus()
seen, unseen, y_seen, y_unseen = train_test_split(texts, topics, random_state=0, stratify=topics)
vectorizer = CountVectorizer()
X, X_unseen = vectorizer.fit_transform(seen), vectorizer.transform(unseen)
selector = SequentialSelector(
    MultinomialNB(), n_features_to_select=20, scoring="accuracy", prior="chi2", warm_up=None, random_state=0
)
selector.fit(X, y_seen)

print(f"{X.shape[0]} texts, {X.shape[1]:,} words; {selector.n_evaluations_:,} subsets in {selector.fit_time_:.1f} s.")
print("Chosen:", *vectorizer.get_feature_names_out()[selector.support_])
chosen = {"all words": slice(None), "20 by chi2": SelectKBest(chi2, k=20).fit(X, y_seen).get_support()}
for name, words in (chosen | {"20 by sSFFS": selector.support_}).items():
    model = MultinomialNB().fit(X[:, words], y_seen)
    print(f"Accuracy on texts never seen, {name}: {model.score(X_unseen[:, words], y_unseen):.3f}")

display = SubsetCurveDisplay.from_selector(selector)
display.figure_.savefig(FOLDER / "text.png", dpi=110, bbox_inches="tight")
