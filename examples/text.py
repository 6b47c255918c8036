"""
Text: which words tell the topic?
=================================

Some 2,800 words, 1,000 texts, five topics. The model that will use the words is known, multinomial naive Bayes, so it
is given to the selector, which computes its cross-validated accuracy without fitting it.
"""

# %%
# Each topic has three phrases, words that come together; most of a text is common words.
import numpy as np
from matplotlib import pyplot as plt
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB

from sweepless import SequentialSelector
from sweepless.reports import SubsetCurveDisplay

TOPICS = {
    "cooking": ["oven butter flour pan", "garlic onion simmer broth", "knead dough yeast crust"],
    "sailing": ["mast sail wind rope", "harbour tide anchor buoy", "keel rudder hull deck"],
    "space": ["orbit probe rocket launch", "comet dust tail lens", "crater moon eclipse shadow"],
    "chess": ["pawn bishop rook knight", "gambit opening center tempo", "endgame clock draw zugzwang"],
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

# %%
# The counts stay sparse. The ranking of all words by chi2 is where the search begins to look.
selector = SequentialSelector(
    MultinomialNB(), n_features_to_select=20, scoring="accuracy", prior="chi2", warm_up=None, random_state=0
).fit(X, y_seen)
print(f"{X.shape[0]} texts, {X.shape[1]:,} words; {selector.n_evaluations_:,} subsets valued.")
print("Chosen:", *vectorizer.get_feature_names_out()[selector.support_])

# %%
# chi2 alone takes the loudest words, of which several say the same. The search takes words that complete each other.
chosen = {"all words": slice(None), "20 by chi2": SelectKBest(chi2, k=20).fit(X, y_seen).get_support()}
for name, words in (chosen | {"20 by sSFFS": selector.support_}).items():
    model = MultinomialNB().fit(X[:, words], y_seen)
    print(f"Accuracy on texts never seen, {name}: {model.score(X_unseen[:, words], y_unseen):.3f}")

SubsetCurveDisplay.from_selector(selector)
plt.show()
