-- Every edit of entries gives their module another stamp, in the transaction of the edit. What was read of a hundred thousand ranges under one
-- stamp need not be read again while it is the same: a random one names one state for good, also after a failover that lost transactions.
ALTER TABLE module_entry_count ADD COLUMN stamp uuid NOT NULL DEFAULT gen_random_uuid();

CREATE OR REPLACE FUNCTION add_entries(of_tenant uuid, of_module uuid, more bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE module_entry_count SET entries = entries + more, stamp = gen_random_uuid()
   WHERE tenant_id = of_tenant AND module_id = of_module
     AND slot = (SELECT slot FROM module_entry_count WHERE tenant_id = of_tenant AND module_id = of_module
                  LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO module_entry_count (tenant_id, module_id, entries) VALUES (of_tenant, of_module, more);
  END IF;
END
$$;

-- Entries that are switched or given other communities are as many as before. What is edited in a disabled module has its stamp when that is enabled.
CREATE OR REPLACE FUNCTION note_change(of_tenant uuid, of_module uuid, collect boolean, build boolean, many bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Modules and entries go with their tenant.
  IF NOT EXISTS (SELECT FROM tenant WHERE id = of_tenant) THEN
    RETURN;
  END IF;
  INSERT INTO pending_change (tenant_id, module_id, needs_collect, needs_build, edits)
  VALUES (of_tenant, of_module, collect, build, many);
  IF of_module IS NOT NULL AND EXISTS (SELECT FROM module WHERE tenant_id = of_tenant AND id = of_module) THEN
    PERFORM add_entries(of_tenant, of_module, 0);
  END IF;
  PERFORM pg_notify('prefixcast_pending', of_tenant::text);
END
$$;
