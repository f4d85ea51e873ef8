"""Accuracy under attack during a run, not only at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from evoreplay.attacks import ProjectedGradient
from evoreplay.errors import require
from evoreplay.learners import Learner
from evoreplay.random_state import named_generator
from evoreplay.running.attacking import (
    CHUNK,
    chosen_images,
    correct_positions,
    in_pixels,
    require_pixels,
    stoppable,
)
from evoreplay.running.config import Config
from evoreplay.running.interruption import StopRequest
from evoreplay.running.setup import Experiment

ATTACK = ProjectedGradient(eps=4 / 255)


class RobustnessAlongStream:
    """Attacks a learner at the end of each segment, on test images of the classes that came.

    The learner does not notice: nothing in it changes, and the generator is one of its own, begun
    anew each time so that the moments are compared on equal starts.
    """

    def __init__(
        self,
        config: Config,
        experiment: Experiment,
        stop: StopRequest,
        saved: Sequence[dict[str, Any]] = (),
    ) -> None:
        there = sum(len(segment) for segment in experiment.test.segments)
        require(
            0 <= config.attacked <= there,
            f"attacked is {config.attacked}, and there are {there} test images; "
            "give 0 (off) or a number up to that",
        )
        if config.attacked > 0:
            require_pixels(experiment.dataset)
        self._config, self._experiment, self._stop = config, experiment, stop
        self.done = list(saved)
        """Batch, clean accuracy, eps and accuracy under attack, for each moment."""

    def measure(
        self, learner: Learner, position: int, seen_classes: Sequence[int]
    ) -> dict[str, Any] | None:
        """What is due after `position` batches; measured twice it counts once."""
        ends = self._experiment.stream.segment_ends
        if self._config.attacked == 0 or position not in ends or not seen_classes:
            return None
        if any(moment["batch"] == position for moment in self.done):
            return None
        test = self._experiment.test
        indices = torch.cat(test.segments)
        seen = torch.isin(test.y[indices], torch.tensor(seen_classes))
        images = chosen_images(test, self._config.attacked, indices[seen])
        model = in_pixels(learner.model)
        generator = named_generator(self._config.seed, "attack")
        with stoppable(model, self._stop):
            right = correct_positions(model, images)
            standing = 0
            for chunk in right.split(CHUNK):
                x, y = images.x[chunk].to(learner.device), images.y[chunk].to(learner.device)
                found = ATTACK.attack(model, x, y, generator=generator)
                standing += int((~found.fooled).sum())
        moment = {
            "batch": position,
            "clean": len(right) / len(images.y),
            "eps": ATTACK.eps,
            "accuracy": standing / len(images.y),
        }
        # only now, when nothing can interrupt any more
        self.done.append(moment)
        return moment
