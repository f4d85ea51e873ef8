import numpy as np
import pytest
import torch

from evoreplay import MLP, FineTuningLearner
from evoreplay.adapters.labels import Labels, as_inputs, probabilities


def test_a_new_label_gets_the_next_output_and_a_known_one_keeps_its_own():
    labels = Labels().extended(["cat", "dog", "cat"]).extended(["ant", "dog"])
    assert labels.values == ("cat", "dog", "ant")
    assert labels.indices(["ant", "cat", "cat"]).tolist() == [2, 0, 0]
    assert len(labels) == 3


def test_labels_are_not_changed_by_what_comes_after():
    before = Labels().extended([7])
    before.extended([8])
    assert before.values == (7,)
    with pytest.raises(KeyError):
        before.indices([8])


def test_outputs_without_a_label_cannot_be_predicted_and_the_others_sum_to_one():
    model = MLP(inputs=2, classes=4, hidden=(3,))
    learner = FineTuningLearner(model, torch.optim.SGD(model.parameters(), lr=0.1))
    x = torch.randn(5, 2, generator=torch.Generator().manual_seed(0))
    found = probabilities(learner, x, 2)
    powers = np.exp(learner.logits(x).double().numpy()[:, :2])
    assert found.numpy() == pytest.approx(powers / powers.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("given", "kept"),
    [("uint8", torch.uint8), ("float64", torch.float32), ("int32", torch.float32)],
)
def test_bytes_stay_bytes_and_other_numbers_become_floats_of_their_own(given, kept):
    array = np.array([[1, 2]], dtype=given)
    inputs = as_inputs(array)
    assert inputs.dtype == kept
    inputs[0, 0] = 9
    assert array.tolist() == [[1, 2]]
