"""Scripts for pgbench of statements that the server was seen to send."""

import re

# Those of the server's connections, or what is best for these statements: plans by keys that are made once.
SETTINGS = {"enable_seqscan": "off", "enable_mergejoin": "off", "enable_hashjoin": "off",
            "plan_cache_mode": "force_generic_plan", "jit": "off"}


class Script:
    """What pgbench runs as one transaction of its count.

    Each parameter becomes what `expressions` says of its recorded value, or keeps that value. `setup` holds pgbench's
    own commands. With `together` the statements are one transaction, sent at once and committed at the end, as the
    server does; else each is a transaction of its own.
    """

    def __init__(self, setup, statements, expressions, app, together=False):
        self.variables = {"app": app.number, "n": -1}
        self.settings = SETTINGS | {"role": "martlet_app", "martlet.app_id": app.number}
        parts = [self._with_variables(statement, expressions) for statement in statements]
        if together:
            parts = ["\\startpipeline", *parts, "\\endpipeline"]
        self.text = "\n".join([*setup, *parts, ""])

    def as_lookup(self):
        """The same by the role that finds out who is calling."""
        self.settings = SETTINGS | {"role": "martlet_lookup"}
        return self

    def _with_variables(self, statement, expressions):
        def expression(match):
            value = statement.values[int(match[1]) - 1]
            if value in expressions:
                return expressions[value]
            if not value:  # pgbench takes no empty variable
                return "NULL" if value is None else "''"
            name = next((name for name, known in self.variables.items() if known == value), None)
            if name is None:
                name = f"v{len(self.variables)}"
                self.variables[name] = value
            return f":{name}"

        return re.sub(r"[$]([0-9]+)", expression, statement.sql).rstrip().rstrip(";") + ";"


def only(statements, kind, is_own):
    """The one statement of a kind among those that were recorded."""
    own = [one for one in statements if is_own(one.sql)]
    if len(own) != 1:
        raise SystemExit(f"bench: {kind} took {len(own)} statements of its kind, not one")
    return own[0]


def transaction_of(statements, kind, is_own):
    """The statements of the transaction that holds one of a kind, without the settings of its connection."""
    found = only(statements, kind, is_own)
    return [one for one in statements if one.transaction == found.transaction and "set_config(" not in one.sql]
