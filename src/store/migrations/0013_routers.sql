-- What the holder of a speaker tells of its daemon beside, and what it is asked to have the daemon do.

ALTER TABLE speaker_lease
  -- Where the holder runs; null: it has not told yet.
  ADD COLUMN hostname text,
  -- The daemon's own, which is that of no speaker.
  ADD COLUMN daemon_router_id text,
  -- Of the speaker, in daemons that have such; how many, and how many of these are up.
  ADD COLUMN protocols integer,
  ADD COLUMN protocols_up integer,
  -- Why the process that would hold the speaker can't, and when it said so last; while nobody holds it.
  ADD COLUMN obstacle text,
  ADD COLUMN obstacle_at timestamptz(3),
  -- The reload that was asked for last, and what became of it.
  ADD COLUMN reload_job_id uuid,
  ADD COLUMN reload_state text CHECK (reload_state IN ('asked', 'done', 'failed')),
  ADD COLUMN reload_error text,
  -- No job, once it is pruned; the lease stays.
  ADD CONSTRAINT speaker_lease_reload_job_id_fkey FOREIGN KEY (tenant_id, reload_job_id) REFERENCES job (tenant_id, id)
    ON DELETE SET NULL (reload_job_id);
CREATE INDEX speaker_lease_reload_job ON speaker_lease (tenant_id, reload_job_id) WHERE reload_job_id IS NOT NULL;

-- Who this service is, whatever its processes and machines: made up once, and part of every backup. Two services on one machine tell
-- each other's files apart by it.
DO $$
BEGIN
  EXECUTE format('CREATE FUNCTION service_id() RETURNS uuid LANGUAGE sql IMMUTABLE AS $id$ SELECT %L::uuid $id$', gen_random_uuid());
END
$$;
