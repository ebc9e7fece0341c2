#!/usr/bin/env python3
"""Checks JSON documents against a JSON Schema, with the part of draft 2020-12 that our schemas use.

    schema.py SCHEMA.json DOCUMENT.json...

A keyword that is not known here is an error, so that no schema is checked by half. Where the
package jsonschema is installed, it must agree.
"""
import json
import re
import sys

NOTES = {"$schema", "$id", "$defs", "title", "description", "x-unit"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


def check_object(value, schema, root, where):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            yield f"{where}: '{key}' is missing"
    for key, member in value.items():
        inside = f"{where}.{key}"
        if "propertyNames" in schema:
            yield from check(key, schema["propertyNames"], root, f"{inside} (name)")
        if key in properties:
            yield from check(member, properties[key], root, inside)
        elif schema.get("additionalProperties", True) is False:
            yield f"{inside}: is not in the schema"
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from check(member, schema["additionalProperties"], root, inside)


def check_number(value, schema, where):
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where}: {value} is below {schema['minimum']}"
    if "maximum" in schema and value > schema["maximum"]:
        yield f"{where}: {value} is above {schema['maximum']}"


def check_one_of(value, forms, root, where):
    """Of no form that fits, the problems of the nearest are told."""
    found = [list(check(value, form, root, where)) for form in forms]
    if sum(not bad for bad in found) > 1:
        yield f"{where}: fits more than one form"
    elif all(found):
        yield from min(found, key=len)


KEYWORDS = {"type", "enum", "const", "minimum", "maximum", "pattern", "items", "properties", "required",
            "additionalProperties", "propertyNames", "$ref", "oneOf", "maxItems"} | NOTES


def check(value, schema, root, where="$"):
    """What is wrong with a value: texts."""
    unknown = set(schema) - KEYWORDS
    if unknown:
        raise ValueError(f"the schema uses {sorted(unknown)} at {where}")
    if "$ref" in schema:
        yield from check(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)
    if "oneOf" in schema:
        yield from check_one_of(value, schema["oneOf"], root, where)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[t](value) for t in types):
        yield f"{where}: {json.dumps(value)[:60]} is no {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {json.dumps(value)} is not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {json.dumps(value)} is not {schema['const']}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{where}: '{value}' does not match '{schema['pattern']}'"
    if TYPES["number"](value):
        yield from check_number(value, schema, where)
    if isinstance(value, dict):
        yield from check_object(value, schema, root, where)
    if isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        yield f"{where}: {len(value)} items, at most {schema['maxItems']} are allowed"
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from check(item, schema["items"], root, f"{where}[{i}]")


def problems(document, schema):
    found = list(check(document, schema, schema))
    try:
        import jsonschema
    except ImportError:
        return found
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    others = [e.message for e in validator.iter_errors(document)]
    if bool(others) != bool(found):
        found.append(f"jsonschema disagrees: {others[:3]}")
    return found


def load(path):
    def refuse(word):
        raise ValueError(f"{path}: {word} is no JSON")

    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_constant=refuse)


def main():
    schema, bad = load(sys.argv[1]), 0
    for path in sys.argv[2:]:
        for text in problems(load(path), schema):
            print(f"{path}: {text}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
