"""Who may come in, from where, and with how much."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ontomask.base.drafts import DraftFolder
from ontomask.errors import OntomaskError
from ontomask.web.gate import BASE
from ontomask.web.server import check_address

from support.asgi import Client
from support.errors import raises
from support.workbenches import HOST, HOSTILE, Desk, small_csv


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path).enter()


def test_nothing_is_shown_without_the_cookie(tmp_path):
    desk = Desk(tmp_path)
    for path in ("/", "/w/x/table", "/static/app.js", "/w/x/files/private"):
        assert desk.client.get(path).status == 403
    assert desk.client.get("/?token=wrong").status == 403
    assert desk.client.cookies == {}


def test_the_token_works_once_and_becomes_a_cookie(tmp_path):
    desk = Desk(tmp_path)
    token = desk.gate.token
    answer = desk.client.get(f"/?token={token}")
    flags = {flag.strip().lower() for flag in answer.headers["set-cookie"].split(";")[1:]}
    assert flags == {"httponly", "samesite=strict", f"path={BASE.lower()}"}
    assert desk.client.get("/").status == 200
    other = Client(desk.gate, HOST, BASE)
    assert other.get("/").status == 403
    # Whoever sees the terminal gets a new token, once.
    assert other.get("/").status == 403
    assert len(desk.announced) == 1
    assert desk.announced[0] == desk.gate.token != token
    assert other.get(f"/?token={desk.announced[0]}").status == 200
    assert other.get("/").status == 200


def test_a_token_that_is_used_twice_ends_all_sessions(tmp_path):
    desk = Desk(tmp_path).enter()
    token, thief = desk.announced, Client(desk.gate, HOST, BASE)
    used = desk.gate._used
    assert desk.client.get("/").status == 200
    assert thief.get(f"/?token={used}").status == 403
    # Whichever of the two was the owner sees the new token in the terminal, and the other has nothing.
    assert desk.client.get("/").status == 403
    assert thief.get("/").status == 403
    assert len(token) == 1
    assert token[0] == desk.gate.token != used
    assert desk.client.get(f"/?token={token[0]}").status == 200
    assert desk.client.get("/").status == 200
    assert thief.get(f"/?token={used}").status == 403
    assert desk.client.get("/").status == 200


def test_the_cookie_is_sent_to_a_path_that_nobody_can_guess(desk):
    """A server on another port of this machine gets cookies of 127.0.0.1, but only those of paths it can name."""
    assert len(BASE) > 20
    client = Client(desk.gate, HOST)
    client.cookies = desk.client.cookies
    for path in ("/", "/w/x/table", "/static/app.js", f"{BASE}x/", BASE):
        assert client.get(path).status == 403
    assert client.get(f"{BASE}/").status == 200


def test_odd_cookies_of_other_programs_do_not_lock_the_owner_out(desk):
    ours = "; ".join(f"{name}={value}" for name, value in desk.client.cookies.items())
    for other in ('x={"a":1}', 'x="open', "=;;", "x", f"{desk.gate.cookie}=old"):
        assert desk.client.get("/", cookie=f"{other}; {ours}").status == 200


@pytest.mark.parametrize("host", ["evil.example:8000", "127.0.0.1:8001", "127.0.0.1", "localhost.evil:8000", ""])
def test_other_names_of_this_machine_get_nothing(desk, host):
    assert desk.client.get("/", host=host).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:8001", "https://127.0.0.1:8000", ""]
)
def test_forms_of_other_sites_are_refused(desk, origin):
    before = list(desk.workspaces)
    assert desk.client.post("/example", origin=origin).status == 403
    assert list(desk.workspaces) == before


def test_a_browser_that_says_cross_site_is_refused(desk):
    assert desk.client.post("/example", sec_fetch_site="cross-site").status == 403
    assert desk.client.post("/example", sec_fetch_site="same-site").status == 403


def test_every_answer_has_the_headers(desk):
    answers = [desk.client.get(path) for path in ("/", "/static/app.css", "/w/none/table", "/nowhere")]
    answers.append(Client(desk.gate, HOST).get("/"))
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_uploads_are_limited_while_they_arrive(tmp_path):
    desk = Desk(tmp_path, max_upload=10_000).enter()
    headers = {"origin": f"http://{HOST}", "x-format": ".csv"}
    said = desk.client.ask("POST", "/upload", [b"a" * 20_000], {**headers, "content-length": "20000"})
    # Without a length, or with a wrong one, the bytes themselves count.
    counted = desk.client.ask("POST", "/upload", [b"a" * 6_000] * 3, headers)
    lied = desk.client.ask("POST", "/upload", [b"a" * 6_000] * 3, {**headers, "content-length": "10"})
    assert [said.status, counted.status, lied.status] == [413, 413, 413]
    assert list(desk.workspaces) == []
    assert list(tmp_path.iterdir()) == []


def test_forms_are_limited_more_than_uploads(desk):
    assert desk.client.post("/open", b"path=" + b"a" * (5 << 20)).status == 413


def test_names_of_the_client_become_no_paths(desk, tmp_path):
    work = desk.upload(small_csv(), label="..%2F..%2Fetc%2Fpasswd")
    assert sorted(path.name for path in work.folder.iterdir()) == ["job.toml", "table.csv"]
    assert work.label == "../../etc/passwd"
    for extension in ("", "/../x.csv", ".csv/../../x", ".exe", "csv", "." + "a" * 99):
        answer = desk.client.post("/upload", b"a,b\n1,2\n", x_format=extension)
        assert answer.status == 422, extension
    assert {path.stat().st_mode & 0o777 for path in work.folder.iterdir()} == {0o600}
    assert work.folder.stat().st_mode & 0o777 == 0o700


def test_closing_deletes_the_files(desk):
    work = desk.upload(small_csv())
    assert desk.client.post(f"/w/{work.id}/close").status == 200
    assert not work.folder.exists()
    assert desk.client.get(f"/w/{work.id}/table").status == 404


def test_paths_are_not_opened_for_others(tmp_path):
    (tmp_path / "t.csv").write_text(small_csv())
    (tmp_path / "root").mkdir()
    desk = Desk(tmp_path / "root", paths=False).enter()
    assert desk.client.post("/open", {"path": str(tmp_path / "t.csv")}).status == 422
    assert list(desk.workspaces) == []


def test_a_fault_shows_and_prints_no_data(desk, capsys, monkeypatch):
    work = desk.upload(small_csv())

    def fail(workspace, form):
        raise ValueError("sec" + "ret cell")

    monkeypatch.setitem(__import__("ontomask.web.pages", fromlist=["PAGES"]).PAGES["table"].ACTIONS, "confirm", fail)
    answer = desk.client.post(f"/w/{work.id}/table/confirm")
    printed = capsys.readouterr()
    assert answer.status == 500
    assert "secret" not in answer.text + printed.out + printed.err
    assert "ValueError" in printed.err


def test_hosts_that_others_reach_need_tls_and_a_word(tmp_path):
    check_address("127.0.0.1", i_know=False, certificate=None, key=None)
    check_address("::1", i_know=False, certificate=None, key=None)
    for host in ("0.0.0.0", "192.168.1.2", "example.org", "::"):
        with raises(OntomaskError, code="not-loopback"):
            check_address(host, i_know=False, certificate=None, key=None)
        with raises(OntomaskError, code="not-loopback"):
            check_address(host, i_know=True, certificate=None, key=None)
    pem = tmp_path / "x.pem"
    pem.write_text("not a certificate")
    with raises(OntomaskError, code="tls"):
        check_address("192.168.1.2", i_know=True, certificate=pem, key=pem)
    with raises(OntomaskError, code="tls"):
        check_address("127.0.0.1", i_know=False, certificate=pem, key=None)


def test_the_next_start_deletes_what_a_killed_server_left(tmp_path):
    code = (
        "import sys, pathlib, os\nfrom ontomask.base.drafts import DraftFolder\n"
        "from ontomask.web.workspaces import Workspaces\n"
        "made = DraftFolder.create(pathlib.Path(sys.argv[1]))\n"
        "work = Workspaces(made.path).create()\n(work.folder / 'table.csv').write_text('a')\nos._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o777 == 0o700
    DraftFolder.create(tmp_path).remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_command_serves_and_cleans_up(tmp_path, monkeypatch, signal_, code):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tempfile.tempdir = None
    command = [sys.executable, "-m", "ontomask", "web", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("Open http://127.0.0.1:")
        assert len(list(tmp_path.glob(".ontomask-*"))) == 1
        server.send_signal(signal_)
        assert server.wait(20) == code
    assert list(tmp_path.glob(".ontomask-*")) == []
    tempfile.tempdir = None


def test_labels_and_addresses_hold_no_data(desk, capsys):
    work = desk.upload(small_csv(), label="table")
    page = desk.show(work, "roles")
    addresses = [part.split('"')[0] for part in page.text.split('href="')[1:] + page.text.split('action="')[1:]]
    for word in ("headache", "town", "Ely", "income"):
        assert not any(word in address for address in addresses)
    assert "headache" not in "".join(capsys.readouterr())
    assert HOSTILE not in page.text
