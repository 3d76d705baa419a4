-- When a session that is down is tried next, as its holder says: an operator who has corrected a router saw no reason to wait, and none not to.
ALTER TABLE speaker_session ADD COLUMN next_attempt_at timestamptz(3);

-- Why somebody rolled back: the revision says so to those who come later.
ALTER TABLE revision ADD COLUMN reason text;
