"""Learners behind the interfaces of other libraries.

`adapters.scikit_learn.ScikitLearnClassifier` and `adapters.river.RiverClassifier`: import the one
you need. Neither is imported here, because each brings a large package along.
"""
