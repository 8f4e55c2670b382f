"""Engines that compare columns of likelihoods."""
