-- A peer that did not bear newer routes may lose its session at each try: so each takes longer to come than the one before.
ALTER TABLE reverted_peer
  ADD COLUMN tries integer NOT NULL DEFAULT 1,
  ADD COLUMN tried_at timestamptz(3) NOT NULL DEFAULT now();
