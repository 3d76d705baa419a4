import { mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_REMEDY, writeIdentity } from '../../src/agent/identity.ts';
import { readTrust } from '../../src/agent/trust-file.ts';
import { generateSigningKey } from '../../src/bundle/signing-key.ts';
import { trusted } from '../bundle/sample.ts';
import { waitFor } from '../daemons/wait.ts';
import { alone, goodBundle, identity, playNode, type PlayedNode, type Question } from './played.ts';

// Each step may take its time where many tests share the machine.

let node: PlayedNode | undefined;
afterEach(async () => {
  await node?.close();
  node = undefined;
});

const isLatest = ({ path }: Question): boolean => path.includes('/latest');
const gaps = (questions: readonly Question[]): number[] =>
  questions.slice(1).map(({ at }, index) => at - questions[index]!.at);

/** Of the shortest pause, what timers may be early by. */
const PAUSE = 900;

describe('a node whose questions are answered at once, since somebody in between alters entity tags', () => {
  test('does not ask without an end', async () => {
    const { bytes, latest } = goodBundle();
    node = await playNode((question) => ({ body: isLatest(question) ? latest : bytes }));
    await waitFor(() => node!.reports().some(({ sequence }) => sequence === 7), {
      what: 'the bundle to be taken',
    });
    const first = node.of('latest').length;
    await waitFor(() => node!.of('latest').length >= first + 3, { what: 'further questions' });
    for (const gap of gaps(node.of('latest').slice(first))) expect(gap).toBeGreaterThan(PAUSE);
    expect(node.of('bundle')).toHaveLength(1);
  });

  test('does not pull what it refuses again and again either', async () => {
    const { bytes, latest } = goodBundle();
    const damaged = bytes.subarray(0, bytes.length - 1);
    node = await playNode((question) => ({ body: isLatest(question) ? latest : damaged }));
    await waitFor(() => node!.of('bundle').length >= 3, { what: 'further attempts' });
    for (const gap of gaps(node.of('bundle'))) expect(gap).toBeGreaterThan(PAUSE);
  });
});

test('a node that gets answers and no bundles asks seldom, and says once that it cannot follow', async () => {
  const { bytes, latest } = goodBundle();
  let isBroken = true;
  node = await playNode((question) => {
    if (!isLatest(question)) return isBroken ? { status: 502 } : { body: bytes };
    const has = question.headers['if-none-match'] === '"7"';
    return has ? { status: 304 } : { headers: { etag: '"7"' }, body: latest };
  });
  const { said } = node;
  await waitFor(() => node!.of('bundle').length >= 4, { what: 'further attempts' });
  expect(said.filter((line) => line.includes('answers 502'))).toHaveLength(1);
  expect(said).not.toContain('The control plane answers again');
  const pauses = gaps(node.of('bundle'));
  expect(pauses.at(-1)).toBeGreaterThan(2_500);
  isBroken = false;
  await waitFor(() => node!.reports().some(({ sequence }) => sequence === 7), {
    what: 'the bundle to be taken',
  });
  expect(said).toContain('The control plane answers again');
});

test('a node that is sent nothing any more forgets what it could not take', async () => {
  const { bytes, latest } = goodBundle();
  const damaged = bytes.subarray(0, bytes.length - 1);
  const nothing = JSON.stringify({ code: 'revision_not_ready', detail: 'x' });
  let isGone = false;
  node = await playNode((question) => {
    if (!isLatest(question)) return { body: damaged };
    return isGone ? { status: 409, body: nothing } : { headers: { etag: '"7"' }, body: latest };
  });
  await waitFor(() => node!.of('bundle').length > 0, { what: 'an attempt' });
  isGone = true;
  const first = node.of('latest').length;
  // Every one of them is held back as long as may be: here nobody does.
  await waitFor(() => node!.of('latest').length >= first + 6, { what: 'further questions' });
  expect(node.of('latest').at(-1)!.path).toContain('wait=50');
});

test('a node that cannot keep what it runs tries until it can', async () => {
  const { bytes, latest } = goodBundle();
  let place = '';
  node = await playNode(
    (question) => ({ body: isLatest(question) ? latest : bytes }),
    (path) => mkdirSync((place = join(path, 'bundle.tar'))),
  );
  await waitFor(
    () =>
      node!
        .reports()
        .some(({ status, error }) => status === 'failed' && error?.startsWith('state_unwritable')),
    {
      what: 'the node to say so',
    },
  );
  rmdirSync(place);
  await waitFor(() => statSync(place, { throwIfNoEntry: false })?.isFile(), {
    what: 'the bundle to be kept',
  });
  await waitFor(() => node!.reports().at(-1)!.status !== 'failed', { what: 'the good end' });
});

test('a node that refuses an old bundle, since the database was restored, reports which number it knows', async () => {
  const now = goodBundle();
  const old = goodBundle({ sequence: 5 });
  let isRestored = false;
  node = await playNode((question) => {
    const { bytes, latest } = isRestored ? old : now;
    return { body: isLatest(question) ? latest : bytes };
  });
  await waitFor(() => node!.reports().some(({ sequence }) => sequence === 7), {
    what: 'the bundle to be taken',
  });
  isRestored = true;
  const refused = await waitFor(() => node!.reports().find(({ status }) => status === 'failed'), {
    what: 'the refusal',
  });
  expect(refused.error).toMatch(/^bundle_replayed: /);
  expect(refused.sequence).toBe(7);
});

test('a node that is enrolled again while its agent runs believes the keys that it was given then', async () => {
  const next = generateSigningKey();
  const renewed = { ...identity, api_key: { id: 'k2', secret: 'pc_n_2' } };
  const before = goodBundle();
  const after = goodBundle({ sequence: 8 }, 2, { speaker: alone, pair: next });
  let isLost = false;
  node = await playNode((question) => {
    const { path, headers } = question;
    const { bytes, latest } = isLost ? after : before;
    if (isLost && headers.authorization !== 'Bearer pc_n_2') return { status: 401 };
    if (path.endsWith('/signing-key')) return { body: '{"items":[]}' };
    return { body: isLatest(question) ? latest : bytes };
  });
  await waitFor(() => node!.reports().some(({ sequence }) => sequence === 7), {
    what: 'the bundle to be taken',
  });
  await writeIdentity(node.directory, renewed, { keys: [trusted(next)], highest_sequence: null });
  isLost = true;
  await waitFor(
    () => node!.reports().some(({ sequence, status }) => sequence === 8 && status === 'applied'),
    {
      what: 'the bundle of the new key',
      details: () => node!.said.join('\n'),
    },
  );
  expect((await readTrust(node.directory, NODE_REMEDY)).keys.map(({ key_id: id }) => id)).toContain(
    next.keyId,
  );
});

test('a node whose bundle could not be read brings it back once it can, without a control plane', async () => {
  const { bytes } = goodBundle();
  let place = '';
  node = await playNode(
    () => ({ status: 503 }),
    (path) => mkdirSync((place = join(path, 'bundle.tar'))),
  );
  await waitFor(() => node!.said.some((line) => line.includes('state_unreadable')), {
    what: 'the node to say so',
  });
  rmdirSync(place);
  writeFileSync(place, bytes);
  await waitFor(() => node!.reports().some(({ sequence }) => sequence === 7), { what: 'what ran before' });
});
