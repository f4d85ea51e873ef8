"""What every learner, memory, retrieval, transform and flow must pass: ours and yours.

Each check takes a function that makes the part anew and raises AssertionError with a sentence if a
promise is broken. `check_flow`, `check_memory`, `check_retrieval`, `check_transform` and
`check_learner` run all of their kind:

    import evoreplay as ev
    from evoreplay.checks import check_flow
    check_flow(lambda: MyFlow(steps=3))

For parameterised tests the single checks are in FLOW_CHECKS, MEMORY_CHECKS, RETRIEVAL_CHECKS,
TRANSFORM_CHECKS and LEARNER_CHECKS.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from evoreplay.errors import UserError, require
from evoreplay.learners import Learner
from evoreplay.learners.context import StepContext, StreamStep
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.memory import ReservoirMemory
from evoreplay.models import split_at
from evoreplay.parts import Evolution, Memory, Retrieval, Transform, settings_of
from evoreplay.random_state import seeded_random_state

MakeFlow = Callable[[], Evolution]
MakeMemory = Callable[[], Memory]
MakeRetrieval = Callable[[], Retrieval]
MakeTransform = Callable[[], Transform]
MakeLearner = Callable[[nn.Module], Learner]

CLASSES = 4
LAYERS = (None, "1", "3")
"""Where examples evolve in the checks: the input, and two layers of the example model."""
WIDTH = 16
"""Of these layers."""


def example_model() -> nn.Module:
    """A small network with all that a learner has to leave alone: BatchNorm and dropout."""
    with seeded_random_state(3, torch.device("cpu")):
        return nn.Sequential(
            nn.Flatten(),
            nn.Linear(12, 16),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(16, CLASSES),
        )


def example_batch(number: int = 0, size: int = 5) -> tuple[Tensor, Tensor]:
    """Batch `number` of a small stream of uint8 images."""
    generator = seeded(1000 + number)
    x = torch.randint(256, (size, 1, 3, 4), generator=generator, dtype=torch.uint8)
    return x, torch.randint(CLASSES, (size,), generator=generator)


def seeded(seed: int) -> torch.Generator:
    """A generator of its own."""
    return torch.Generator().manual_seed(seed)


def example_context(memory: Memory, seed: int = 0, layer: str | None = None) -> StepContext:
    """What a learner would hand to a part beside this memory; the input or a layer evolves."""
    model = example_model()
    space = None if layer is None else split_at(model, layer)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = example_batch(99)
    stream = StreamStep(model, optimizer, scaled_to_unit_range(x), y)
    return StepContext(model, scaled_to_unit_range, memory, stream, seeded(seed), space=space)


def example_memory(count: int, layer: str | None) -> ReservoirMemory:
    """So many examples, one of them written to where it evolves."""
    memory = ReservoirMemory(30)
    memory.add(*example_batch(0, size=count))
    memory.write(
        torch.tensor([0]), torch.ones(1, 1, 3, 4) if layer is None else torch.ones(1, WIDTH)
    )
    return memory


def quadratic(x: Tensor) -> Tensor:
    """The gradient of |x|^2 / 2."""
    return x


def same(a: Any, b: Any) -> bool:
    """Whether two states are equal to the last bit."""
    if isinstance(a, Tensor):
        return isinstance(b, Tensor) and a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def particles_keep_shape_type_and_the_input_stays(make: MakeFlow) -> None:
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(6, 2, 3, generator=seeded(0), dtype=dtype)
        before = x.clone()
        moved = make().evolve(x, quadratic, generator=seeded(1))
        assert moved.shape == x.shape and moved.dtype == dtype, "evolve changed shape or type"
        assert torch.equal(x, before), "evolve changed its input in place"
        assert bool(torch.isfinite(moved).all()), "evolve gave values that are not finite"
        assert not moved.requires_grad, "evolved particles drag a graph along"


def the_same_generator_gives_the_same_bytes(make: MakeFlow) -> None:
    x = torch.randn(6, 3, generator=seeded(0))
    first, second = (make().evolve(x, quadratic, generator=seeded(1)) for _ in range(2))
    assert torch.equal(first, second), "two evolutions with equal generators differ"


def the_global_random_state_is_left_alone(make: MakeFlow) -> None:
    before = torch.get_rng_state()
    make().evolve(torch.ones(3, 2), quadratic, generator=seeded(0))
    assert torch.equal(before, torch.get_rng_state()), "the flow drew from the global state"


def an_empty_batch_and_a_single_particle_are_fine(make: MakeFlow) -> None:
    for count in (0, 1):
        x = torch.ones(count, 3)
        assert make().evolve(x, quadratic, generator=seeded(0)).shape == x.shape


def a_flow_starts_where_its_state_says(make: MakeFlow) -> None:
    flow, other = make(), make()
    flow.evolve(torch.ones(3, 2), quadratic, generator=seeded(0))
    other.load_state_dict(flow.state_dict())
    assert same(flow.state_dict(), other.state_dict()), "load_state_dict lost something"


def a_memory_holds_what_it_was_offered_and_no_more_than_fits(make: MakeMemory) -> None:
    memory, offered = make(), set()
    context = example_context(memory, layer=LAYERS[1])
    for number in range(12):
        x, y = example_batch(number)
        memory.add(x, y, context)
        offered |= {(bytes(a.flatten().tolist()), int(b)) for a, b in zip(x, y, strict=True)}
        assert len(memory) <= memory.capacity, "more is held than the capacity"
        got = memory.gather(torch.arange(len(memory)))
        assert got.x.dtype == x.dtype, "examples changed their type"
        held = {(bytes(a.flatten().tolist()), int(b)) for a, b in zip(got.x, got.y, strict=True)}
        assert held <= offered, "something is held that never came, or with another label"


def an_empty_batch_changes_nothing(make: MakeMemory) -> None:
    memory = make()
    context = example_context(memory)
    memory.add(*example_batch(0), context)
    before = memory.state_dict()
    x, y = example_batch(1)
    memory.add(x[:0], y[:0], context)
    assert same(before, memory.state_dict()), "an empty batch changed the memory"


def what_is_held_does_not_change_with_the_callers_tensors(make: MakeMemory) -> None:
    memory = make()
    x, y = example_batch(0)
    memory.add(x, y, example_context(memory))
    before = memory.gather(torch.arange(len(memory))).x
    x.zero_()
    memory.gather(torch.arange(len(memory))).x.zero_()
    after = memory.gather(torch.arange(len(memory))).x
    assert torch.equal(before, after), "the memory shares its examples with the caller"


def a_written_delta_is_read_again_beside_the_raw_example(make: MakeMemory) -> None:
    memory = make()
    memory.add(*example_batch(0), example_context(memory))
    raw, slots = memory.gather(torch.tensor([0])), torch.tensor([0])
    delta = torch.full((1, *raw.x.shape[1:]), 0.001)
    memory.write(slots, delta)
    got = memory.gather(slots)
    assert got.delta is not None and torch.equal(got.delta, delta), "the delta was lost"
    assert torch.equal(got.x, raw.x), "a write changed the raw example"
    assert int(got.writes[0]) == int(raw.writes[0]) + 1, "the write was not counted"


def a_memory_continues_from_its_state(make: MakeMemory) -> None:
    memory, other = make(), make()
    context = example_context(memory)
    for number in range(6):
        memory.add(*example_batch(number), context)
    memory.write(torch.tensor([0]), torch.ones(1, 1, 3, 4))
    other.load_state_dict(memory.state_dict())
    assert same(memory.state_dict(), other.state_dict()), "load_state_dict lost something"
    other_context = example_context(other)
    other_context.generator.set_state(context.generator.get_state())
    for number in range(6, 12):
        memory.add(*example_batch(number), context)
        other.add(*example_batch(number), other_context)
    assert same(memory.state_dict(), other.state_dict()), "the copy went another way"


def retrieved_slots_exist_and_none_comes_twice(make: MakeRetrieval) -> None:
    for count, layer in product((1, 2, 7, 30), LAYERS):
        memory = example_memory(count, layer)
        chosen = make().select(memory, example_context(memory, layer=layer))
        assert chosen.dtype == torch.int64, "slots are not int64"
        assert 1 <= len(chosen) <= count, "nothing, or more than is held, was retrieved"
        assert int(chosen.min()) >= 0 and int(chosen.max()) < count, "a slot is empty"
        assert len(set(chosen.tolist())) == len(chosen), "a slot came twice"


def retrieval_depends_on_its_generator_alone(make: MakeRetrieval) -> None:
    before = torch.get_rng_state()
    for layer in LAYERS:
        memory = example_memory(30, layer)
        contexts = [example_context(memory, 4, layer) for _ in range(2)]
        first, second = (make().select(memory, context) for context in contexts)
        assert torch.equal(first, second), "equal generators gave different slots"
    assert torch.equal(before, torch.get_rng_state()), "retrieval drew from the global state"


def a_transform_keeps_labels_slots_and_shape(make: MakeTransform) -> None:
    for layer in LAYERS:
        memory = example_memory(8, layer)
        context = example_context(memory, layer=layer)
        before = context.examples(torch.tensor([3, 1, 6]))
        inputs = before.inputs.clone()
        after = make().apply(before, context)
        assert torch.equal(after.labels, before.labels), "a transform changed labels"
        assert torch.equal(after.indices, before.indices), "a transform changed slots"
        assert after.inputs.shape == before.inputs.shape, "a transform changed the shape"
        assert torch.equal(before.inputs, inputs), "a transform changed its batch in place"
        for found in (after.inputs, after.shift):
            finite = found is None or bool(torch.isfinite(found).all())
            assert finite, "a transform gave values that are not finite"


def a_transform_depends_on_its_generator_alone_and_leaves_the_model(make: MakeTransform) -> None:
    world = torch.get_rng_state()
    for layer in LAYERS:
        found = []
        for _ in range(2):
            memory = example_memory(8, layer)
            context = example_context(memory, 4, layer)
            model = {name: value.clone() for name, value in context.model.state_dict().items()}
            found.append(make().apply(context.examples(torch.tensor([3, 1, 6])), context))
            assert same(model, dict(context.model.state_dict())), "a transform changed the model"
        pairs = ((b.inputs, b.shift) for b in found)
        assert same(*pairs), "equal generators gave different examples"
    assert torch.equal(world, torch.get_rng_state()), "a transform drew from the global state"


def a_learner_learns_without_touching_global_randomness(make: MakeLearner) -> None:
    learner = make(example_model())
    before = torch.get_rng_state()
    weights = [p.clone() for p in learner.model.parameters()]
    for number in range(4):
        learner.observe(*example_batch(number))
    learner.predict(example_batch(9)[0])
    assert torch.equal(before, torch.get_rng_state()), "the learner drew from the global state"
    moved = [
        not torch.equal(a, b) for a, b in zip(weights, learner.model.parameters(), strict=True)
    ]
    assert any(moved), "nothing was learned"


def prediction_is_pure(make: MakeLearner) -> None:
    learner = make(example_model())
    learner.observe(*example_batch(0))
    x, _ = example_batch(7, size=9)
    before, modes = learner.state_dict(), [m.training for m in learner.model.modules()]
    labels = learner.predict(x)
    probabilities = learner.predict_proba(x)
    assert labels.shape == (9,) and probabilities.shape == (9, CLASSES)
    assert torch.equal(probabilities.argmax(dim=1), labels), "predict and predict_proba disagree"
    assert same(before, learner.state_dict()), "predict changed the learner"
    assert modes == [m.training for m in learner.model.modules()], "predict changed a mode"


def equal_seeds_give_equal_bytes(make: MakeLearner) -> None:
    first, second = make(example_model()), make(example_model())
    for number in range(5):
        assert first.observe(*example_batch(number)) == second.observe(*example_batch(number))
    assert same(first.state_dict(), second.state_dict()), "two equal learners differ"


def a_saved_learner_continues_with_the_same_bytes(make: MakeLearner) -> None:
    learner, other = make(example_model()), make(example_model())
    for number in range(4):
        learner.observe(*example_batch(number))
    with tempfile.TemporaryDirectory() as folder:
        learner.save(folder)
        roles = ("memory", "retrieval", "evolution", "energy")
        parts = {role: getattr(other, role, None) for role in roles}
        own = {r: p for r, p in parts.items() if p is not None and settings_of(p) is None}
        other = type(learner).load(folder, model=other.model, optimizer=other.optimizer, **own)
    for number in range(4, 8):
        learner.observe(*example_batch(number))
        other.observe(*example_batch(number))
    assert same(learner.state_dict(), other.state_dict()), "the loaded learner went another way"


def batches_of_one_and_of_any_size_are_taken(make: MakeLearner) -> None:
    learner = make(example_model())
    for number, size in enumerate((1, 1, 7, 1, 3)):
        learner.observe(*example_batch(number, size=size))
    finite = [bool(torch.isfinite(p).all()) for p in learner.model.parameters()]
    assert all(finite), "the parameters are no longer finite"


def bad_batches_are_refused_and_leave_no_trace(make: MakeLearner) -> None:
    learner = make(example_model())
    learner.observe(*example_batch(0))
    before = learner.state_dict()
    x, y = example_batch(1)
    bad = [
        (x, y + CLASSES),
        (x, y - CLASSES),
        (x[:0], y[:0]),
        (x, y[:-1]),
        (x, y.float()),
        (x[:, :, :2], y),
        (x.float(), y),
    ]
    for inputs, labels in bad:
        try:
            learner.observe(inputs, labels)
        except UserError:
            continue
        raise AssertionError(f"inputs {tuple(inputs.shape)} with labels {labels} were taken")
    assert same(before, learner.state_dict()), "a refused batch changed the learner"


FLOW_CHECKS: tuple[Callable[[MakeFlow], None], ...] = (
    particles_keep_shape_type_and_the_input_stays,
    the_same_generator_gives_the_same_bytes,
    the_global_random_state_is_left_alone,
    an_empty_batch_and_a_single_particle_are_fine,
    a_flow_starts_where_its_state_says,
)
MEMORY_CHECKS: tuple[Callable[[MakeMemory], None], ...] = (
    a_memory_holds_what_it_was_offered_and_no_more_than_fits,
    an_empty_batch_changes_nothing,
    what_is_held_does_not_change_with_the_callers_tensors,
    a_written_delta_is_read_again_beside_the_raw_example,
    a_memory_continues_from_its_state,
)
RETRIEVAL_CHECKS: tuple[Callable[[MakeRetrieval], None], ...] = (
    retrieved_slots_exist_and_none_comes_twice,
    retrieval_depends_on_its_generator_alone,
)
TRANSFORM_CHECKS: tuple[Callable[[MakeTransform], None], ...] = (
    a_transform_keeps_labels_slots_and_shape,
    a_transform_depends_on_its_generator_alone_and_leaves_the_model,
)
LEARNER_CHECKS: tuple[Callable[[MakeLearner], None], ...] = (
    a_learner_learns_without_touching_global_randomness,
    prediction_is_pure,
    equal_seeds_give_equal_bytes,
    a_saved_learner_continues_with_the_same_bytes,
    batches_of_one_and_of_any_size_are_taken,
    bad_batches_are_refused_and_leave_no_trace,
)


def _run(checks: Sequence[Callable[[Any], None]], make: object) -> None:
    require(callable(make), f"{make!r} is made already; give its class, or a function making one")
    for check in checks:
        check(make)


def check_flow(make: MakeFlow) -> None:
    """Run every check of a flow."""
    _run(FLOW_CHECKS, make)


def check_memory(make: MakeMemory) -> None:
    """Run every check of a memory with room for at least five examples."""
    _run(MEMORY_CHECKS, make)


def check_retrieval(make: MakeRetrieval) -> None:
    """Run every check of a retrieval."""
    _run(RETRIEVAL_CHECKS, make)


def check_transform(make: MakeTransform) -> None:
    """Run every check of a transform."""
    _run(TRANSFORM_CHECKS, make)


def check_learner(make: MakeLearner) -> None:
    """Run every check of a learner, which `make` builds around the model it is given."""
    _run(LEARNER_CHECKS, make)
