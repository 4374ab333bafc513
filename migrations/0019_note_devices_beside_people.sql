-- A device has by a tag of its own what people have by theirs: whoever is logged in on it may have the same message in
-- the person's inbox, and a list then asks for both.

ALTER TABLE deliveries ADD COLUMN beside_people boolean NOT NULL DEFAULT false;

-- Whether people matched when the message was sent, where it is for them; else it goes to devices alone, and none is noted.
-- Nothing: it was sent by a version that knew only devices there, and goes on so.
ALTER TABLE fanouts ADD COLUMN reaches_people boolean;
