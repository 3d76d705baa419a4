import { beforeAll, expect, test } from 'vitest';
import type { CdnSourceCreate } from '../../../src/api/entries/cdn-sources.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import type { ControlContext } from '../../../src/control/context.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { listSourcesToCollect } from '../../../src/store/entries/cdn-sources.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { useTenant } from '../../tenant.ts';

const secrets = new SecretBox(Buffer.alloc(32, 5));
const nothing = () => Promise.reject(new Error('Creating sources queues nothing'));
const queue = { enqueue: nothing, resend: nothing };
const context: ControlContext = {
  actor: 'key:test',
  role: 'operator',
  speakerId: null,
  firewallClientId: null,
  peerReach: { allow: [], own: [] },
  drivenDaemons: ['builtin'],
  queue,
  secrets,
};

const tenant = useTenant();
let moduleId: string;
beforeAll(async () => {
  const body = { name: 'many', type: 'CDN_SOURCES' } as const;
  moduleId = (await tenant.run((tx) => createModule(tx, body))).resource.id;
});

const create = (bodies: readonly CdnSourceCreate[]) =>
  tenant.run((tx) => createCdnSources(tx, context, moduleId, bodies, (index) => `/items/${index}`));
const count = async () => (await tenant.run((tx) => getModule(tx, moduleId))).resource.entry_count;

/** More than go into one statement. */
const bodies = Array.from({ length: 1_200 }, (_, n) => ({
  name: `source ${n}`,
  url: `https://lists.example/${n}`,
  ...(n % 2 === 0 ? {} : { format: 'csv' as const, csv_column: '2', enabled: n % 3 === 0 }),
  ...(n % 400 === 0 ? { headers: { Authorization: `token ${n}` } } : {}),
}));

test('more sources than one statement takes are created in their order, each as it was given', async () => {
  const made = await create(bodies);
  expect(made.map(({ resource }) => resource.name)).toEqual(bodies.map(({ name }) => name));
  expect(made[0]!.resource).toMatchObject({
    format: 'auto',
    enabled: true,
    headers: { Authorization: null },
  });
  expect(made[1]!.resource).toMatchObject({ format: 'csv', csv_column: '2', enabled: false, headers: {} });
  const collected = await tenant.run((tx) => listSourcesToCollect(tx, moduleId, secrets));
  expect(collected.find(({ url }) => url.endsWith('/800'))!.headers).toEqual({ Authorization: 'token 800' });
  expect(await count()).toBe(1_200);
});

test('one name that is taken keeps all out, wherever it stands', async () => {
  const more = bodies.map((body) => ({ ...body, name: `other ${body.name}` }));
  more[1_100] = { ...more[1_100]!, name: 'source 7' };
  await expect(create(more)).rejects.toMatchObject({
    code: 'conflict',
    errors: [{ pointer: '/items/1100/name', detail: expect.stringContaining('source 7') as unknown }],
  });
  expect(await count()).toBe(1_200);
});

test('every fault is reported at once, in the order of the items', async () => {
  const wrong = bodies.slice(0, 12).map((body) => ({ ...body, name: `new ${body.name}` }));
  wrong[10] = { ...wrong[10]!, url: 'ftp://lists.example/' };
  wrong[2] = { ...wrong[2]!, name: wrong[1]!.name };
  await expect(create(wrong)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/items/2/name' }, { pointer: '/items/10/url' }],
  });
  expect(await count()).toBe(1_200);
});
