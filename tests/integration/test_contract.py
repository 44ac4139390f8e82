"""protocol/openrpc.json and the running server agree: methods, parameters, results, notifications and errors."""
import json

import jsonschema
import pytest
from harness import ROOT, RpcError

CONTRACT = json.loads((ROOT / "protocol/openrpc.json").read_text())
METHODS = {method["name"]: method for method in CONTRACT["methods"]}
NOTIFICATIONS = {notification["name"]: notification for notification in CONTRACT["x-notifications"]}
EXAMPLES = [(name, example) for name, method in METHODS.items() for example in method["examples"]]


def validate(value, schema):
    resolver = jsonschema.RefResolver.from_schema(CONTRACT)
    jsonschema.Draft7Validator(schema, resolver=resolver).validate(value)


def example_params(example):
    return {param["name"]: param["value"] for param in example["params"]}


def codes(method):
    errors = CONTRACT["components"]["errors"]
    return {errors[error["$ref"].rpartition("/")[2]]["code"] for error in METHODS[method]["errors"]}


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


@pytest.mark.parametrize("method", METHODS)
def test_required_parameters_are_required_and_others_are_not_known(guest, method):
    for param in METHODS[method]["params"]:
        if param.get("required"):
            error = guest.error(method)
            assert error.code == -32602 and error.path.startswith("params"), error
            break
    known = example_params(METHODS[method]["examples"][0])
    error = guest.error(method, **known, zzz=1)
    assert (error.code, error.path) == (-32602, "params.zzz")


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
