"""What the tests of the page read it with: its tags, the data packed in it, and a visit by a browser."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

HOSTILE = '<img src=x onerror="window.broken=1"></script><script>window.broken=2</script>&amp; \u2028'


class Tags(HTMLParser):
    """The tags of a page and the texts of its data."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def packed_data(page: Path) -> Any:
    """What the page unpacks when it is asked for."""
    text = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page.read_text(encoding="utf-8"))
    assert text is not None
    return json.loads(zlib.decompress(base64.b64decode(text[1])))


class Visit:
    """A page open in a browser, with all it complains about and asks for."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light", script: bool = True) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=script
        )
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        if script:
            self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def hear(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []
