-- Each record of the audit log is an event, so that whoever looks at something sees what others change of it. Neither can be without the other.

CREATE FUNCTION write_audit_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'audit', jsonb_build_object(
    'id', NEW.id, 'actor', NEW.actor, 'action', NEW.action, 'severity', NEW.severity,
    'resource', jsonb_build_object('type', NEW.resource_type, 'id', NEW.resource_id, 'name', NEW.resource_name)));
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_record_created AFTER INSERT ON audit_record FOR EACH ROW EXECUTE FUNCTION write_audit_event();
