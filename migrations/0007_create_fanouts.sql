-- Messages on their way to audiences too large for one request, and messages for later.

CREATE TABLE fanouts (
    app_id integer NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    -- The audience as JSON; it is evaluated anew for what is left.
    audience text NOT NULL,
    -- As `apps.delivery_mode` was when the message was sent.
    delivery_mode smallint NOT NULL CHECK (delivery_mode IN (0, 1)),
    -- Inboxes up to here have the message, in the order of their ids.
    position bigint NOT NULL DEFAULT 0,
    delivered bigint NOT NULL DEFAULT 0,
    -- Inboxes that matched when it was sent.
    estimate bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    -- Which instance delivers it, and until when that holds without a sign of life.
    runner uuid,
    runs_until timestamptz,
    PRIMARY KEY (app_id, message_id),
    FOREIGN KEY (app_id, message_id) REFERENCES messages ON DELETE CASCADE
) WITH (fillfactor = 50);  -- the position is raised in place with each chunk

CREATE TABLE schedules (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    schedule_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    name text,
    -- The push as it came, for answers.
    push text NOT NULL,
    -- What is sent then, checked: message id, draft, audience and device types as JSON.
    sends text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    PRIMARY KEY (app_id, schedule_id)
);
CREATE INDEX schedules_by_due ON schedules (due_at);
CREATE INDEX schedules_by_creation ON schedules (app_id, created_at DESC, schedule_id);

-- Undoes a transaction that another has forestalled; the code below says so to the server.
CREATE FUNCTION martlet_forestalled(name text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION '%', name USING ERRCODE = 'MT002';
END
$$;
