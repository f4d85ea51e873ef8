"""Charts as inline SVG, images as embedded PNG."""
