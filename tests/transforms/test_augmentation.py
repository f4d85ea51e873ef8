import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evoreplay import Augmentation, ReservoirMemory, UserError
from evoreplay.checks import TRANSFORM_CHECKS, example_batch, example_context


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("check", TRANSFORM_CHECKS, ids=lambda check: check.__name__)
def test_it_passes_the_generic_checks(check):
    check(lambda: Augmentation())


@settings(max_examples=40, deadline=None)
@given(
    channels=st.sampled_from([1, 3]),
    size=st.sampled_from([(28, 28), (32, 32), (84, 84), (20, 31)]),
    seed=st.integers(0, 1000),
    flip=st.booleans(),
)
def test_copies_keep_shape_and_range_and_depend_on_the_generator_alone(channels, size, seed, flip):
    images = torch.rand(4, channels, *size, generator=generator(seed)) * 2 - 1
    augmentation = Augmentation(flip=flip)
    first, second = (augmentation.augmented(images, generator(seed)) for _ in range(2))
    assert torch.equal(first, second)
    assert first.shape == images.shape
    low, high = images.amin(dim=(2, 3), keepdim=True), images.amax(dim=(2, 3), keepdim=True)
    assert bool((first >= low - 1e-5).all() and (first <= high + 1e-5).all())
    assert not torch.equal(first, images)


def test_no_change_asked_for_is_no_change():
    images = torch.rand(3, 1, 28, 28)
    still = Augmentation(flip=False, rotation=0, scale=(1, 1), padding=0)
    torch.testing.assert_close(still.augmented(images, generator()), images, atol=1e-5, rtol=0)


def test_half_of_the_copies_are_mirrored_and_digits_never():
    ramp = torch.linspace(-1, 1, 32).expand(400, 1, 32, 32)
    options = {"rotation": 0, "scale": (1, 1), "padding": 0}
    mirrored = Augmentation(flip=True, **options).augmented(ramp, generator())
    share = float((mirrored[:, 0, 0, 0] > 0).float().mean())
    assert abs(share - 0.5) < 0.1
    assert bool((Augmentation(flip=False, **options).augmented(ramp, generator()) <= 1).all())
    never = Augmentation(flip=False, **options).augmented(ramp, generator())
    assert bool((never[:, 0, 0, 0] < 0).all())


def test_padding_and_cropping_is_a_shift_by_whole_pixels_of_every_size():
    image = torch.zeros(500, 1, 32, 32)
    image[:, :, 16, 16] = 1
    shifted = Augmentation(flip=False, rotation=0, scale=(1, 1)).augmented(image, generator())
    peaks = shifted.flatten(1).argmax(dim=1)
    rows, columns = peaks // 32 - 16, peaks % 32 - 16
    assert set(rows.tolist()) == set(columns.tolist()) == set(range(-4, 5))
    torch.testing.assert_close(shifted.amax(dim=(1, 2, 3)), torch.ones(500), atol=1e-4, rtol=0)


def test_small_images_are_shifted_by_an_eighth_of_their_side_at_most():
    image = torch.zeros(200, 1, 8, 8)
    image[:, :, 4, 4] = 1
    shifted = Augmentation(flip=False, rotation=0, scale=(1, 1)).augmented(image, generator())
    peaks = shifted.flatten(1).argmax(dim=1)
    assert set((peaks // 8 - 4).tolist()) == {-1, 0, 1}


def bilinear(image, row, column):
    """One value of a grey image between pixels, the border repeated."""
    row, column = (
        min(max(v, 0.0), s - 1.0) for v, s in zip((row, column), image.shape, strict=True)
    )
    top, left = math.floor(row), math.floor(column)
    bottom, right = min(top + 1, image.shape[0] - 1), min(left + 1, image.shape[1] - 1)
    down, across = row - top, column - left
    return (
        image[top, left] * (1 - down) * (1 - across)
        + image[top, right] * (1 - down) * across
        + image[bottom, left] * down * (1 - across)
        + image[bottom, right] * down * across
    )


def test_rotation_and_scale_are_a_similarity_of_the_plane_also_on_oblong_images():
    height, width = 12, 20
    image = torch.rand(1, 1, height, width, generator=generator(3), dtype=torch.float64)
    options = {"flip": False, "padding": 0}
    copy = Augmentation(**options).augmented(image, generator(5))[0, 0]
    draws = generator(5)
    angle = math.radians(float(torch.rand(1, generator=draws, dtype=torch.float64)) * 20 - 10)
    scale = 0.8 + 0.4 * float(torch.rand(1, generator=draws, dtype=torch.float64))
    for row in range(height):
        for column in range(width):
            # pixel coordinates around the centre, turned and shrunk by hand
            y, x = row - (height - 1) / 2, column - (width - 1) / 2
            source_x = (math.cos(angle) * x - math.sin(angle) * y) / scale + (width - 1) / 2
            source_y = (math.sin(angle) * x + math.cos(angle) * y) / scale + (height - 1) / 2
            expected = float(bilinear(image[0, 0], source_y, source_x))
            assert abs(float(copy[row, column]) - expected) < 1e-6


def test_large_images_are_cropped_and_resized_within_the_image():
    grid = torch.linspace(0, 1, 84)
    image = torch.stack([grid.expand(84, 84), grid[:, None].expand(84, 84)])
    image = image.expand(300, 2, 84, 84)
    crops = Augmentation(flip=False, rotation=0, scale=(1, 1)).augmented(image, generator())
    spans = crops.amax(dim=(2, 3)) - crops.amin(dim=(2, 3))
    areas = spans.prod(dim=1)
    assert float(areas.min()) < 0.2
    assert float(areas.max()) > 0.8
    ratios = spans[:, 0] / spans[:, 1]
    assert float(ratios.min()) > 0.7
    assert float(ratios.max()) < 1.4


def test_raw_copies_stay_beside_the_augmented_ones_with_the_same_labels():
    memory = ReservoirMemory(10)
    memory.add(*example_batch(0, size=8))
    context = example_context(memory)
    batch = context.examples(torch.arange(4))
    after = Augmentation().apply(batch, context)
    assert torch.equal(after.companions, batch.inputs)
    assert torch.equal(after.labels, batch.labels)
    assert torch.equal(after.anchors, after.inputs)


def test_what_is_no_image_is_refused():
    with pytest.raises(UserError, match="augmentation needs images"):
        Augmentation().augmented(torch.zeros(3, 12), generator())
    with pytest.raises(UserError, match="augmentation needs images"):
        Augmentation().augmented(torch.zeros(3, 1, 4, 4, dtype=torch.int64), generator())


@pytest.mark.parametrize(
    "options", [{"scale": (0, 1)}, {"scale": (2, 1)}, {"rotation": -1}, {"padding": -1}]
)
def test_bad_options_are_refused(options):
    with pytest.raises(UserError):
        Augmentation(**options)
