#!/usr/bin/env python3
"""Prints REFERENCE.md: openrpc.json as a page, with lines of samples/ as examples.

    protocol/reference.py > protocol/REFERENCE.md

A test compares the page with this output.
"""
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CONTRACT = json.loads((FOLDER / "openrpc.json").read_text(encoding="utf-8"))
SCHEMAS, ERRORS = (CONTRACT["components"][kind] for kind in ("schemas", "errors"))
TIMING = {"at once": "Answered at once", "command": "Takes effect at the start of the next tick, or at once while paused"}
ROLES = {"none": "none", "observer": "observer or operator", "operator": "operator"}
SCRIPTS = {"at once": "tweed.request of a script may call it", "never": "Not for scripts",
           "after scripts": "tweed.request of a script may call it; the server answers after all scripts of the tick"}


def last_part(reference):
    return reference["$ref"].rpartition("/")[2]


def anchor(name):
    return name.lower().replace(".", "")


def link(name):
    return f"[{name}](#{anchor(name)})"


# --- words for schemas ---

PLURALS = {"number": "numbers", "integer": "integers", "string": "strings"}


def words(schema):
    """A schema in words."""
    if "$ref" in schema:
        return link(last_part(schema))
    if "anyOf" in schema or "oneOf" in schema:
        return any_of(list(map(words, schema.get("anyOf") or schema["oneOf"])))
    if "allOf" in schema:
        return words(schema["allOf"][0])
    if "const" in schema or "enum" in schema:
        return any_of([f"`{json.dumps(each)}`" for each in schema.get("enum", [schema.get("const")])])
    kinds = schema.get("type", [])
    return any_of([WORDS[kind](schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]) or "anything"


def any_of(texts):
    return " or ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def number_words(noun):
    def describe(schema):
        least, most = schema.get("minimum"), schema.get("maximum")
        if most is not None:
            return f"{noun}, {least:,} to {most:,}"
        return noun if least is None else f"{noun}, at least {least:,}"

    return describe


def string_words(schema):
    if "maxLength" in schema:
        return f"a string of {schema.get('minLength', 0)} to {schema['maxLength']} bytes"
    return "a string"


def array_words(schema):
    items, least, most = schema.get("items", {}), schema.get("minItems"), schema.get("maxItems")
    noun = None if "enum" in items else PLURALS.get(items.get("type"))
    each = words(items).partition(", ")[2] if noun else words(items)
    if least is not None and least == most:
        text, most = f"{least} {noun or 'values'}", None
    else:
        text = f"a list of {noun}" if noun else "a list"
    return text + (f", each {each}" if each not in ("", "anything") else "") + (f"; {most} at most" if most else "")


def object_words(schema):
    others = schema.get("additionalProperties")
    return f"an object of names, each {words(others)}" if isinstance(others, dict) else "an object"


WORDS = {
    "integer": number_words("an integer"),
    "number": number_words("a number"),
    "boolean": lambda schema: "`true` or `false`",
    "string": string_words,
    "array": array_words,
    "object": object_words,
    "null": lambda schema: "`null`",
}


# --- tables ---


def cell(text):
    return text.replace("|", "\\|").replace("*", "\\*")


def table(*rows):
    yield "| " + " | ".join(rows[0]) + " |"
    yield "| " + " | ".join("---" for _ in rows[0]) + " |"
    yield from ("| " + " | ".join(row) + " |" for row in rows[1:])
    yield ""


def meaning(schema, description=None):
    return cell(description or schema.get("description", ""))


def default(schema, required):
    while "$ref" in schema:
        schema = SCHEMAS[last_part(schema)]
    if required:
        return "required"
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else ""


def members(schema, prefix=""):
    """(name, schema, required) of each member of an object, and of the objects in it."""
    for name, inner in schema.get("properties", {}).items():
        yield prefix + name, inner, name in schema.get("required", ())
        yield from members(inner, f"{prefix}{name}.")


def parameter_table(params):
    rows = []
    for param in params:
        schema, name = param["schema"], param["name"]
        rows.append((f"`{name}`", words(schema), default(schema, param.get("required")),
                     meaning(schema, param.get("description"))))
        for inner, inner_schema, required in members(schema, f"{name}."):
            rows.append((f"`{inner}`", words(inner_schema), default(inner_schema, required), meaning(inner_schema)))
    return table(("Parameter", "Value", "Default", "Meaning"), *rows)


def member_table(schema):
    """The members of an object; optional ones are marked."""
    return table(("Member", "Value", "Meaning"), *(
        (f"`{name}`" + ("" if required else " (optional)"), words(inner), meaning(inner))
        for name, inner, required in members(schema)))


def branches(schema):
    """The alternative objects of a schema."""
    return [branch for branch in schema.get("oneOf", [schema]) if branch.get("properties")]


# --- example lines ---


def lines_of_samples():
    """(request or None, message) for each message that the transcripts receive."""
    sent, received = [], []
    for path in sorted((FOLDER / "samples").glob("*.jsonl")):
        requests = {}
        for text in path.read_text(encoding="utf-8").splitlines():
            step = json.loads(text)
            if isinstance(step.get("send"), dict) and "id" in step["send"]:
                requests[json.dumps(step["send"]["id"])] = step["send"]
            for message in [step["receive"]] if "receive" in step else step.get("receive_in_any_order", []):
                if isinstance(message, dict) and is_plain(message):
                    sent.append(requests.get(json.dumps(message.get("id"))))
                    received.append(message)
    return list(zip(sent, received))


def is_plain(message):
    """Whether a message has no wildcards of the transcripts."""
    text = json.dumps(message)
    return '"$' not in text and '"..."' not in text


def line(message):
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def envelope(**members_of_it):
    return {"jsonrpc": "2.0", **members_of_it}


def request_example(method, samples):
    name, example = method["name"], method["examples"][0]
    for sent, received in samples:
        if sent and sent["method"] == name and "result" in received and sent.get("params") and is_plain(sent):
            return sent, received
    params = {param["name"]: param["value"] for param in example["params"]}
    return envelope(id=1, method=name, params=params), envelope(id=1, result=example["result"]["value"])


def notification_example(notification, samples):
    for _, received in samples:
        if received.get("method") == notification["name"]:
            return received
    return envelope(method=notification["name"], params=notification["example"])


def code_block(*messages):
    return ["```json", *map(line, messages), "```", ""]


# --- the page ---


def groups():
    """Methods by the part of their name before the dot, in the document's order."""
    found = {}
    for method in CONTRACT["methods"]:
        found.setdefault(method["name"].partition(".")[0], []).append(method)
    return found


def head():
    yield from [
        "# Reference", "",
        "Every request, notification, type, error and limit of tweed's protocol. [README.md](README.md) explains how they "
        "work together. `protocol/reference.py` prints this page from [openrpc.json](openrpc.json): do not edit it.", "",
        CONTRACT["info"]["description"].partition("\n\n")[0], "",
        *(f"- **{group}**: " + ", ".join(link(method["name"]) for method in methods)
          for group, methods in groups().items()),
        "- **Notifications**: " + ", ".join(link(each["name"]) for each in CONTRACT["x-notifications"]),
        "- [Types](#types), [errors](#errors), [limits](#limits)", "",
    ]


def method_section(method, samples):
    yield from [f"### {method['name']}", "", method["summary"] + ".", ""]
    if "description" in method:
        yield from [method["description"].rstrip(".") + ".", ""]
    yield from [f"{TIMING[method['x-timing']]}. Required role: {ROLES[method['x-role']]}. "
                f"{SCRIPTS[method['x-scripts']]}.", ""]
    yield from parameter_table(method["params"]) if method["params"] else ["No parameters.", ""]
    schema = method["result"]["schema"]
    if schema.get("properties"):
        yield from ["Result:", "", *member_table(schema)]
    else:
        yield from [f"Result: {words(schema)}.", ""]
    names = [last_part(error) for error in method["errors"]]
    yield from ["Errors: " + ", ".join(f"[{ERRORS[name]['code']}](#errors) {name}" for name in names) + ".", ""]
    yield from code_block(*request_example(method, samples))


def notification_section(notification, samples):
    yield from [f"### {notification['name']}", "", notification["summary"] + ".", ""]
    yield from member_table(SCHEMAS[last_part(notification["params"])])
    yield from code_block(notification_example(notification, samples))


def type_sections():
    """The types that parameters, results and members link to; those of notifications stand with them."""
    own = {last_part(notification["params"]) for notification in CONTRACT["x-notifications"]}
    for name, schema in SCHEMAS.items():
        if name in own:
            continue
        yield from [f"### {name}", ""]
        if schema.get("description"):
            yield from [schema["description"].rstrip(".") + ".", ""]
        if not branches(schema):
            yield from [words(schema).capitalize() + (f", by default {default(schema, False)}"
                                                      if "default" in schema else "") + ".", ""]
        for branch in branches(schema):
            yield from member_table(branch)


def error_rows():
    return ((str(error["code"]), name, cell(error["message"])) for name, error in ERRORS.items())


def limit_rows():
    for limit in CONTRACT["x-limits"]:
        yield f"`{limit['name']}`", f"{limit['value']:,} {limit['unit']}", cell(limit["description"])


def page():
    samples = lines_of_samples()
    yield from head()
    for group, methods in groups().items():
        yield from [f"## Requests: {group}", ""]
        for method in methods:
            yield from method_section(method, samples)
    yield from ["## Notifications", "", "The server sends these unasked, with a `method` and no `id`. All but "
                f"{', '.join(link(name) for name in ('server.hello', 'stream.static', 'stream.frame'))} are events; "
                '`session.open {"events":false}` turns events off.', ""]
    for notification in CONTRACT["x-notifications"]:
        yield from notification_section(notification, samples)
    yield from ["## Types", "", *type_sections()]
    yield from ["## Errors", "", *table(("Code", "Name", "Meaning"), *error_rows())]
    for kind, text in (("anyRequest", "Any request may get"), ("cluster", "In a cluster any request for a character may get"),
                       ("withoutId", "With `id` null come")):
        yield from [f"{text} " + ", ".join(map(last_part, CONTRACT["x-errors"][kind])) + ".", ""]
    yield from ["## Limits", "", *table(("Limit", "Value", "Meaning"), *limit_rows())]


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print("\n".join(page()).rstrip("\n"))


if __name__ == "__main__":
    main()
