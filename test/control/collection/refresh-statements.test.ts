/** How many statements a refresh sends to PostgreSQL, requests of the API aside: `npm run bench -- statements` counts them all. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/modules.ts';
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

/** The statements until a refresh has ended; those that several share one text count each. */
async function statementsOfRefresh(): Promise<string[]> {
  const sent: string[] = [];
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
  for (const [index, [query]] of spy.mock.calls.entries()) {
    if (spy.mock.contexts[index] === watcher) continue;
    const text = typeof query === 'string' ? query : (query as { readonly text: string }).text;
    sent.push(...text.split(';').filter((part) => part.trim() !== ''));
  }
  spy.mockRestore();
  return sent;
}

/** As many as were sent when this was written, and some that may fall into that time. */
test.each([
  ['an unchanged source', 46, (): void => undefined],
  ['a changed source', 60, (): unknown => plane.answers.set('/list', serves('5.3.0.0/24\n5.4.0.0/24\n'))],
])('a refresh of %s sends few statements', async (_, most, change) => {
  plane.answers.set('/list', serves('5.1.0.0/24\n5.2.0.0/24\n'));
  await plane.succeeded(await plane.refresh(moduleId));
  await plane.succeeded(await plane.refresh(moduleId));
  change();
  const sent = await statementsOfRefresh();
  expect(sent.some((text) => text.includes('pgboss'))).toBe(true);
  expect(
    sent.length,
    sent.map((text) => text.replace(/\s+/g, ' ').slice(0, 160)).join('\n'),
  ).toBeLessThanOrEqual(most);
});
