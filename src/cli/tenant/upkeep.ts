/** Looking after the service and its machine: maintenance policies, daemons, resolvers, the database. */
import type { Job, Schemas } from '#client';
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { print, printAnswer, printList, printObject } from '../render/formats.ts';
import { readList, type ListOptions } from '../records/crud.ts';
import { begun } from '../revisions/revisions.ts';
import type { Session } from '../session/run-remote.ts';

export interface JobOptions {
  readonly wait: boolean;
}

async function request<T>(
  { client }: Session,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<T> {
  return (await (await client.request(method, path, { body })).json()) as T;
}

/** Nothing is built of it: its end is all that is waited for. */
function follow(session: Session, job: Job, { wait }: JobOptions): Promise<number> {
  return begun(session, job, wait ? { wait: 'built' } : {});
}

export async function runPolicy(
  session: Session,
  policy: string,
  options: JobOptions & { readonly 'dry-run': boolean },
): Promise<number> {
  const path = `${NOUNS.policy.path}/${await session.names.idOf('policy', policy)}`;
  if (!options['dry-run']) return follow(session, await request(session, 'POST', `${path}/run`), options);
  const effect = await request<Schemas['MaintenanceEffect']>(session, 'POST', `${path}/dry-run`);
  const { count, bytes, names } = effect;
  const named = names.map((name) => `\n  ${name}`).join('');
  const more = count > names.length && names.length > 0 ? `\n  … and ${count - names.length} more` : '';
  const words = `${policy} would look after ${count}, of ${bytes} bytes${named}${more}\nNothing has changed: dry run`;
  await printAnswer(effect, words, session.format);
  return EXIT.ok;
}

const RUN_COLUMNS: readonly Column[] = [
  column('QUEUED', 'queued_at'),
  column('STATE', 'state'),
  column('BY', 'requested_by'),
  column('COUNT', 'result.count'),
  column('BYTES', 'result.bytes'),
  column('FINISHED', 'finished_at'),
  wide('JOB', 'id'),
  wide('ERROR', 'error.detail'),
];

export async function listRuns(session: Session, policy: string, options: ListOptions): Promise<void> {
  const path = `${NOUNS.policy.path}/${await session.names.idOf('policy', policy)}/runs`;
  const { items, more } = await readList(session, path, {}, options);
  await printList({ items, columns: RUN_COLUMNS, name: 'id', more }, session.format);
}

const DAEMON_COLUMNS: readonly Column[] = [
  column('DAEMON', 'daemon'),
  column('HOST', 'host'),
  column('ANSWERS', 'reachable'),
  column('VERSION', 'version'),
  column('SPEAKERS', 'speakers'),
  column('ESTABLISHED', 'sessions.established'),
  column('SESSIONS', 'sessions.total'),
  column('ERROR', 'error'),
  wide('ROUTER ID', 'router_id'),
  wide('UPTIME S', 'uptime_seconds'),
  wide('RECONFIGURED', 'last_reconfigured_at'),
  wide('PROTOCOLS UP', 'protocols.up'),
];

/** Resolves to 1 where one does not answer. */
export async function routerStatus(session: Session): Promise<number> {
  const { items } = await request<{ readonly items: Item[] }>(session, 'GET', '/v1/router/status');
  await printList({ items, columns: DAEMON_COLUMNS, name: 'daemon' }, session.format);
  return items.every(({ reachable }) => reachable === true) ? EXIT.ok : EXIT.no;
}

export async function reloadRouter(session: Session, options: JobOptions): Promise<number> {
  return follow(session, await request(session, 'POST', '/v1/router/reload'), options);
}

const ANSWER_COLUMNS: readonly Column[] = [
  column('DOMAIN', 'domain'),
  column('FAMILY', 'family'),
  column('ADDRESSES', answerWords),
  column('MS', ({ milliseconds }) => Math.round(milliseconds as number)),
  column('ERROR', 'error'),
];

/** That there is no such name is an answer as well, and no blank. */
function answerWords(item: Item): unknown {
  const { addresses, is_missing, error } = item as unknown as Schemas['DohTest']['answers'][number];
  if (error !== null) return null;
  if (is_missing) return 'NXDOMAIN: there is no such name';
  return addresses.length === 0 ? 'none' : addresses.map(({ address }) => address);
}

/** Resolves to 1 where it could not be asked. */
export async function testResolver(
  session: Session,
  profile: string,
  domain: string | undefined,
): Promise<number> {
  const path = `${NOUNS.doh.path}/${await session.names.idOf('doh', profile)}/test`;
  const test = await request<Schemas['DohTest']>(
    session,
    'POST',
    path,
    domain === undefined ? {} : { domain },
  );
  const items = test.answers.map((answer): Item => ({ domain: test.domain, ...answer }));
  const listed = { columns: ANSWER_COLUMNS, name: 'domain' };
  if (session.format === 'json' || session.format === 'yaml') await printObject(test, listed, session.format);
  else await printList({ items, ...listed }, session.format);
  return test.answers.every(({ error }) => error === null) ? EXIT.ok : EXIT.no;
}

const TABLE_COLUMNS: readonly Column[] = [
  column('TABLE', 'name'),
  column('BYTES', 'bytes'),
  column('ROWS', 'rows'),
  column('DEAD ROWS', 'dead_rows'),
  column('VACUUMED', 'last_vacuum_at'),
  column('ANALYZED', 'last_analyze_at'),
  wide('BLOAT BYTES', 'bloat_bytes'),
  wide('SEQUENTIAL SCANS', 'sequential_scans'),
  wide('INDEX SCANS', 'index_scans'),
];

export async function databaseStatus(session: Session): Promise<void> {
  const metrics = await request<Schemas['PostgresMetrics']>(session, 'GET', '/v1/postgres/metrics');
  const tables = (metrics.tables ?? []) as unknown as readonly Item[];
  const listed = { columns: TABLE_COLUMNS, name: 'name' };
  const { format } = session;
  if (format === 'json' || format === 'yaml') return printObject(metrics, listed, format);
  if (format === 'table' || format === 'wide') print(`${summaryOf(metrics)}\n`);
  await printList({ items: tables, ...listed }, format);
}

/** What the user of the database may not see is left out, and why stands at the end. */
function summaryOf({
  server,
  database,
  connections,
  waiting_locks: locks,
  unavailable,
}: Schemas['PostgresMetrics']): string {
  return [
    ...(server === null ? [] : [`PostgreSQL ${server.version}, ${server.role}, since ${server.started_at}`]),
    ...(database === null ? [] : [`database ${database.name}: ${database.bytes} bytes`]),
    ...(connections === null
      ? []
      : [`connections: ${connections.total} of ${connections.limit}, ${connections.active} at work`]),
    ...(locks === null || locks.length === 0 ? [] : [`locks that wait: ${locks.length}`]),
    ...unavailable.map(({ member, reason }) => `${member} is unknown: ${reason}`),
    '',
  ].join('\n');
}

export async function maintainDatabase(
  session: Session,
  operation: 'vacuum' | 'analyze' | 'reindex',
  table: string | undefined,
  options: JobOptions,
): Promise<number> {
  const body = { operation, ...(table === undefined ? {} : { table }) };
  return follow(session, await request(session, 'POST', '/v1/postgres/maintenance', body), options);
}

export async function rotateSigningKey(session: Session, announceSeconds: number | undefined): Promise<void> {
  const body = announceSeconds === undefined ? {} : { announce_seconds: announceSeconds };
  const keys = await request<Schemas['SigningKeys']>(session, 'POST', '/v1/bundles/signing-key/rotate', body);
  const next = keys.items.at(-1);
  if (next === undefined) throw new CommandError('The service has no signing key', EXIT.failed);
  const words = next.active
    ? `the key ${next.key_id} signs from now on`
    : `the key ${next.key_id} signs from ${next.not_before} on; nodes learn of it until then`;
  await printAnswer(next, words, session.format);
}
