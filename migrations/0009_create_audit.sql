-- Who did what to an app and its people.

CREATE TABLE audit (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    entry_id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT martlet_now(),
    -- `master`, `token:7`, `cli`, `server`.
    actor text NOT NULL,
    -- `message.send`, `message.recall`, `app.change`, `named_user.erase` and the like.
    action text NOT NULL,
    -- Id of what it was done to; empty for the app itself.
    subject text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (app_id, entry_id)
);
