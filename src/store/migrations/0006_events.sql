-- What changes, for those who follow it: GET /v1/events. Triggers write an event into the transaction of each change, so that no process
-- and no writer forgets one.

CREATE TABLE event (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  -- The order of writing, which is not that of committing.
  entry bigint GENERATED ALWAYS AS IDENTITY,
  -- The order in which all readers see events, given by whoever reads first, and so after the commit: what commits late is
  -- skipped by nobody, and no writer waits for another. Null: not read yet.
  sequence bigint,
  kind text NOT NULL CHECK (kind IN ('job', 'revision', 'session', 'apply')),
  data jsonb NOT NULL,
  written_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, entry)
);
CREATE UNIQUE INDEX event_sequence_key ON event (tenant_id, sequence);
CREATE INDEX event_unread ON event (tenant_id, entry) WHERE sequence IS NULL;

CREATE TABLE event_counter (
  tenant_id uuid PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
  -- The last that was given, and the last that is there no more.
  last_sequence bigint NOT NULL DEFAULT 0,
  pruned_sequence bigint NOT NULL DEFAULT 0
);

CREATE FUNCTION rfc3339(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The notification is a hint for readers that wait.
CREATE FUNCTION write_event(tenant uuid, kind text, data jsonb) RETURNS void
  LANGUAGE sql SET search_path FROM CURRENT AS $$
  INSERT INTO event (tenant_id, kind, data) VALUES (tenant, kind, data);
  SELECT pg_notify('prefixcast_events', tenant::text);
$$;

CREATE FUNCTION write_job_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'job', jsonb_build_object(
    'id', NEW.id, 'type', NEW.type, 'state', NEW.state, 'progress', NEW.progress, 'attempt', NEW.attempt,
    'resource', CASE WHEN NEW.resource_id IS NOT NULL
                  THEN jsonb_build_object('type', NEW.resource_type, 'id', NEW.resource_id) END,
    'parent_id', NEW.parent_id, 'requested_by', NEW.requested_by,
    'started_at', rfc3339(NEW.started_at), 'finished_at', rfc3339(NEW.finished_at), 'error', NEW.error));
  RETURN NULL;
END
$$;
CREATE TRIGGER job_created AFTER INSERT ON job FOR EACH ROW EXECUTE FUNCTION write_job_event();
CREATE TRIGGER job_changed AFTER UPDATE ON job FOR EACH ROW
  WHEN ((OLD.state, OLD.progress, OLD.attempt) IS DISTINCT FROM (NEW.state, NEW.progress, NEW.attempt))
  EXECUTE FUNCTION write_job_event();

CREATE FUNCTION write_revision_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'revision', jsonb_build_object(
    'id', NEW.id, 'number', NEW.number, 'state', NEW.state, 'content_hash', encode(NEW.content_hash, 'hex'),
    'parent_id', NEW.parent_id, 'rollback_of', NEW.rollback_of, 'trigger', NEW.trigger,
    'prefix_count', jsonb_build_object('ipv4', NEW.prefix_count_ipv4, 'ipv6', NEW.prefix_count_ipv6)));
  RETURN NULL;
END
$$;
CREATE TRIGGER revision_created AFTER INSERT ON revision FOR EACH ROW EXECUTE FUNCTION write_revision_event();
CREATE TRIGGER revision_changed AFTER UPDATE ON revision FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION write_revision_event();

CREATE FUNCTION write_session_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'session', jsonb_build_object(
    'speaker_id', NEW.speaker_id, 'peer_id', NEW.peer_id, 'state', NEW.state, 'since', rfc3339(NEW.since),
    'last_error', NEW.last_error));
  RETURN NULL;
END
$$;
CREATE TRIGGER speaker_session_created AFTER INSERT ON speaker_session FOR EACH ROW EXECUTE FUNCTION write_session_event();
CREATE TRIGGER speaker_session_changed AFTER UPDATE ON speaker_session FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION write_session_event();

CREATE FUNCTION write_apply_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'apply', jsonb_build_object(
    'id', NEW.id, 'job_id', NEW.job_id, 'speaker_id', NEW.speaker_id, 'revision_id', NEW.revision_id, 'state', NEW.state,
    'announced', NEW.announced, 'withdrawn', NEW.withdrawn, 'changed', NEW.changed, 'error', NEW.error));
  RETURN NULL;
END
$$;
CREATE TRIGGER speaker_apply_created AFTER INSERT ON speaker_apply FOR EACH ROW EXECUTE FUNCTION write_apply_event();
CREATE TRIGGER speaker_apply_changed AFTER UPDATE ON speaker_apply FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION write_apply_event();

ALTER TABLE event ENABLE ROW LEVEL SECURITY;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON event TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON event TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON event TO prefixcast_system, prefixcast_tenant;

ALTER TABLE event_counter ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_counter FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON event_counter TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON event_counter TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON event_counter TO prefixcast_system, prefixcast_tenant;
