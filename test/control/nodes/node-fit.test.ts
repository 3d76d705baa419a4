/** What bundles say of covers for peers over their limit. */
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { readSpeakerDocument } from '../../../src/bundle/speaker-document.ts';
import { desiredStates, type DesiredState } from '../../../src/control/nodes/desired-states.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import type { OwnAddress } from '../../../src/core/own-addresses.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { listAgentStates } from '../../../src/store/nodes/bundles.ts';
import { saveRevisionInputs } from '../../../src/store/revisions/revision-history.ts';
import { insertRevision } from '../../../src/store/revisions/revisions.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { insertPeer } from '../../../src/store/speakers/peers.ts';
import { insertSpeaker } from '../../../src/store/speakers/speakers.ts';
import { putSettings } from '../../../src/store/tenants/settings.ts';
import { bigTable } from '../../speakers/builtin/models.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();
const secrets = new SecretBox(Buffer.alloc(32, 5));
const SERVICE = { prefix: '198.18.0.5', of: 'the service' };

const store = (table: PrefixTable): Promise<string> =>
  tenant.run((tx) => storeTable(tx, encodeTable(table), { ipv4: table.ipv4.size, ipv6: table.ipv6.size }));

/** A node that runs a revision which takes so many prefixes out, with a peer that may be sent a cover. */
async function addNode(excluded: number): Promise<string> {
  const content_hash = await store(bigTable(3, ['65000:100']));
  const without = await store(bigTable(excluded, [uuidv7()]));
  return tenant.run(async (tx) => {
    const body = { name: `agent ${uuidv7()}`, mode: 'agent', local_asn: 64512 } as const;
    const { id } = (await insertSpeaker(tx, body)).resource;
    await insertPeer(tx, secrets, {
      ...{ name: `narrow ${id}`, address: '192.0.2.9', remote_asn: 64500, speaker_ids: [id] },
      ...{ max_prefixes_out: 2, when_too_many: 'fit' },
    });
    const trigger = { kind: 'manual', module_id: null, job_id: null, actor: 'test' } as const;
    const revision = await insertRevision(tx, {
      ...{ state: 'ready', content_hash, parent_id: null, rollback_of: null, trigger },
      ...{ prefix_count: { ipv4: 3, ipv6: 0 }, communities: [], warnings: [] },
    });
    const module = {
      module_id: uuidv7(),
      name: 'not these',
      purpose: 'exclude',
      families: ['ipv4'],
    } as const;
    await saveRevisionInputs(tx, revision.id, [
      {
        ...module,
        ...{ content_hash: without, entries_hash: null, policy_hash: null, left_out: [], released: [] },
      },
    ]);
    await tx.sql
      .updateTable('speaker')
      .set({ applied_revision_id: revision.id })
      .where('id', '=', id)
      .execute();
    return id;
  });
}

/** What the node is to run, as a process at these addresses sees it. */
async function stateOf(id: string, ownAddresses: readonly OwnAddress[] = []) {
  return tenant.run(async (tx) => {
    const ours = Object.assign(Object.create(tx) as typeof tx, { ownAddresses });
    const agents = await listAgentStates(ours, [id]);
    const { states } = await desiredStates(ours, secrets, agents, new Date());
    const [state] = states as [DesiredState];
    return { fingerprint: state.fingerprint, ...readSpeakerDocument(await state.document()) };
  });
}

test('a bundle has what no cover may take in, in the fewest prefixes', async () => {
  await tenant.run((tx) =>
    putSettings(tx, { guard_bogons: 'allow', guard_protected_prefixes: ['45.0.0.0/24'] }),
  );
  const { speaker, fit } = await stateOf(await addNode(4));
  expect(speaker.peers[0]!.fits).toBe(true);
  expect(fit).toEqual({
    ...{ maxAddedPercent: 10, shortest: { ipv4: 8, ipv6: 19 } },
    // The first four of the table, what the setting protects, and the peer itself.
    forbidden: ['16.0.0.0/22', '45.0.0.0/24', '192.0.2.9/32'],
  });
});

test('processes of the service at other addresses agree on it, and protect their own', async () => {
  const id = await addNode(4);
  const [here, there] = [await stateOf(id), await stateOf(id, [SERVICE])];
  expect(there.fingerprint).toEqual(here.fingerprint);
  expect(there.fit!.forbidden).toContain('198.18.0.5/32');
  await tenant.run((tx) => putSettings(tx, { guard_protected_prefixes: ['46.0.0.0/24'] }));
  expect((await stateOf(id)).fingerprint).not.toEqual(here.fingerprint);
});

test('a peer keeps what it has where a bundle has no room for what is taken out', async () => {
  const { speaker, fit } = await stateOf(await addNode(200_001));
  expect(fit).toBeUndefined();
  expect(speaker.peers[0]).not.toHaveProperty('fits');
});
