/** What happens and has happened: events, the audit log. */
import type { ApiEvent, EventKind } from '#client';
import type { AuditRecord } from '../../api/activity/audit.ts';
import { actionsLike, AUDIT_ACTIONS } from '../../api/activity/audit-actions.ts';
import { subjectText } from '../../api/activity/audit-entries.ts';
import { readList, type ListOptions } from '../records/crud.ts';
import { untilInterrupted } from './live.ts';
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { UsageError } from '../process/command-error.ts';
import { print, printList } from '../render/formats.ts';
import { alternatives } from '../render/counted.ts';
import { colouredWord } from '../render/terminal.ts';
import type { Session } from '../session/run-remote.ts';
import { READERS } from '../table/value-types.ts';

export interface EventOptions {
  readonly kind: readonly string[];
  readonly since?: string | undefined;
}

const EVENT_ID = /^\d{1,18}$/;

/** One line an event; with `-o json` as the API says it. */
export async function events(session: Session, options: EventOptions): Promise<void> {
  if (options.since !== undefined && !EVENT_ID.test(options.since))
    throw new UsageError(
      `--since ${options.since} cannot be read: write the id of an event, as events -o ndjson shows it`,
    );
  const { signal } = untilInterrupted(session);
  const kinds = options.kind.length === 0 ? undefined : (options.kind as EventKind[]);
  const names =
    session.format === 'table'
      ? await session.names.byId(['speaker', 'peer', 'module'])
      : new Map<string, string>();
  for await (const event of session.client.events({ kinds, signal, lastEventId: options.since }))
    print(session.format === 'table' ? `${lineOf(event, names)}\n` : `${JSON.stringify(event)}\n`);
}

function lineOf({ kind, data }: ApiEvent, names: ReadonlyMap<string, string>): string {
  const { at = '', ...members } = data as Item;
  const time = String(at).slice(11, 19);
  const call = (id: unknown): string => names.get(id as string) ?? String(id);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const about = ((): string => {
    switch (kind) {
      case 'job':
        return `${String(members.type)} ${colouredWord(String(members.state))}`;
      case 'revision':
        return `${String(members.number)} ${colouredWord(String(members.state))}`;
      case 'session':
        return `${call(members.peer_id)} at ${call(members.speaker_id)} ${colouredWord(textOf(members.state ?? 'gone'))}${typeof members.last_error === 'string' ? `: ${members.last_error}` : ''}`;
      case 'apply':
        return `${call(members.speaker_id)} ${colouredWord(String(members.state))}${typeof members.error === 'string' ? `: ${members.error}` : ''}`;
      case 'module':
        return `${call(members.id)} ${members.held === null ? 'released' : colouredWord('held')}`;
      case 'source': {
        const [{ name, status } = {}] = members.sources as readonly Item[];
        const more = Number(members.count) > 1 ? ` and ${Number(members.count) - 1} more` : '';
        return `${textOf(name)}${more} of ${call(members.module_id)} ${colouredWord(textOf(status))}`;
      }
      case 'tenant':
        return String(members.status);
      case 'audit':
        return `${String(members.actor)} ${String(members.action)} ${subjectText({ resource: members.resource as AuditRecord['resource'], changes: { after: null } }) ?? ''}`.trimEnd();
      case 'reset':
        return 'events were missed: read again what matters';
    }
  })();
  return `${time}  ${kind.padEnd(8)}  ${about}`;
}

const AUDIT_COLUMNS: readonly Column[] = [
  column('AT', 'at'),
  column('ACTOR', 'actor'),
  column('ACTION', 'action'),
  column('RESOURCE', (record) => subjectText(record as unknown as AuditRecord)),
  column('SEVERITY', 'severity'),
  wide('CHANGES', 'changes'),
  wide('ADDRESS', 'address'),
];

export async function audit(
  session: Session,
  options: ListOptions & {
    readonly action?: string | undefined;
    readonly actor?: string | undefined;
    readonly severity?: string | undefined;
    readonly since?: string | undefined;
    readonly prefix?: string | undefined;
    readonly find?: string | undefined;
  },
): Promise<void> {
  const { action, actor, severity, prefix, find: q } = options;
  if (action !== undefined) requireKnown(action);
  const since = options.since === undefined ? undefined : momentOf(options.since);
  const query = { action, actor, severity, since, prefix, q };
  const { items, more } = await readList(session, '/v1/audit', query, options);
  await printList({ items, columns: AUDIT_COLUMNS, name: 'id', more }, session.format);
}

/** @throws {UsageError} for one that no record has: an empty list would look like an answer */
function requireKnown(action: string): void {
  if (AUDIT_ACTIONS.some((known) => known === action)) return;
  const like = actionsLike(action);
  const remedy =
    like.length === 0
      ? 'write one such as module.create: audit list shows them'
      : `did you mean ${alternatives(like)}?`;
  throw new UsageError(`--action ${action} is not known; ${remedy}`);
}

/** As RFC 3339 writes it. @param text a moment, or how long ago that was */
function momentOf(text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  const ago = READERS.duration(text);
  if (ago.ok) return new Date(Date.now() - ago.value * 1_000).toISOString();
  throw new UsageError(
    `--since ${text} cannot be read: write how long ago it was, such as 90s, 10m or 1h, or a moment such as 2027-01-31T12:00:00Z`,
  );
}
