"""What a person sent: a form of texts."""

from __future__ import annotations

from urllib.parse import parse_qsl

from ontomask.errors import OntomaskError

__all__ = ["Form"]

_MOST_FIELDS = 20_000


class Form:
    """The fields of a form. A field may occur several times.

    >>> form = Form.parse(b"name=age&name=job&k=5")
    >>> form.all("name"), form["k"], form.get("l", "-")
    (['age', 'job'], '5', '-')
    """

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = pairs

    @classmethod
    def parse(cls, body: bytes) -> Form:
        """Read the body of a request."""
        try:
            text = body.decode("ascii")
            return cls(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"))
        except ValueError:
            raise OntomaskError("The form could not be read. Load the page again.", code="bad-form") from None

    def get(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return next((value for key, value in reversed(self.pairs) if key == name), default)

    def __getitem__(self, name: str) -> str:
        found = self.get(name, "\0")
        if found == "\0":
            raise OntomaskError("The form is not complete. Load the page again.", parameter=name, code="bad-form")
        return found

    def all(self, name: str) -> list[str]:
        """All values of a field."""
        return [value for key, value in self.pairs if key == name]

    def has(self, name: str) -> bool:
        """Whether the field was sent, as a ticked box is."""
        return any(key == name for key, _ in self.pairs)

    def position(self, name: str, count: int) -> int:
        """The value of a field as a position in a list of ``count`` entries."""
        text = self[name]
        if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) < count):
            raise OntomaskError("The page is out of date. Load it again.", parameter=name, code="bad-form")
        return int(text)

    def to_dict(self) -> dict[str, str]:
        """The last value of each field."""
        return dict(self.pairs)
