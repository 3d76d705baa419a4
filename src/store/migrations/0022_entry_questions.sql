-- What an operator edits of an entry is intended, so what it brings is no change by itself. That goes for what decides which list is read, and for
-- switching the entry off and on: a new name, community or token explains no other prefixes.
DO $$
DECLARE
  kind record;
BEGIN
  CREATE FUNCTION begin_question() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
  BEGIN
    NEW.question_version := NEW.version;
    RETURN NEW;
  END
  $body$;
  FOR kind IN
    SELECT * FROM (VALUES
      ('cdn_source', ARRAY['enabled', 'url', 'format', 'json_path', 'csv_column']),
      ('as_entry', ARRAY['enabled', 'asn']),
      ('domain_entry', ARRAY['enabled', 'domain'])) AS kinds (name, question)
  LOOP
    -- The version in which the entry began to be read as it is now. Snapshots that were collected before remember versions.
    EXECUTE format('ALTER TABLE %I ADD COLUMN question_version integer NOT NULL DEFAULT 1', kind.name);
    EXECUTE format('UPDATE %I SET question_version = version', kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_question BEFORE UPDATE ON %1$s FOR EACH ROW'
                   ' WHEN ((%2$s) IS DISTINCT FROM (%3$s)) EXECUTE FUNCTION begin_question()',
      kind.name,
      (SELECT string_agg(format('NEW.%I', q), ', ') FROM unnest(kind.question) q),
      (SELECT string_agg(format('OLD.%I', q), ', ') FROM unnest(kind.question) q));
  END LOOP;
END
$$;
