import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RevisionPreview } from '../../../src/api/revisions/preview.ts';
import type { PeerCreate } from '../../../src/api/speakers/peers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { previewRevision } from '../../../src/control/previews/preview-revision.ts';
import { listAllPeers } from '../../../src/store/speakers/peers.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { deleteSpeaker, insertSpeaker } from '../../../src/store/speakers/speakers.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
let blue: string;

beforeAll(async () => {
  plane = guarded.plane;
  blue = await plane.addCommunity('64500:2');
});
beforeEach(async () => {
  for (const { id } of await plane.run(listAllPeers))
    await plane.run((tx) => removePeer(tx, plane.context, id, null));
});

const preview = (id: string, query = {}): Promise<RevisionPreview> =>
  plane.run((tx) => previewRevision(tx, plane.context.secrets, id, query));

const addPeer = async (body: Partial<PeerCreate>) => {
  const whole = { name: 'p', address: '127.0.0.9', port: await freePort(), remote_asn: 64496, ...body };
  return (await plane.run((tx) => createPeer(tx, plane.context, whole))).resource;
};

/** A module of ranges, all of the community blue. */
async function addBlue(...cidrs: string[]): Promise<string> {
  const id = await guarded.addModule('blue', { type: 'IP_RANGES', community_id: blue });
  const bodies = cidrs.map((cidr) => ({ cidr }));
  await plane.run((tx) => createIpRangeEntries(tx, id, bodies, () => ''));
  return id;
}

describe('a preview', () => {
  test('says what the apply does then', async () => {
    const { moduleId } = await applied(guarded, scattered(20));
    await guarded.set({ auto_apply: false });
    const blueId = await addBlue('46.0.0.0/24', '45.0.10.0/24', '2600::/32');
    guarded.answer('/list', scattered(20, 5));
    await guarded.refresh(moduleId);
    const { id, communities } = await guarded.refresh(blueId);
    const { findings, frozen, speakers } = await preview(id);
    expect({ findings, frozen }).toEqual({ findings: [], frozen: false });
    const [speaker] = speakers;
    expect(speaker).toMatchObject({
      name: 'one',
      applied_revision_id: await guarded.runs(),
      prefix_count: { ipv4: 21, ipv6: 1 },
      refusals: [],
    });
    expect(speaker!.communities).toEqual(
      communities.map(({ community, title, prefix_count }) => ({ community, title, prefix_count })),
    );
    const { result } = await plane.ended(await guarded.apply({ revision_id: id }));
    const [done] = result!.speakers as Record<string, unknown>[];
    expect(done).toMatchObject({ status: 'applied', ...speaker!.difference });
    expect(speaker!.difference).toMatchObject({ announced: 7, withdrawn: 5, changed: 1 });
    const after = await preview(id);
    expect(after.speakers[0]!.difference).toEqual({ announced: 0, withdrawn: 0, changed: 0 });
  });

  test('counts for each peer what its filter, families and next hops leave', async () => {
    const { moduleId } = await applied(guarded, scattered(20));
    const blueId = await addBlue('46.0.0.0/24', '46.0.2.0/24', '2600::/32');
    await addPeer({ name: 'all', address: '127.0.0.9', next_hop_ipv6: '2001:db8::9' });
    await addPeer({ name: 'blue only', address: '127.0.0.10', community_ids: [blue], max_prefixes_out: 2 });
    await addPeer({ name: 'ipv6 only', address: '127.0.0.11', families: ['ipv6'], max_prefixes_out: 2 });
    await addPeer({ name: 'few', address: '127.0.0.12', families: ['ipv4'], max_prefixes_out: 21 });
    await guarded.refresh(moduleId);
    const { speakers } = await preview((await guarded.refresh(blueId)).id);
    const peers = speakers[0]!.peers.map(
      ({ name, communities, prefix_count, without_next_hop, max_prefixes_out_exceeded: over }) => [
        ...[name, communities, Object.values(prefix_count), Object.values(without_next_hop), over],
      ],
    );
    expect(peers).toEqual([
      ['all', null, [22, 1], [0, 0], false],
      ['blue only', ['64500:2'], [2, 0], [0, 1], false],
      ['ipv6 only', null, [0, 0], [0, 1], false],
      ['few', null, [22, 0], [0, 0], true],
    ]);
  });

  test('reports the guardrails of today, and the freeze', async () => {
    const { moduleId } = await applied(guarded, scattered(20));
    await guarded.set({ guard_max_prefixes: 10, deploy_freeze: true });
    const { items } = await plane.run((tx) => listRevisions(tx, { limit: 500 }));
    const { state, findings, frozen } = await preview(items[0]!.id);
    expect({ state, frozen }).toEqual({ state: 'ready', frozen: true });
    expect(findings).toMatchObject([{ code: 'max_prefixes_exceeded', measured: 20, limit: 10 }]);
    await guarded.set({ guard_max_prefixes: null, guard_scope: 'revision' });
    guarded.answer('/list', ['44.0.0.0/7']);
    const held = await preview((await guarded.refresh(moduleId)).id);
    expect(held).toMatchObject({
      state: 'held',
      findings: [{ code: 'prefix_too_short' }, { code: 'max_change_exceeded' }],
    });
    expect(held.speakers[0]!.difference).toEqual({ announced: 1, withdrawn: 20, changed: 0 });
  });

  test('shows the configuration as the daemon reads it, without a secret', async () => {
    const { id } = await guarded.refresh((await applied(guarded, scattered(3))).moduleId);
    const body = { name: 'three', local_asn: 64512, daemon: 'bird' } as const;
    const { resource: bird } = await plane.run((tx) => insertSpeaker(tx, body));
    await addPeer({ name: 'guarded', password: 'hunter2-secret', speaker_ids: [bird.id], passive: true });
    const { speakers } = await preview(id, { speaker_id: bird.id });
    expect(JSON.stringify(speakers)).not.toContain('hunter2');
    const { model, files } = speakers[0]!.configuration;
    expect(model).toMatchObject({ name: 'three', peers: [{ name: 'guarded', password: '***' }] });
    expect(files.map(({ path }) => path)).toEqual([expect.stringMatching(/^pc_\w+\.conf$/)]);
    expect(files[0]!.content).toMatch(/^ {2}password "\*\*\*";$/m);
    expect(speakers[0]).toMatchObject({ refusals: [], difference: { announced: 3 } });
    const [builtin] = (await preview(id)).speakers;
    // Nobody holds it, so an apply would wait for it.
    for (const { id: peerId } of await plane.run(listAllPeers))
      await plane.run((tx) => removePeer(tx, plane.context, peerId, null));
    await plane.run((tx) => deleteSpeaker(tx, bird.id, null));
    expect(builtin!.configuration).toMatchObject({
      model: { name: 'one', local_asn: 64512 },
      files: [{ path: 'speaker.json' }],
    });
  });

  test('is of one speaker where the query says so', async () => {
    const { id } = await guarded.refresh((await applied(guarded, scattered(3))).moduleId);
    const two = await plane.addSpeaker('two');
    expect((await preview(id)).speakers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['one', 'two']),
    );
    const { speakers } = await preview(id, { speaker_id: two.id });
    expect(speakers).toMatchObject([{ name: 'two', applied_revision_id: null }]);
    expect(speakers[0]!.difference).toEqual({ announced: 3, withdrawn: 0, changed: 0 });
    const nobody = '01900000-0000-7000-8000-000000000000';
    await expect(preview(id, { speaker_id: nobody })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
