"""Engines that propose a mask of the animal from points, a box, words or an earlier mask."""
