-- Whether a snapshot of a revision announced or excluded. A rule of a firewall that names a module lists what it had then, whatever the module is
-- for by now. Of revisions that are there, what modules are for now says it best.

ALTER TABLE revision_input
  ADD COLUMN purpose text NOT NULL DEFAULT 'announce' CHECK (purpose IN ('announce', 'exclude'));

SET LOCAL ROLE prefixcast_system;
UPDATE revision_input input SET purpose = 'exclude'
  FROM module
 WHERE module.tenant_id = input.tenant_id AND module.id = input.module_id AND module.purpose = 'exclude';
SET LOCAL ROLE NONE;

ALTER TABLE revision_input ALTER COLUMN purpose DROP DEFAULT;
