"""Counterfactual retrieval audits of animal re-identification datasets, without a screen."""
