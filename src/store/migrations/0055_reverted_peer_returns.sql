-- A peer that did not bear newer routes goes on with what it holds for longer than the failure cost it, from its return on.
ALTER TABLE reverted_peer
  -- Null: it is not back since the last try.
  ADD COLUMN returned_at timestamptz(3),
  ADD COLUMN outage_seconds integer,
  -- Routes that it was to hold at the last try; null: not known.
  ADD COLUMN tried_routes integer,
  -- It is tried as soon as it is back: somebody has asked for that.
  ADD COLUMN requested boolean NOT NULL DEFAULT false;
