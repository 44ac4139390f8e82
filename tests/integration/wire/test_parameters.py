"""Every parameter of every method: what it must refuse, at which path, without a trace; and what it must take."""
import json
import re

import pytest
from contract import (METHODS, accepted, code, codes, example_params, examples_with, expected, misspelt, names, quoted,
                      refused, resolved, said_missing, said_unknown, sample, validate)
from harness import RpcError, Server

INVALID = code("InvalidParams")
NOT_FOUND = code("NotFound")
NOT_ALLOWED = code("NotAllowed")
LONG_STEP = 1000  # ticks; test_simulation.py has the longest


def bad_requests(method):
    """Triples: params that are wrong in one place, that place, and the message about it, as a pattern."""
    known = example_params(METHODS[method]["examples"][0])
    takes = "it takes [a-z_, ]+" if METHODS[method]["params"] else "it takes none"
    yield {**known, "zzz": 1}, "params.zzz", said_unknown(method, "zzz", takes)
    for param in METHODS[method]["params"]:
        name = param["name"]
        typo = misspelt(name)
        yield {**known, typo: 1}, f"params.{typo}", said_unknown(method, typo, rf'did you mean "{name}"\?')
        for choice in resolved(param["schema"]).get("enum", ()):
            wrong = misspelt(choice)
            yield ({**known, name: wrong}, f"params.{name}",
                   f"params.{name} must be {expected(param['schema'])}, not {quoted(wrong)}; "
                   rf'did you mean "{choice}"\?')
        for params in examples_with(method, name):
            rest = {key: value for key, value in params.items() if key != name}
            if param.get("required"):
                yield rest, f"params.{name}", said_missing(param["schema"], f"params.{name}")
            for value, path, message in refused(param["schema"], params.get(name, sample(param["schema"])), f"params.{name}"):
                # Last, so that what comes before it could have been applied.
                yield {**rest, name: value}, path, message


def good_requests(method):
    """Params of which one is at the bounds of what it may be."""
    yield from map(example_params, METHODS[method]["examples"])
    for param in METHODS[method]["params"]:
        for params in examples_with(method, param["name"]):
            value = params.get(param["name"], sample(param["schema"]))
            yield from ({**params, param["name"]: bound} for bound in accepted(param["schema"], value))


def batch(client, *requests):
    client.send([{"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                 for number, (method, params) in enumerate(requests)])
    while not isinstance(answer := client.read(), list):
        client.kept.append(answer)
    return [each["result"] for each in sorted(answer, key=lambda each: each["id"])]


def targets(client):
    """What fabric.get can be asked for."""
    fabrics, characters = batch(client, ("fabric.list", {}), ("character.list", {}))
    return [{"fabric": fabric["name"]} for fabric in fabrics] + [
        {"character": each["name"], "garment": garment["name"]} for each in characters
        for garment in client.request("character.describe", character=each["name"])["garments"]]


def state(client, fabrics):
    """All that requests can change and others can ask for, but for what moves by itself."""
    stats, *rest = batch(client, ("server.stats", {}), ("world.get", {}), ("character.list", {}),
                         *(("fabric.get", each) for each in fabrics))
    clients = [[each[key] for key in ("role", "client", "views")] for each in stats["clients"]]
    return [rest, clients, [stats[key] for key in ("tick", "paused", "holds")]]


def refuse(client, method, params, path, message):
    error = client.error(method, **params)
    about = f"{method} {json.dumps(params)[:300]}: {error}"
    assert error.code == INVALID, about
    assert error.path == path, f"{path} is wrong in {about}"
    assert re.fullmatch(message, error.message), f"not {message}: {about}"


@pytest.mark.parametrize("method", METHODS)
def test_what_is_refused_is_named_and_changes_nothing(guest, method):
    fabrics = targets(guest)
    before = state(guest, fabrics)
    for params, path, message in bad_requests(method):
        refuse(guest, method, params, path, message)
        assert state(guest, fabrics) == before, f"{method} {params}"


@pytest.fixture(scope="module")
def takers():
    servers = [Server()]
    yield servers
    for server in servers:
        server.kill()


@pytest.fixture
def taker(takers):
    """A server that the tests below may do anything to; another one once alan is no more."""
    with takers[-1].client() as client:
        if all(each["name"] != "alan" for each in client.request("character.list")):
            takers.append(Server())
    return takers[-1]


# No server here allows to save, test_error_paths.py has one that does; and none is in a cluster.
NOT_SAVING = set(METHODS) - {"fabric.save", "cluster.drain", "cluster.move"}


@pytest.mark.parametrize("method, name", [(method, name) for method in METHODS if method in NOT_SAVING
                                          for name in names(method)])
def test_what_is_not_there_is_named_and_nothing_is_done(taker, method, name):
    with taker.client() as client:
        client.request("simulation.pause")
        fabrics = targets(client)
        for params in examples_with(method, name):
            before = state(client, fabrics)
            try:
                client.request(method, **{**params, name: "new" if name == "name" else "no such thing"})
            except RpcError as error:
                assert (error.code, error.path) == (NOT_FOUND, f"params.{name}")
                assert state(client, fabrics) == before
            else:
                assert name == "name", "nothing is found by it"  # something new is called that


def out_of_range(description, group=""):
    """Values of a fabric of which the last one is beyond its range, and that one's path."""
    for key, number in description.items():
        least, most = number["minimum"], number["maximum"]
        for value in (least - max(abs(least), 1) / 2, most + max(abs(most), 1) / 2):
            values = {group: {key: value}} if group else {key: value}
            yield {"damping": 0.5, **values}, f"params.values.{group + '.' if group else ''}{key}"


def test_a_fabrics_numbers_keep_to_their_ranges(guest):
    fabrics = targets(guest)
    before = state(guest, fabrics)
    for target in ({"fabric": "tweed"}, {"character": "alan", "garment": "jacket"}):
        numbers = guest.request("fabric.get", **target)
        cases = [case for group in ("", "edge", "spring") for case in out_of_range(numbers[group or "values"], group)]
        assert len(cases) > 30
        for values, path in cases:
            error = guest.error("fabric.set", **target, values=values)
            assert (error.code, error.path) == (INVALID, path), error
        assert state(guest, fabrics) == before


def test_what_is_refused_leaves_no_trace_in_the_frames(start):
    streams = []
    for hears_nonsense in (False, True):
        client = start().client()
        requests = [(method, *request) for method in METHODS for request in bad_requests(method)]
        assert len(requests) > 300
        for request in requests if hears_nonsense else ():
            refuse(client, *request)
        client.subscribe(particles=True, static=False)
        client.request("simulation.step", ticks=30)
        streams.append([message["raw"] for message in client.kept if message["method"] == "stream.frame"])
    assert len(streams[0]) > 30 and streams[0] == streams[1]


@pytest.mark.parametrize("method", METHODS)
def test_values_at_the_bounds_are_taken(taker, method):
    with taker.client() as client:
        client.request("simulation.pause")
        for params in good_requests(method):
            if params.get("ticks", 0) > LONG_STEP:
                continue
            try:
                result = client.request(method, **params)
            except RpcError as error:
                assert error.code in codes(method) - {INVALID}, f"{method} {json.dumps(params)[:300]}: {error}"
            else:
                validate(result, METHODS[method]["result"]["schema"])
            client.kept.clear()


@pytest.mark.parametrize("method", METHODS)
def test_an_observer_may_what_observers_may(guest, method):
    guest.request("session.open", role="observer")
    params = example_params(METHODS[method]["examples"][0])
    if METHODS[method]["x-role"] == "operator":
        fabrics = targets(guest)
        before = state(guest, fabrics)
        error = guest.error(method, **params)
        assert (error.code, error.path) == (NOT_ALLOWED, "method")
        assert state(guest, fabrics) == before
    else:
        try:
            guest.request(method, **params)
        except RpcError as error:
            assert error.code != NOT_ALLOWED
