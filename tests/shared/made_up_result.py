"""The parts of a result.json that say which run it is of."""

from evoreplay.running.config import as_dict, config_hash


def about(config):
    """What a run writes of itself before it says what was measured."""
    return {
        "dataset": config.dataset,
        "subset": None,
        "method": config.method,
        "recipe": config.recipe,
        "seed": config.seed,
        "scale": config.scale,
        "config": as_dict(config),
        "config_hash": config_hash(config),
    }
