"""Drive a real Chromium through its debugging pipe. It needs nothing but the browser.

Every address that the browser asks for is recorded, so that tests can prove that a page asks nobody else.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

__all__ = ["Chromium", "Page", "find_chromium"]

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--remote-debugging-pipe",
)
_KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "Space": (32, " ")}


def find_chromium() -> str | None:
    """The path of a Chromium on this machine."""
    named = os.environ.get("ONTOMASK_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    """A browser process with an empty profile.

    Attributes
    ----------
    events
        What the browser reported.
    home
        The address that tests begin at.
    """

    def __init__(self, binary: str, profile: Path) -> None:
        from_us, to_browser = os.pipe()
        to_us, from_browser = os.pipe()

        def connect() -> None:
            # The browser reads file 3 and writes file 4. Both ends move out of the way first.
            reading, writing = os.dup(from_us), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            [binary, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(from_browser)
        self._write, self._read = to_browser, to_us
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []
        self.home = ""

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its answer."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 60
        while True:
            for found in self._receive(until):
                if found.get("id") == number:
                    if "error" in found:
                        raise RuntimeError(f"{method}: {found['error']['message']}")
                    result: dict[str, Any] = found["result"]
                    return result
                self.events.append(found)

    def _receive(self, until: float) -> list[dict[str, Any]]:
        if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError("Chromium does not answer.")
        block = os.read(self._read, 1 << 20)
        if not block:
            raise RuntimeError("Chromium has ended.")
        *whole, self._buffer = (self._buffer + block).split(b"\0")
        return [json.loads(message) for message in whole]

    def page(self, width: int = 1280, height: int = 900) -> Page:
        """Open a tab."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "DOM", "Log"):
            page.send(f"{domain}.enable")
        page.resize(width, height)
        return page

    def close(self) -> None:
        """End the browser."""
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(10)
        os.close(self._write)
        os.close(self._read)


class Page:
    """A tab."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser, self._session = browser, session

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol in this tab."""
        return self._browser.send(method, self._session, **parameters)

    def _events(self, method: str) -> list[dict[str, Any]]:
        self.evaluate("0")
        mine = [e for e in self._browser.events if e.get("sessionId") == self._session]
        return [event["params"] for event in mine if event["method"] == method]

    @property
    def requests(self) -> list[str]:
        """Every address that this tab has asked for."""
        return [event["request"]["url"] for event in self._events("Network.requestWillBeSent")]

    @property
    def faults(self) -> list[str]:
        """Exceptions of scripts and violations of the content security policy."""
        thrown = [e["exceptionDetails"]["text"] for e in self._events("Runtime.exceptionThrown")]
        logged = [e["entry"] for e in self._events("Log.entryAdded")]
        return thrown + [entry["text"] for entry in logged if entry["source"] in ("security", "javascript")]

    @property
    def dialogs(self) -> int:
        """How many dialogs a script has opened."""
        return len(self._events("Page.javascriptDialogOpening"))

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, on: bool) -> None:
        """Prefer a dark theme, or a light one."""
        value = "dark" if on else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def go(self, url: str) -> None:
        """Load an address and wait for it."""
        before = self.evaluate("performance.timeOrigin")
        self.send("Page.navigate", url=url)
        self.wait(f"performance.timeOrigin !== {before} && document.readyState === 'complete'")

    def reload(self) -> None:
        """Load the page again."""
        self.go(self.evaluate("location.href"))

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = 60) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                # Not the value itself, which may be an element.
                if self.evaluate(f"!!({script})"):
                    return
            except RuntimeError:
                pass  # the page is being replaced
            time.sleep(0.05)
        shown = self.evaluate("document.body ? document.body.innerText.slice(0, 2000) : ''")
        raise TimeoutError(f"This did not become true: {script}\nThe page shows:\n{shown}")

    def wait_for(self, selector: str, seconds: float = 60) -> None:
        """Wait for an element."""
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null", seconds)

    def has(self, selector: str) -> bool:
        """Whether there is such an element."""
        return bool(self.evaluate(f"document.querySelector({json.dumps(selector)}) !== null"))

    def text(self, selector: str = "main") -> str:
        """The visible text of an element."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click on an element with the mouse."""
        self.wait_for(selector)
        find = f"document.querySelector({json.dumps(selector)})"
        x, y = self.evaluate(
            f"(() => {{ const e = {find}; e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_text(self, text: str, selector: str = "button, a.button") -> None:
        """Click on the button with a text."""
        find = (
            f"[...document.querySelectorAll({json.dumps(selector)})].find(e => e.innerText.trim().startsWith("
            f"{json.dumps(text)}))"
        )
        self.wait(f"!!({find})")
        self.evaluate(f"{find}.setAttribute('data-test', 'here')")
        self.click("[data-test='here']")
        self.evaluate("document.querySelector(\"[data-test='here']\")?.removeAttribute('data-test')")

    def fill(self, selector: str, text: str) -> None:
        """Type a text into a field, instead of what is there."""
        self.wait_for(selector)
        self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select(); }})()"
        )
        self.send("Input.insertText", text=text)

    def choose(self, selector: str, value: str) -> None:
        """Choose an option of a list."""
        self.wait_for(selector)
        self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.value = "
            f"{json.dumps(value)}; e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )

    def press(self, key: str) -> None:
        """Press a key."""
        code, text = _KEYS[key]
        name = " " if key == "Space" else key
        common = {"key": name, "code": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def upload(self, selector: str, path: Path) -> None:
        """Choose a file in a file field."""
        self.wait_for(selector)
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def screenshot(self, *, whole: bool = False) -> bytes:
        """A picture of the window, or of the whole page, as PNG."""
        options: dict[str, Any] = {"captureBeyondViewport": whole}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **options)["data"])

    def close(self) -> None:
        """Close the tab."""
        self.send("Page.close")
