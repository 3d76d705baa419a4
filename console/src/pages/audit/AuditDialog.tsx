import { Link } from '@tanstack/react-router';
import { Copy } from '../../design/Copy.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import type { AuditRecord } from '../../service/operations.ts';
import { formatDateTime } from '../../strings/format.ts';
import { text } from '../../strings/english.ts';
import { auditText } from '../../strings/operations.ts';
import { ResourceLink } from '../../views/ResourceLink.tsx';
import './audit-dialog.css';

/** One record: what was before and after, member by member. */
export function AuditDialog({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { action, at, actor, resource, changes, request_id, address } = record;
  return (
    <Dialog title={action} isOpen onClose={onClose} className="wide">
      <dl className="facts">
        <dt>{auditText.at}</dt>
        <dd>{formatDateTime(at)}</dd>
        <dt>{auditText.actor}</dt>
        <dd>
          <span className="name">{actor}</span>
          {address !== null && ` ${auditText.address} ${address}`}
        </dd>
        <dt>{auditText.resource}</dt>
        <dd>
          {resource.id === null ? (
            <span className="name">{resource.name ?? resource.type}</span>
          ) : (
            <>
              <ResourceLink type={resource.type} id={resource.id} name={resource.name} />
              {' · '}
              <Link to="/jobs" search={{ resource_id: resource.id }}>
                {auditText.jobs}
              </Link>
            </>
          )}
        </dd>
        {request_id !== null && (
          <>
            <dt>{auditText.request}</dt>
            <dd>
              <code>{request_id}</code> <Copy value={request_id} />
            </dd>
          </>
        )}
      </dl>
      <Changes before={changes.before ?? {}} after={changes.after ?? {}} />
    </Dialog>
  );
}

type Members = Readonly<Record<string, unknown>>;

function Changes({ before, after }: { before: Members; after: Members }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return <p className="muted">{auditText.none}</p>;
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={auditText.changes}>
      <table className="audit-changes">
        <thead>
          <tr>
            <th scope="col">{auditText.member}</th>
            <th scope="col">{auditText.before}</th>
            <th scope="col">{auditText.after}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td className="change-withdrawn">
                <Shown value={before[name]} sign={text.changeSigns.withdrawn} />
              </td>
              <td className="change-announced">
                <Shown value={after[name]} sign={text.changeSigns.announced} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Shown({ value, sign }: { value: unknown; sign: string }) {
  if (value === undefined) return null;
  return (
    <code>
      {sign} {typeof value === 'string' ? value : JSON.stringify(value)}
    </code>
  );
}
