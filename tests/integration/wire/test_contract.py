"""protocol/openrpc.json and the running server agree: methods, parameters, results, notifications and errors."""
import re
import subprocess
import sys

import pytest
from contract import CONTRACT, METHODS, NOTIFICATIONS, code, codes, example_params, validate
from harness import ROOT, RpcError

LIMITS = {limit["name"]: limit["value"] for limit in CONTRACT["x-limits"]}
EXAMPLES = [(name, example) for name, method in METHODS.items() for example in method["examples"]]


def test_the_server_lists_the_methods_of_the_contract(guest):
    assert sorted(guest.request("server.describe")["methods"]) == sorted(METHODS)


@pytest.mark.parametrize("method, example", EXAMPLES, ids=[f"{name}: {example['name']}" for name, example in EXAMPLES])
def test_examples_fit_their_schemas(method, example):
    params = {param["name"]: param["schema"] for param in METHODS[method]["params"]}
    for param in example["params"]:
        validate(param["value"], params[param["name"]])
    validate(example["result"]["value"], METHODS[method]["result"]["schema"])


@pytest.mark.parametrize("method, example", EXAMPLES, ids=[f"{name}: {example['name']}" for name, example in EXAMPLES])
def test_the_server_takes_every_example_and_answers_as_the_contract_says(client, method, example):
    try:
        result = client.request(method, **example_params(example))
    except RpcError as error:
        assert error.code in codes(method) and error.code != -32602, f"{error}: the parameters are right"
        return
    validate(result, METHODS[method]["result"]["schema"])


def test_what_the_server_sends_unasked_fits_the_contract(server):
    client, other = server.client(), server.client()
    client.request("simulation.pause")
    client.subscribe(particles=True, references=True)
    client.subscribe(layout="trs", static=False)
    client.step(3)
    other.request("world.set", wind={"gust": 0.1})
    other.request("fabric.set", fabric="tweed", values={"max_distance": 0.3})
    other.request("simulation.pause")
    other.request("simulation.resume")
    client.step(30)
    client.drain(0.2)
    messages = [*client.kept, {"method": "server.hello", "params": client.hello}]
    frames = client.step(1)
    seen = set()
    for message in messages:
        validate(message["params"], NOTIFICATIONS[message["method"]]["params"])
        seen.add(message["method"])
    for frame in frames:
        validate(frame, {"$ref": "#/components/schemas/Frame"})
    assert {"server.hello", "stream.static", "world.changed", "fabric.changed", "character.changed"} <= seen


def test_hello_tells_the_limits_of_the_contract(guest):
    assert guest.hello["limits"] == {name: LIMITS[name] for name in guest.hello["limits"]}


def answer_code(client, text):
    """Of the error that a line is answered with; 0: it is a result."""
    client.send_bytes(text.encode() + b"\n")
    return client.read().get("error", {"code": 0})["code"]


@pytest.mark.parametrize("excess", [0, 1])
def test_a_message_may_be_as_long_deep_and_full_as_the_contract_says(guest, excess):
    request = ('{"jsonrpc":"2.0","id":1,"method":"character.call",'
               '"params":{"character":"a","command":"b","arguments":%s}}')
    long = request % '["%s"]'
    long = long % ("x" * (LIMITS["message_bytes"] + excess - len(long % "")))
    depth = LIMITS["nesting"] + excess - 2  # it lies in params, which lie in the request
    full = request % f"[{','.join('1' * (LIMITS['message_values'] + excess - 8))}]"
    for text, name in ((long, "InvalidRequest"), (request % ("[" * depth + "]" * depth), "ParseError"),
                       (full, "InvalidRequest")):
        assert answer_code(guest, text) == code(name if excess else "NotFound"), text[:200]


def test_there_may_be_as_many_views_and_tornadoes_as_the_contract_says(server):
    clients = [server.client() for _ in range(LIMITS["server_views"] // LIMITS["views"])]
    for number in range(LIMITS["server_views"]):
        clients[number // LIMITS["views"]].subscribe(characters=[f"view{number}"])
    for client, one_more in ((clients[0], "view63"), (server.client(), "view64")):
        assert client.error("stream.subscribe", characters=[one_more]).code == code("NotNow")
    params = {"position": [0, 0, 0], "radius": 1, "strength": 1, "lift": 1}
    for number in range(LIMITS["tornados"]):
        clients[0].request("world.tornado", name=f"tornado{number}", **params)
    assert clients[0].error("world.tornado", name="one more", **params).code == code("NotNow")


def test_the_reference_is_what_its_generator_prints():
    page = (ROOT / "protocol/REFERENCE.md").read_text(encoding="utf-8")
    printed = subprocess.run([sys.executable, ROOT / "protocol/reference.py"], capture_output=True, check=True,
                             encoding="utf-8")
    assert page == printed.stdout, "protocol/reference.py > protocol/REFERENCE.md"
    anchors = [re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-")
               for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)]
    for target in set(re.findall(r"\(#([^)]*)\)", page)):
        assert anchors.count(target) == 1, target
    for name in (*METHODS, *NOTIFICATIONS):
        assert f"\n### {name}\n" in page
