/** How many statements a refresh sends to PostgreSQL, requests of the API aside: `npm run bench -- statements` counts them all. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
/** A client beside the service, which is not counted. */
let watcher: pg.Client;
let moduleId: string;

beforeAll(async () => {
  plane = await startPlane();
  watcher = new pg.Client(plane.database.address);
  await watcher.connect();
  const community_id = await plane.addCommunity('64500:1');
  moduleId = await plane.run(async (tx) => {
    await changeSettings(tx, { auto_revision: false, auto_apply: false });
    const module = await createModule(tx, { name: 'list', type: 'CDN_SOURCES', community_id });
    const source = { name: 'list', url: `${plane.lists.origin}/list` };
    await createCdnSources(tx, plane.context, module.resource.id, [source], () => '');
    return module.resource.id;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await watcher?.end();
  await plane?.close();
});

/**
 * What falls into the time of a refresh, and more of it the longer that takes: the set-up of a connection, looks for work, and how far the
 * job is, whether it was cancelled.
 */
const BY_TIME = [
  /^SET search_path/,
  /SELECT DISTINCT type FROM job /,
  /^BEGIN; SELECT set_config[^;]*; (update "job" set "progress"[^;]*; )?select "state", "holder"[^;]*; COMMIT$/,
];
/** On its own connections the queue looks for messages, sends heartbeats and tidies up by time; the end of a message is the refresh's. */
const OF_QUEUE = 'prefixcast-jobs';
const ENDS_MESSAGE = 'UPDATE pgboss.job_common SET completed_on';

/** The statements of a refresh until it has ended, in the order of connections; those that several share one text count each. */
async function statementsOfRefresh(): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const job = await plane.refresh(moduleId);
  const isDone = async (): Promise<boolean> => {
    const { rows } = await watcher.query<{ state: string }>(
      'SELECT state FROM prefixcast.job WHERE id = $1',
      [job.id],
    );
    return rows[0]?.state === 'succeeded';
  };
  await waitFor(isDone, { what: 'the end of the refresh' });
  const texts = spy.mock.calls.map(([query]) =>
    typeof query === 'string' ? query : (query as { readonly text: string }).text,
  );
  const clients = spy.mock.contexts as pg.Client[];
  spy.mockRestore();
  return [...new Set(clients)]
    .filter((client) => client !== watcher)
    .flatMap((client) =>
      transactionsOf(texts.filter((_, at) => clients[at] === client)).filter((statements) => {
        const text = statements.join('; ');
        if (nameOf(client) === OF_QUEUE) return text.includes(ENDS_MESSAGE);
        return !BY_TIME.some((pattern) => pattern.test(text));
      }),
    )
    .flat();
}

function nameOf(client: pg.Client): unknown {
  const { connectionParameters } = client as pg.Client & {
    connectionParameters: { readonly application_name: unknown };
  };
  return connectionParameters.application_name;
}

/** Statements of one connection by transaction; one outside of any stands alone. */
function transactionsOf(texts: readonly string[]): string[][] {
  const transactions: string[][] = [];
  let isOpen = false;
  for (const text of texts) {
    const statements = text
      .split(';')
      .map((part) => part.trim().replace(/\s+/g, ' '))
      .filter((part) => part !== '');
    if (isOpen) transactions.at(-1)!.push(...statements);
    else transactions.push(statements);
    const last = statements.findLast((statement) => /^(BEGIN|COMMIT|ROLLBACK)$/.test(statement));
    if (last !== undefined) isOpen = last === 'BEGIN';
  }
  return transactions;
}

/** As many as were sent when this was written, and two: the end of the refresh before may fall into that time. */
test.each([
  ['an unchanged source', 38, (): void => undefined],
  ['a changed source', 46, (): unknown => plane.answers.set('/list', serves('5.3.0.0/24\n5.4.0.0/24\n'))],
])('a refresh of %s sends few statements', async (_, most, change) => {
  plane.answers.set('/list', serves('5.1.0.0/24\n5.2.0.0/24\n'));
  await plane.succeeded(await plane.refresh(moduleId));
  await plane.succeeded(await plane.refresh(moduleId));
  change();
  const sent = await statementsOfRefresh();
  expect(sent.some((text) => text.includes('pgboss'))).toBe(true);
  expect(sent.length, sent.map((text) => text.slice(0, 160)).join('\n')).toBeLessThanOrEqual(most);
});
