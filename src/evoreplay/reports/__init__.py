"""Tables and pictures of streams and runs."""
