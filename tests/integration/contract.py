"""protocol/openrpc.json, and what follows from it: values that a parameter must refuse, and values just within."""
import json
import math
import re

import jsonschema
from harness import ROOT

CONTRACT = json.loads((ROOT / "protocol/openrpc.json").read_text())
METHODS = {method["name"]: method for method in CONTRACT["methods"]}
NOTIFICATIONS = {notification["name"]: notification for notification in CONTRACT["x-notifications"]}
RESOLVER = jsonschema.RefResolver.from_schema(CONTRACT)
NAME = {"$ref": "#/components/schemas/Name"}
LONGEST_NAME = 64  # bytes of one in a path
OF_COMPONENTS = {"Name": "a name (a string of 1 to 64 bytes without * ? [)",
                 "Pattern": "a name or pattern (a string of 1 to 64 bytes, each [ with its ])",
                 "Values": "an object of numbers, or of objects of numbers"}
OF_EACH_TYPE = (None, True, 7.5, "text", [], {})


def validator(schema):
    return jsonschema.Draft7Validator(schema, resolver=RESOLVER)


def validate(value, schema):
    validator(schema).validate(value)


def code(name):
    return CONTRACT["components"]["errors"][name]["code"]


def codes(method):
    """Of the errors that a method is said to answer with."""
    return {code(error["$ref"].rpartition("/")[2]) for error in METHODS[method]["errors"]}


def example_params(example):
    return {param["name"]: param["value"] for param in example["params"]}


def examples_with(method, name):
    """The params of a method's examples that hold this one; those of the first where none does."""
    all_params = [example_params(example) for example in METHODS[method]["examples"]]
    return [params for params in all_params if name in params] or all_params[:1]


def names(method):
    """The parameters of a method that name something."""
    return [param["name"] for param in METHODS[method]["params"] if param["schema"] == NAME]


def resolved(schema):
    while "$ref" in schema:
        schema = RESOLVER.resolve(schema["$ref"])[1]
    return schema


def misspelt(name):
    """A name that is off by one letter."""
    return name + name[-1]


def sample(schema):
    """Some value that fits."""
    schema = resolved(schema)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema:
        return sample(schema["anyOf"][0])
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "array":
        return [sample(schema["items"])] * schema.get("minItems", 0)
    if kind == "object":
        return {key: sample(schema["properties"][key]) for key in schema.get("required", [])}
    number = min(max(1, schema.get("minimum", 1)), schema.get("maximum", 1))
    return {"boolean": False, "string": "a" * schema.get("minLength", 1)}.get(kind, number)


def quoted(text):
    """A string as messages show it: its first 64 bytes."""
    shown = text.encode()[:LONGEST_NAME].decode(errors="ignore")
    return json.dumps(shown + ("…" if shown != text else ""), ensure_ascii=False)


def found(value):
    """What a message says was given."""
    if isinstance(value, (list, dict)):
        return "an object" if isinstance(value, dict) else f"an array of {len(value)}"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def expected(schema):
    """What a message says a value must be, as a pattern: of a unit JSON Schema knows nothing."""
    for reference, text in OF_COMPONENTS.items():
        if schema == {"$ref": f"#/components/schemas/{reference}"}:
            return re.escape(text)
    schema = resolved(schema)
    if "enum" in schema:
        return re.escape(" or ".join(", ".join(map(quoted, schema["enum"])).rsplit(", ", 1)))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return expected(schema["anyOf"][0]) + (", or false" if {"const": False} in schema["anyOf"] else "")
    if schema["type"] == ["object", "array"]:
        return "an object or an array"
    if schema["type"] == "string":
        return f"a string from {schema['minLength']} to {schema['maxLength']} bytes"
    if schema["type"] in ("integer", "number"):
        if "minimum" not in schema:
            return "a finite number"
        bounds = f"from {found(schema['minimum'])} to {found(schema['maximum'])}"
        return f"{'an' if schema['type'] == 'integer' else 'a'} {schema['type']} {re.escape(bounds)}( [A-Za-z/^2]+)?"
    if schema["type"] == "array":
        return _expected_array(schema)
    if schema["type"] == "object":
        return "an object of objects, each under a name" if "propertyNames" in schema else "an object"
    return "true or false"


def _expected_array(schema):
    each = expected(schema["items"])
    if "minItems" in schema:
        return (rf"\[x,y,z\], each {each}" if schema["minItems"] == 3 else
                rf"a quaternion \[x,y,z,w\], each {each}, its length at least 0\.001")
    if "enum" in resolved(schema["items"]):
        return f"an array, each entry {each}"
    of = "names" if schema["items"] == NAME else "names or patterns"
    return f"an array of at most {schema['maxItems']} {of}"


def said(schema, path, value):
    """The message about a value that does not fit, as a pattern."""
    hint = r'(; did you mean "\w+"\?)?' if isinstance(value, str) and "enum" in resolved(schema) else ""
    shown = "" if "token" in path else f", not {re.escape(found(value))}"
    return f"{re.escape(path)} must be {expected(schema)}{shown}{hint}"


def said_missing(schema, path):
    return f"{re.escape(path)} is missing: it must be {expected(schema)}"


def said_unknown(owner, name, hint=r"did you mean \"\w+\"\?|it takes [a-z_, ]+"):
    return rf"{re.escape(owner)} has no parameter {re.escape(quoted(name))}; ({hint})"


def refused(schema, value, path):
    """Triples: a value that does not fit a schema, near to one that does; the path that is to be named; the message
    about it, as a pattern."""
    reference, schema = schema, resolved(schema)
    fits = validator(schema).is_valid
    others = [*OF_EACH_TYPE, *_out_of_bounds(schema, value)]
    if schema.get("type") == "string" and "maxLength" in schema:
        yield (long := "é" * (schema["maxLength"] // 2 + 1)), path, said(reference, path, long)  # the server counts bytes
    yield from ((other, path, said(reference, path, other)) for other in others if not fits(other))
    for branch in schema.get("anyOf", ()):
        yield from ((other, where, said(reference, path, other) if where == path else message)
                    for other, where, message in refused(branch, value, path) if not fits(other))
    if isinstance(value, list) and value and "items" in schema:
        for other, where, message in refused(schema["items"], value[-1], f"{path}[{len(value) - 1}]"):
            yield [*value[:-1], other], where, message
    if isinstance(value, dict):
        yield from _refused_members(schema, value, path)


def _refused_members(schema, value, path):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        rest = {key: inner for key, inner in value.items() if key != name}
        yield rest, f"{path}.{name}", said_missing(properties[name], f"{path}.{name}")
    if others is False:
        for name in ("zzz", *map(misspelt, properties)):
            yield {**value, name: 1}, f"{path}.{name}", said_unknown(path, name)
    elif isinstance(others, dict):
        for name, *_ in refused(schema["propertyNames"], "a", path) if "propertyNames" in schema else ():
            if isinstance(name, str):
                cut = name.encode()[:LONGEST_NAME].decode(errors="ignore")
                where = f"{path}.{cut}" if name else f'{path}[""]'
                yield ({**value, name: sample(others)}, where,
                       re.escape(f"{where}: the key is not a valid name (1 to 64 bytes without * ? [)"))
        properties = {**properties, **{key: others for key in value if key not in properties}}
    for name, inner in properties.items():
        for other, where, message in refused(inner, value.get(name, sample(inner)), f"{path}.{name}"):
            yield {**value, name: other}, where, message


def _out_of_bounds(schema, value):
    step = schema.get("type") == "integer"
    if "minimum" in schema:
        yield schema["minimum"] - 1 if step else math.nextafter(schema["minimum"], -math.inf)
    if "maximum" in schema:
        yield schema["maximum"] + 1 if step else math.nextafter(schema["maximum"], math.inf)
    if step:
        yield schema.get("minimum", 0) + 0.5
    if "pattern" in schema:
        yield from ("a*b", "?", "[")
    if schema.get("minLength"):
        yield ""
    if "maxLength" in schema:
        yield "a" * (schema["maxLength"] + 1)
    if isinstance(value, list) and value and "minItems" in schema:
        yield value[:-1]
    if isinstance(value, list) and "maxItems" in schema:
        yield (value or [sample(schema["items"])]) * (schema["maxItems"] + 1)


def accepted(schema, value):
    """Values that fit, at the bounds of what fits."""
    schema = resolved(schema)
    yield value
    yield from schema.get("enum", ())
    yield from (schema[bound] for bound in ("minimum", "maximum", "const") if bound in schema)
    yield from ("a" * schema[bound] for bound in ("minLength", "maxLength") if bound in schema)
    if schema.get("type") == "boolean":
        yield from (False, True)
    for branch in schema.get("anyOf", ()):
        yield from accepted(branch, sample(branch))
    if isinstance(value, list) and "items" in schema:
        items = value or [sample(schema["items"])]
        yield from ((items * length)[:length] for length in (schema.get("minItems"), schema.get("maxItems")) if length)
        for inner in accepted(schema["items"], items[-1]):
            yield [*items[:-1], inner]
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            yield from ({**value, name: bound} for bound in accepted(inner, value.get(name, sample(inner))))
