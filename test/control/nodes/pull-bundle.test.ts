import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
import { latestBundles, type BundleTools } from '../../../src/control/nodes/bundles.ts';
import { findAskedBundle, piecesOf } from '../../../src/control/nodes/pull-bundle.ts';
import { RoutesCache } from '../../../src/control/nodes/routes-cache.ts';
import { signingKeys } from '../../../src/control/nodes/signing-keys.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import type { IssuedBundle } from '../../../src/store/nodes/bundles.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { insertRevision } from '../../../src/store/revisions/revisions.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { insertSpeaker } from '../../../src/store/speakers/speakers.ts';
import { relatedTables, tables } from '../../bundle/sample.ts';
import { useTenant } from '../../tenant.ts';
import { times } from '../../fuzz.ts';

const tenant = useTenant();
const secrets = new SecretBox(Buffer.alloc(32, 5));
const toolsOfAProcess = (): BundleTools => ({
  db: tenant.database.db,
  secrets,
  routes: new RoutesCache(tenant.database.db),
});

async function addAgent(): Promise<string> {
  const body = { name: `agent ${uuidv7()}`, mode: 'agent', local_asn: 64512 } as const;
  return (await tenant.run((tx) => insertSpeaker(tx, body))).resource.id;
}

function revisionOf(table: PrefixTable): Promise<{ id: string; contentHash: string }> {
  const prefix_count = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return tenant.run(async (tx) => {
    const contentHash = await storeTable(tx, encodeTable(table), prefix_count);
    const trigger = { kind: 'manual', module_id: null, job_id: null, actor: 'test' } as const;
    const { id } = await insertRevision(tx, {
      ...{ state: 'ready', content_hash: contentHash, parent_id: null, rollback_of: null },
      ...{ trigger, prefix_count, communities: [], warnings: [] },
    });
    return { id, contentHash };
  });
}

const run = (speakerId: string, revisionId: string) =>
  tenant.database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', [revisionId, speakerId]);

async function latest(tools: BundleTools, ids: readonly string[]): Promise<Map<string, IssuedBundle>> {
  const found = new Map<string, IssuedBundle>();
  for await (const { bundles } of latestBundles(tools, tenant.id, ids))
    for (const [id, bundle] of bundles) found.set(id, bundle);
  return found;
}

async function pull(tools: BundleTools, speakerId: string, from?: string): Promise<Buffer> {
  const bundle = (await latest(tools, [speakerId])).get(speakerId)!;
  const asked = await tenant.run((tx) =>
    findAskedBundle(tx, secrets, speakerId, bundle.revision_id, from === undefined ? {} : { from }),
  );
  return Buffer.concat([...(await piecesOf(tools, tenant.id, asked!))]);
}

test('what changed is never larger than the whole, and comes to the same; every process sends the same bytes', async () => {
  const keys = await tenant.run((tx) => signingKeys(tx, secrets));
  const trusted = keys.map(({ key_id, public_key, not_after }) => ({
    ...{ key_id, not_after },
    public_key: public_key.toString('base64'),
  }));
  const pairs = fc.oneof(relatedTables, fc.tuple(tables, tables));
  await fc.assert(
    fc.asyncProperty(pairs, async ([before, after]) => {
      const [tools, others] = [toolsOfAProcess(), toolsOfAProcess()];
      const speakerId = await addAgent();
      const base = await revisionOf(before);
      await run(speakerId, (await revisionOf(after)).id);
      const whole = await pull(tools, speakerId);
      const delta = await pull(tools, speakerId, base.id);
      expect(delta.length).toBeLessThanOrEqual(whole.length);
      expect((await pull(others, speakerId, base.id)).equals(delta)).toBe(true);
      expect((await pull(others, speakerId)).equals(whole)).toBe(true);
      const reader = {
        ...{ trusted, tenantId: tenant.id, speakerId, highestSequence: null, now: new Date() },
        base: { contentHash: base.contentHash, table: before },
      };
      for (const bytes of [whole, delta]) expect(openBundle(bytes, reader).routes.table).toEqual(after);
    }),
    { numRuns: times(25) },
  );
});

test('processes that are asked at once issue one bundle to each speaker', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, addAgent));
  const { id } = await revisionOf(fc.sample(tables, { numRuns: 1, seed: 1 })[0]!);
  for (const speakerId of ids) await run(speakerId, id);
  const answers = await Promise.all(Array.from({ length: 4 }, () => latest(toolsOfAProcess(), ids)));
  const reported = answers.map((answer) => ids.map((speakerId) => answer.get(speakerId)!));
  for (const bundles of reported)
    for (const [index, { issue, sha256, sequence }] of bundles.entries())
      expect({ issue, sha256, sequence }).toEqual({
        issue: 1,
        sha256: reported[0]![index]!.sha256,
        sequence: reported[0]![index]!.sequence,
      });
});
