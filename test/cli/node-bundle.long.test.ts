/** `prefixcast bundle`: what a node has pulled, and bundles that somebody has made up, looked into without the service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSigningKey } from '../../src/bundle/signing-key.ts';
import { parsePrefix } from '../../src/core/prefix.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { bundleOf, deltaBundleOf, document, key, trusted } from '../bundle/sample.ts';
import { startNodeService, type NodeService } from '../http/nodes/node-service.ts';
import { typist } from './desk/typing.ts';

const directory = mkdtempSync(join(tmpdir(), 'prefixcast-bundles-'));
let service: NodeService;
/** Without a service, as on the machine of a node that cannot reach it. */
const type = typist({});

beforeAll(async () => {
  service = await startNodeService();
});
afterAll(async () => {
  await service?.close();
  rmSync(directory, { recursive: true });
});

function written(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

test('the bundle that a node pulls is shown, verified and listed', async () => {
  await service.apply(await service.revisionOf(['192.0.2.0/24', '2001:db8::/32']));
  const assigned = await service.assigned();
  const { bytes } = await service.pull(assigned.bundle.url);
  const file = written('bundle.tar', bytes);
  const asked = typist({ PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.tenant.keys.viewer });
  const keys = written('keys.json', (await asked('bundle', 'keys', '-o', 'json')).out);
  expect(await type('bundle', 'verify', file, '--keys', keys)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`; nodes take it until ${assigned.expires_at}`) as string,
  });
  const { out } = await type('bundle', 'show', file, '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({
    speaker_id: service.speakerId,
    tenant_id: service.tenant.id,
    sequence: assigned.sequence,
    revision_id: assigned.revision_id,
    content_hash: assigned.content_hash,
    prefix_count: { ipv4: 1, ipv6: 1 },
    is_delta: false,
  });
  expect((await type('bundle', 'prefixes', file, '-o', 'name')).out).toBe('192.0.2.0/24\n2001:db8::/32\n');
  // The keys of another tenant have not signed it.
  const theirs = written('theirs.json', JSON.stringify({ items: await service.signingKeys(service.other) }));
  expect(await type('bundle', 'verify', file, '--keys', theirs)).toMatchObject({ code: 65, out: '' });
});

function tableOf(prefixes: readonly string[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const text of prefixes) {
    const prefix = parsePrefix(text);
    if (!prefix.ok) throw new Error(text);
    builder.add(prefix.value.family, prefix.value.words, prefix.value.length, '65000:100');
  }
  return builder.build();
}

const TABLE = tableOf(['192.0.2.0/24']);
const KEYS = JSON.stringify({ keys: [trusted()] });

test('peers are shown, and never a password', async () => {
  const file = written('sample.tar', bundleOf(TABLE));
  for (const format of ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name']) {
    const { code, out } = await type('bundle', 'show', file, '-o', format);
    expect(code).toBe(0);
    expect(out).not.toContain(document.speaker.peers[0]!.password);
  }
  const { out } = await type('bundle', 'show', file);
  expect(out).toMatch(/^peers +router \(192\.0\.2\.2, AS64500\)$/m);
  expect((await type('bundle', 'prefixes', file)).out).toMatch(/^192\.0\.2\.0\/24 +65000:100$/m);
});

test('a bundle of an unknown key, a changed one, an old one and no bundle are refused', async () => {
  const keys = written('trust.json', KEYS);
  const later = { expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  const good = bundleOf(TABLE, later);
  const verify = (name: string, bytes: Uint8Array | string) =>
    type('bundle', 'verify', written(name, bytes), '--keys', keys);
  expect(await verify('good.tar', good)).toMatchObject({ code: 0 });
  const foreign = bundleOf(TABLE, later, { pair: generateSigningKey() });
  expect(await verify('foreign.tar', foreign)).toMatchObject({
    code: 65,
    err: expect.stringContaining('which is not among those that are trusted') as string,
  });
  const changed = Buffer.from(good);
  changed[changed.indexOf('"sequence":7') + '"sequence":'.length]! ^= 1;
  expect(await verify('changed.tar', changed)).toMatchObject({
    code: 65,
    err: expect.stringContaining(`The key ${key.keyId} did not sign this manifest`) as string,
  });
  expect(await verify('old.tar', bundleOf(TABLE))).toMatchObject({
    code: 65,
    err: expect.stringContaining('It has expired at 2026-01-08') as string,
  });
  expect(await verify('none.tar', 'nothing')).toMatchObject({ code: 65 });
  expect(await type('bundle', 'verify', join(directory, 'missing.tar'), '--keys', keys)).toMatchObject({
    code: 66,
  });
  expect(
    await type('bundle', 'verify', join(directory, 'good.tar'), '--keys', join(directory, 'good.tar')),
  ).toMatchObject({ code: 66 });
  expect(await type('bundle', 'verify', join(directory, 'good.tar'))).toMatchObject({ code: 2 });
});

test('a bundle of what changed says that it has no more', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/25`);
  const delta = deltaBundleOf(tableOf(many), tableOf(many.slice(1)))!;
  const file = written('delta.tar', delta);
  expect(JSON.parse((await type('bundle', 'show', file, '-o', 'json')).out)).toMatchObject({
    is_delta: true,
  });
  expect(await type('bundle', 'prefixes', file)).toMatchObject({ code: 65, out: '' });
});
