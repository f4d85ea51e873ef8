"""Fine-tuning: the stream loss alone. It forgets; every method is measured against that."""

from __future__ import annotations

from torch import Tensor

from evoreplay.learners.learner import Learner
from evoreplay.learners.step import Step


class FineTuningLearner(Learner):
    """`updates` optimiser steps on each incoming batch, and no memory."""

    def _learn(self, x: Tensor, y: Tensor) -> Step:
        inputs, labels = self._prepared(x), y.to(self.device)
        if not self._trainable(inputs):
            return Step(stream_loss=None)
        for _ in range(self.updates):
            with self.watch("stream"):
                self.optimizer.zero_grad(set_to_none=True)
                loss = self._loss(inputs, labels)
                loss.backward()
            with self.watch("update"):
                self._step_optimizer({"stream loss": loss})
        return Step(stream_loss=float(loss.detach()))
