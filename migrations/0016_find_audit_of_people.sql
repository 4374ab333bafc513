-- What was done to a person is part of what is exported of one.

CREATE INDEX audit_of_people ON audit (app_id, subject, entry_id) WHERE action LIKE 'named\_user.%';
