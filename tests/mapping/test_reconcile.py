from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
from urllib.parse import quote, urlencode

import jsonschema
import pytest

import ontomask as om
from ontomask.mapping.reconcile import ReconciliationService, make_server
from ontomask.taxonomy import Annotations

from support import reconciliation_schemas as schemas
from support.errors import raises

EVIL = "<script>alert(1)</script>"
TAXONOMY = om.Taxonomy.from_edges(
    [("C1", "C0"), ("C2", "C0"), ("C3", "C1"), ("C4", "C2"), ("C5", "C1"), ("C6", "C5")],
    {
        "C0": ["thing"],
        "C1": ["animal"],
        "C2": ["person"],
        "C3": ["tiger", "Panthera tigris"],
        "C4": ["tiger", "fierce person"],
        "C5": ["fish", "café fish"],
        "C6": [f"trout {EVIL}", "trout\u2028line"],
    },
    annotations=Annotations(
        name="animals", aliases={"old": {"A-77": ("C5",)}}, glosses={"C3": f"A big cat {EVIL}", "C5": "It swims."}
    ),
)


@pytest.fixture(scope="module")
def server():
    made = make_server(TAXONOMY)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join(5)


class Client:
    """A scripted client that keeps its connection, as OpenRefine does."""

    def __init__(self, server):
        self.port = server.server_port
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def send(self, method, path, body=None, **headers):
        given = {"Host": f"127.0.0.1:{self.port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        self.connection.request(method, path, body, given)
        response = self.connection.getresponse()
        return response, response.read().decode()

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def post(self, **parameters):
        response, text = self.send(
            "POST", "/", urlencode(parameters), Content_Type="application/x-www-form-urlencoded"
        )  # fmt: skip
        assert response.status == 200, text
        return json.loads(text)

    def reconcile(self, queries):
        jsonschema.validate(queries, schemas.QUERIES)
        answer = self.post(queries=json.dumps(queries))
        jsonschema.validate(answer, schemas.RESULTS)
        assert list(answer) == list(queries)
        return {name: one["result"] for name, one in answer.items()}


@pytest.fixture
def client(server):
    made = Client(server)
    yield made
    made.connection.close()


def valid(response_and_text, schema):
    response, text = response_and_text
    assert response.status == 200, text
    assert response.headers["Content-Type"].startswith("application/json")
    found = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    return found


# A session as OpenRefine runs it


def test_a_session_from_the_manifest_to_new_columns(client, server):
    manifest = valid(client.get("/"), schemas.MANIFEST)
    assert manifest["name"] == "animals (ontomask)"
    address = manifest["suggest"]["entity"]["service_url"]
    assert address == server.address

    found = client.reconcile(
        {
            "q0": {"query": "Panthera tigris", "limit": 3},
            "q1": {"query": "tiger"},
            "q2": {"query": "fishs", "type": "C1"},
            "q3": {"query": "firece person"},
            "q4": {"query": "zzz"},
        }
    )
    assert [(c["id"], c["match"]) for c in found["q0"]] == [("C3", True)]
    assert [(c["id"], c["match"], c["score"]) for c in found["q1"]] == [("C3", False, 100.0), ("C4", False, 100.0)]
    assert [c["id"] for c in found["q2"]] == ["C5"]
    assert found["q3"][0]["id"] == "C4"
    assert 50 <= found["q3"][0]["score"] < 100
    assert found["q4"] == []

    entities = valid(client.get(manifest["suggest"]["entity"]["service_path"] + "?prefix=tig"), schemas.ENTITIES)
    assert [one["id"] for one in entities["result"]] == ["C3", "C4"]
    types = valid(client.get(manifest["suggest"]["type"]["service_path"] + "?prefix=fis"), schemas.SUGGESTED_TYPES)
    assert [one["id"] for one in types["result"]] == ["C5"]
    properties = valid(
        client.get(manifest["suggest"]["property"]["service_path"] + "?prefix=par"), schemas.PROPERTIES
    )  # fmt: skip
    assert [one["id"] for one in properties["result"]] == ["parents"]

    preview, text = client.get(manifest["preview"]["url"].replace("{{id}}", "C3").removeprefix(address))
    assert preview.status == 200
    assert "Panthera tigris" in text
    flyout_path = manifest["suggest"]["entity"]["flyout_service_path"].replace("${id}", "C3")
    assert "tiger" in valid(client.get(flyout_path), schemas.FLYOUT)["html"]

    proposed = valid(
        client.get(manifest["extend"]["propose_properties"]["service_path"] + "?type=C1"), schemas.PROPOSED
    )  # fmt: skip
    names = [one["id"] for one in proposed["properties"]]
    extended = client.post(extend=json.dumps({"ids": ["C5", "C3", "no"], "properties": [{"id": n} for n in names]}))
    jsonschema.validate(extended, schemas.EXTENSION)
    row = extended["rows"]["C5"]
    assert row["label"] == [{"str": "fish"}]
    assert row["parents"] == [{"id": "C1", "name": "animal"}]
    assert [c["id"] for c in row["ancestors"]] == ["C0", "C1"]
    assert row["depth"] == [{"int": 2}]
    assert row["codes"] == [{"str": "A-77"}]
    assert row["definition"] == [{"str": "It swims."}]
    assert all(values == [] for values in extended["rows"]["no"].values())


def test_get_and_post_give_the_same(client):
    queries = json.dumps({"q0": {"query": "fish"}})
    _, text = client.get("/?queries=" + quote(queries))
    assert json.loads(text) == client.post(queries=queries)


def test_types_restrict_candidates(client):
    def ids(**options):
        return [c["id"] for c in client.reconcile({"q": {"query": "tiger", **options}})["q"]]

    assert ids(type="C1") == ["C3"]
    assert ids(type=["C2"]) == ["C4"]
    assert ids(type=["C1", "C2"]) == ["C3", "C4"]
    assert ids(type=["C1", "C2"], type_strict="all") == []
    assert ids(type=["C0", "C2"], type_strict="all") == ["C4"]
    assert ids(type="C2", type_strict="should") == ["C4", "C3"]
    assert ids(type="unknown") == []
    assert ids(limit=1) == ["C3"]


def test_properties_rank_candidates_and_are_features(client):
    query = {"query": "tiger", "properties": [{"pid": "ancestors", "v": {"id": "C2"}}]}
    found = client.reconcile({"q": query})["q"]
    assert [(c["id"], c["features"]) for c in found] == [
        ("C4", [{"id": "ancestors", "value": True}]),
        ("C3", [{"id": "ancestors", "value": False}]),
    ]
    only = {"properties": [{"pid": "label", "v": "fish"}]}
    assert [c["id"] for c in client.reconcile({"q": only})["q"]] == ["C5"]


def test_ids_and_other_codes_are_found(client):
    found = client.reconcile({"a": {"query": "C5"}, "b": {"query": "A-77"}, "c": {"query": "c5"}})
    assert [one[0]["id"] for one in found.values()] == ["C5", "C5", "C5"]
    assert all(one[0]["match"] for one in found.values())


# What intruders and mistaken clients send


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", ""])
def test_other_hosts_are_refused(client, host):
    response, text = client.get("/", Host=host)
    assert response.status == 421
    assert "animals" not in text


def test_two_hosts_are_refused(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nHost: evil\r\n\r\n".encode())
        assert raw.recv(65536).startswith(b"HTTP/1.1 421 ")


def test_only_pages_of_openrefine_may_use_the_service(client):
    allowed, _ = client.get("/", Origin="http://127.0.0.1:3333")
    assert allowed.headers["Access-Control-Allow-Origin"] == "http://127.0.0.1:3333"
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Referer": "https://evil.example/page"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},  # another port of this machine, without a referrer
    ):
        response, text = client.get("/?callback=f", **headers)
        assert response.status == 403
        assert "Access-Control-Allow-Origin" not in response.headers
        assert "animals" not in text
    plain, _ = client.get("/")
    assert "Access-Control-Allow-Origin" not in plain.headers


def test_other_origins_are_checked():
    with make_server(TAXONOMY, origins=["http://Example.org:8080/"]) as made:
        assert made.origins == {"http://example.org:8080"}
    for origin in ("*", "null", "evil", "http://", "http://a/page", "http://a; script-src *", "http://a\r\nX: y"):
        with raises(om.MappingError, parameter="origin"):
            make_server(TAXONOMY, origins=[origin])


def test_a_browser_may_ask_first(client):
    response, text = client.send("OPTIONS", "/", Origin="http://localhost:3333")
    assert (response.status, text) == (204, "")
    assert response.headers["Access-Control-Allow-Methods"] == "GET, POST"
    refused, _ = client.send("OPTIONS", "/", Origin="https://evil.example")
    assert refused.status == 403


def test_jsonp(client):
    response, text = client.get("/suggest/entity?prefix=trout&callback=jQuery12_3.done")
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert text.startswith("/**/jQuery12_3.done({")
    assert "\u2028" not in text
    assert "<script" not in text


@pytest.mark.parametrize("callback", ["alert(1)//", "a;b", "", "1a", "a" * 80, "f%0a", "a..b", "ä"])
def test_callbacks_that_are_no_names(client, callback):
    response, text = client.get(f"/?callback={quote(callback, safe='%')}")
    assert response.status == 400
    assert callback not in text or not callback


@pytest.mark.parametrize("path", ["/preview?id=C6", "/view?id=C3", "/flyout?id=C6"])
def test_labels_are_escaped(client, path):
    response, text = client.get(path)
    assert response.status == 200
    assert EVIL not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/?queries=",
        "/?queries=[]",
        "/?queries={",
        "/?queries={%22q%22:3}",
        "/?queries={%22q%22:{%22query%22:3}}",
        "/?queries={%22q%22:{%22query%22:%22a%22,%22limit%22:%22x%22}}",
        "/?queries={%22q%22:{%22query%22:%22a%22,%22type%22:{%22a%22:1}}}",
        "/?queries={%22q%22:{%22query%22:%22tiger%22,%22type%22:%22C0%22,%22type_strict%22:%22no%22}}",
        "/?queries={%22q%22:{%22query%22:%22tiger%22,%22properties%22:[3]}}",
        "/?queries=" + "[" * 3000,
        "/?extend={}",
        "/?extend={%22ids%22:[3],%22properties%22:[]}",
        "/preview?id=unknown",
        "/preview",
        "/?" + "&".join(f"a{i}=1" for i in range(60)),
    ],
)
def test_requests_that_are_wrong(client, path):
    response, text = client.get(path)
    assert response.status == 400
    assert set(json.loads(text)) == {"error"}


def test_other_addresses_and_methods(client):
    assert client.get("/etc/passwd")[0].status == 404
    assert client.send("PUT", "/")[0].status == 501


def test_large_and_endless_bodies_are_refused(client):
    response, _ = client.send("POST", "/", None, Content_Length="99999999999")
    assert response.status == 413
    response, _ = client.send("POST", "/", None, Content_Length="-1")
    assert response.status == 411
    response, _ = client.send("POST", "/", None, Transfer_Encoding="chunked")
    assert response.status == 411
    too_many = json.dumps({f"q{i}": {"query": "a"} for i in range(600)})
    response, _ = client.send("POST", "/", urlencode({"queries": too_many}))
    assert response.status == 400


def test_a_refused_body_is_not_the_next_request(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
        inner = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n"
        raw.sendall(f"POST / HTTP/1.1\r\nHost: evil\r\nContent-Length: {len(inner)}\r\n\r\n{inner}".encode())
        received = b""
        while block := raw.recv(65536):
            received += block
    assert received.count(b"HTTP/1.1 ") == 1
    assert b"animals" not in received


@pytest.mark.parametrize(
    "query",
    [
        {"type_strict": ["any"]},
        {"type_strict": {}},
        {"properties": 5},
        {"properties": {"pid": "label"}},
        {"properties": [["label", "x"]]},
        {"properties": [{"pid": ["label"], "v": "x"}]},
        {"properties": [{"pid": "ancestors", "v": "x"}] * 51},
    ],
)
def test_queries_of_another_shape_are_refused(client, query):
    body = urlencode({"queries": json.dumps({"q": {"query": "tiger"} | query})})
    response, text = client.send("POST", "/", body)
    assert response.status == 400
    assert "error" in json.loads(text)


def test_a_property_that_is_asked_for_twice_is_answered_once(client):
    answer = client.post(extend=json.dumps({"ids": ["C3"], "properties": [{"id": "label"}] * 1000}))
    assert [one["id"] for one in answer["meta"]] == ["label"]


def test_the_body_of_a_get_is_not_the_next_request(server):
    inner = f"GET /flyout?id=C3 HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nContent-Length: {len(inner)}\r\n\r\n"
        connection.sendall((head + inner).encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.count(b"HTTP/1.1 ") == 1


def test_it_listens_on_this_machine_only_and_logs_nothing(server, client, capfd):
    assert server.server_address[0] == "127.0.0.1"
    client.reconcile({"q": {"query": "secret value"}})
    client.get("/no-such-page?secret")
    assert "secret" not in "".join(capfd.readouterr())


def test_threads_give_the_same_answers(server):
    service = ReconciliationService(om.load_wordnet(), "http://127.0.0.1:1")
    batch = json.dumps({f"q{i}": {"query": word} for i, word in enumerate(["nurze", "dogs", "tigre", "Köln"])})
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(service.answer(batch))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(set(answers)) == 1
    assert len(answers) == 6


def test_the_command_serves_until_it_is_stopped(tmp_path):
    (tmp_path / "links.csv").write_text("child,parent\nfruit,\napple,fruit\n")
    command = [sys.executable, "-m", "ontomask", "reconcile", str(tmp_path / "links.csv"), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            port = int(running.stderr.readline().rsplit(":", 1)[1])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/")
            assert json.loads(connection.getresponse().read())["versions"] == ["0.2"]
            connection.close()
        finally:
            running.terminate()
            running.wait(20)
            running.stderr.read()
