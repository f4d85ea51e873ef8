"""Markup from plain text: whatever comes from outside is escaped, once, here."""

from __future__ import annotations

from html import escape

VOID = frozenset({"br", "img", "link", "meta"})
"""Elements that have no end tag."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str | None, **attributes: object) -> Html:
    """`<name attributes>children</name>`, for HTML and SVG alike.

    Children that are not `Html` are escaped. `class_` stands for class and `data_value` for
    data-value; an attribute that is None or False is left out, one that is True has no value.
    """
    start = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(start) if name in VOID else Html(f"{start}{joined(*children)}</{name}>")


def joined(*children: str | None, between: str = "") -> Html:
    """Children one after the other, text escaped."""
    parts = (c if isinstance(c, Html) else Html(escape(c)) for c in children if c is not None)
    return Html(between.join(parts))


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
