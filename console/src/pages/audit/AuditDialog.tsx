import { Link } from '@tanstack/react-router';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import type { AuditRecord } from '../../service/operations.ts';
import { formatDateTime } from '../../strings/format.ts';
import { text } from '../../strings/english.ts';
import { auditText } from '../../strings/operations.ts';
import { TwoVersions } from '../../views/forms/TwoVersions.tsx';
import { ResourceLink } from '../../views/resources/ResourceLink.tsx';
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
      <Changes
        before={settingsApart(resource.type, changes.before ?? {})}
        after={settingsApart(resource.type, changes.after ?? {})}
      />
      <div className="dialog-actions">
        <Button onClick={onClose}>{text.close}</Button>
      </div>
    </Dialog>
  );
}

type Members = Readonly<Record<string, unknown>>;

/** Settings one by one, in words, as the window that saves them has them. */
function settingsApart(type: string, members: Members): Members {
  const { settings, stopped_applies: stopped, ...rest } = members;
  if (type !== 'settings' || typeof settings !== 'object') return members;
  const words = Object.entries({ ...settings }).map(([key, value]) => [key, wordOf(value)] as const);
  return {
    ...Object.fromEntries(words),
    ...rest,
    ...(Array.isArray(stopped) ? { stopped_applies: stopped.map(revisionOf).join(', ') || text.none } : {}),
  };
}

function wordOf(value: unknown): unknown {
  if (value === null) return text.none;
  return typeof value === 'boolean' ? (value ? text.yes : text.no) : value;
}

/** Which revision an apply was of that a freeze has stopped: its ids say nothing to a reader. */
function revisionOf({ revision_number: number }: { readonly revision_number: number }): string {
  return text.palette.revision(String(number));
}

function Changes({ before, after }: { before: Members; after: Members }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return <p className="muted">{auditText.none}</p>;
  return (
    <TwoVersions
      caption={auditText.changes}
      one={auditText.before}
      other={auditText.after}
      isHistory
      differences={names.map((name) => ({
        ...{ name, label: <code>{name}</code> },
        one: <Shown value={before[name]} sign={text.changeSigns.withdrawn} />,
        other: <Shown value={after[name]} sign={text.changeSigns.announced} />,
      }))}
    />
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
