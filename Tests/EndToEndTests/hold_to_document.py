"""Holds a running server to its own description, by schemathesis.

usage: hold_to_document.py BASE CALLER [AUTHORIZATION]

CALLER is a security scheme of the document, whose operations are called with AUTHORIZATION; `nobody` calls
all of them without. MARTLET_KNOWN is JSON: by a parameter's name, values that exist.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

SETTINGS = """
hooks = "known_values"

[phases.coverage]
# QUERY and TRACE end before there is a path: the first is unknown to HTTP/1.1, the other may have no body.
unexpected-methods = ["get", "put", "post", "delete", "patch", "options"]
"""

HOOKS = '''
import json, os, zlib
import schemathesis

KNOWN = json.loads(os.environ.get("MARTLET_KNOWN", "{}"))


def with_known(parameters):
    """Puts values that exist in the place of about half of the generated ones."""
    for name, value in (parameters or {}).items():
        number = zlib.crc32(repr(value).encode())
        if name in KNOWN and number % 2:
            parameters[name] = KNOWN[name][number // 2 % len(KNOWN[name])]
    return parameters


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return with_known(path_parameters)


@schemathesis.hook
def map_query(context, query):
    return with_known(query)
'''


def close(schema):
    """Forbids members that are not described: clients ignore them, but the server shall describe all of its own."""
    if isinstance(schema, list):
        for part in schema:
            close(part)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            close(part)


# A stream does not end, and after these the caller's own credential is void: other tests look at them.
LEFT_OUT = {"session": ["logOut"], "device": ["uninstallChannel"]}


def is_called(operation, caller):
    contents = [answer.get("content", {}) for answer in operation["responses"].values()]
    if any("text/event-stream" in content for content in contents):
        return False
    if operation["operationId"] in LEFT_OUT.get(caller, []):
        return False
    schemes = [scheme for requirement in operation["security"] for scheme in requirement]
    return caller == "nobody" or caller in schemes


def main():
    base, caller, *authorization = sys.argv[1:]
    with urllib.request.urlopen(base + "/v1/openapi.json") as answer:
        document = json.load(answer)
    close(document)
    for path in list(document["paths"]):
        operations = document["paths"][path]
        document["paths"][path] = {m: o for m, o in operations.items() if is_called(o, caller)}
        if not document["paths"][path]:
            del document["paths"][path]
    if not document["paths"]:
        return print("no operation is called so")
    # A path whose other methods are for other callers allows more than this caller's part of the document says.
    settings = SETTINGS if caller == "nobody" else SETTINGS.replace(', "options"', "")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [
            ("openapi.json", json.dumps(document)), ("schemathesis.toml", settings), ("known_values.py", HOOKS),
        ]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        options = ["--url", base, "--seed", "1", "--generation-deterministic"]
        # What is right by its schema and refused all the same breaks a rule that schemas cannot say.
        options += ["--exclude-checks", "positive_data_acceptance", "--continue-on-failure", "--no-color"]
        options += ["--phases", "fuzzing" if caller == "nobody" else "coverage,fuzzing"]
        options += ["--max-examples", "5" if caller == "nobody" else "25"]
        options += ["--suppress-health-check", "all", "--warnings", "off"]
        for value in authorization:
            options += ["--header", "Authorization: " + value]
        command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", *options]
        sys.exit(subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": folder}).returncode)


main()
