"""Many runs: a grid, and ways to work it off."""
