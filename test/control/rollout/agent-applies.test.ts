import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportApplied } from '../../../src/control/rollout/agent-applies.ts';
import { latestBundles } from '../../../src/control/nodes/bundles.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { RoutesCache } from '../../../src/control/nodes/routes-cache.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { noteAgent } from '../../../src/store/nodes/agents.ts';
import type { IssuedBundle } from '../../../src/store/nodes/bundles.ts';
import { insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let moduleId: string;
let octet = 20;

beforeAll(async () => {
  plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  const module = await plane.run((tx) => createModule(tx, { name: 'ranges', type: 'IP_RANGES' }));
  moduleId = module.resource.id;
});
afterAll(() => plane.close());

/** A revision of one range more than the last. */
async function build(): Promise<string> {
  const cidr = `${octet++}.0.0.0/16`;
  await plane.run((tx) => insertIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
  return String((await plane.succeeded(await plane.refresh(moduleId))).revision_id);
}

async function addSpeaker(name: string): Promise<string> {
  const body = { name, mode: 'agent', daemon: 'bird', local_asn: 64512 } as const;
  return (await plane.run((tx) => createSpeaker(tx, plane.context, body))).resource.id;
}

/** A speaker whose node has enrolled. */
async function addAgent(name: string): Promise<string> {
  const id = await addSpeaker(name);
  await plane.run((tx) => noteAgent(tx, id, { version: 'test', hostname: name }));
  return id;
}

/** What the node of the speaker pulls, once it is that revision; others may ask at the same time. */
function pulled(
  speakerId: string,
  revisionId: string,
  others: readonly string[] = [],
): Promise<IssuedBundle> {
  const { db } = plane.database;
  const tools = { db, secrets: plane.context.secrets, routes: new RoutesCache(db) };
  return waitFor(
    async () => {
      for await (const { bundles } of latestBundles(tools, plane.tenantId, [...others, speakerId])) {
        const bundle = bundles.get(speakerId);
        if (bundle?.revision_id === revisionId) return bundle;
      }
      return false;
    },
    { what: 'the revision to be issued' },
  );
}

const applied = { status: 'applied', announced: 1, withdrawn: 0, changed: 0, error: null } as const;

test('the apply waits for the word of every node, and its result reports each', async () => {
  const [good, bad] = [await addAgent('good'), await addAgent('bad')];
  const revision = await build();
  const job = await plane.apply(revision, [good, bad]);
  const { sequence } = await pulled(good, revision);
  await plane.run((tx) => reportApplied(tx, good, { ...applied, sequence }));
  expect((await plane.job(job.id)).state).toBe('running');
  const failed = { ...applied, status: 'failed', error: 'BIRD would not.' } as const;
  const other = await pulled(bad, revision);
  await plane.run((tx) => reportApplied(tx, bad, { ...failed, sequence: other.sequence }));
  const ended = await plane.ended(job);
  expect(ended).toMatchObject({ state: 'failed', error: { code: 'apply_failed' } });
  const { speakers } = ended.result as { speakers: Record<string, unknown>[] };
  expect(speakers.find(({ speaker_id: id }) => id === good)).toMatchObject({
    status: 'applied',
    announced: 1,
  });
  expect(speakers.find(({ speaker_id: id }) => id === bad)).toMatchObject({
    status: 'failed',
    error: 'BIRD would not.',
  });
  expect((await plane.speaker(good)).applied_revision_id).toBe(revision);
  expect((await plane.speaker(bad)).applied_revision_id).toBeNull();
});

test('a node that runs the revision already is not waited for', async () => {
  const speaker = await addAgent('same');
  const revision = await build();
  const first = await plane.apply(revision, [speaker]);
  const { sequence } = await pulled(speaker, revision);
  await plane.run((tx) => reportApplied(tx, speaker, { ...applied, sequence }));
  await plane.succeeded(first);
  const again = await plane.apply(revision, [speaker]);
  await waitFor(
    async () => {
      await pulled(speaker, revision);
      return (await plane.job(again.id)).finished_at !== null;
    },
    { what: 'the apply to end' },
  );
  const { speakers } = (await plane.job(again.id)).result as { speakers: unknown[] };
  expect(speakers).toMatchObject([{ status: 'unchanged', announced: 0 }]);
});

test('a speaker whose node has not enrolled is skipped at once, with what to do', async () => {
  const [enrolled, waiting] = [await addAgent('enrolled'), await addSpeaker('waiting')];
  const revision = await build();
  const job = await plane.apply(revision, [enrolled, waiting]);
  const { sequence } = await pulled(enrolled, revision);
  await plane.run((tx) => reportApplied(tx, enrolled, { ...applied, sequence }));
  const { speakers } = (await plane.succeeded(job)) as { speakers: Record<string, unknown>[] };
  expect(speakers.find(({ speaker_id: id }) => id === enrolled)).toMatchObject({ status: 'applied' });
  expect(speakers.find(({ speaker_id: id }) => id === waiting)).toMatchObject({
    ...{ status: 'skipped', code: null, announced: 0 },
    error: expect.stringContaining(`/v1/speakers/${waiting}/enrollment-tokens`) as string,
  });
  const alone = await plane.succeeded(await plane.apply(revision, [waiting]));
  expect(alone).toMatchObject({ speakers: [{ speaker_id: waiting, status: 'skipped' }] });
  expect((await plane.speaker(waiting)).applied_revision_id).toBeNull();
});

/** Lets it seem that nobody has heard of the node of the speaker for that long. */
const silence = (speakerId: string, since: string): Promise<unknown> =>
  plane.database.admin('UPDATE speaker SET agent_last_seen_at = now() - $2::interval WHERE id = $1', [
    speakerId,
    since,
  ]);

test('a node that is away keeps nobody waiting, and takes the revision when it is back', async () => {
  const [here, away] = [await addAgent('here'), await addAgent('away')];
  await silence(away, '2 minutes');
  await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 1 }));
  const revision = await build();
  const job = await plane.apply(revision, [here, away]);
  const { sequence } = await pulled(here, revision);
  await plane.run((tx) => reportApplied(tx, here, { ...applied, sequence }));
  const { speakers } = (await plane.succeeded(job)) as { speakers: Record<string, unknown>[] };
  await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 0 }));
  const { last_seen_at: seen } = (await plane.speaker(away)).agent!;
  expect(speakers.find(({ speaker_id: id }) => id === here)).toMatchObject({ status: 'applied' });
  expect(speakers.find(({ speaker_id: id }) => id === away)).toMatchObject({
    ...{ status: 'unreachable', code: 'speaker_unreachable' },
    error: `The agent on away, last seen at ${seen}, is out of reach. Its BIRD goes on announcing what it ran, if it runs, and the agent applies the revision when it is back.`,
  });
  const late = await pulled(away, revision);
  await plane.run((tx) => reportApplied(tx, away, { ...applied, sequence: late.sequence }));
  expect((await plane.speaker(away)).applied_revision_id).toBe(revision);
});

test('nor does one that goes with the revision in its hands, and says later that it runs it', async () => {
  const [here, gone] = [await addAgent('near'), await addAgent('gone')];
  const revision = await build();
  const job = await plane.apply(revision, [here, gone]);
  const [near, late] = [await pulled(here, revision), await pulled(gone, revision)];
  await silence(gone, '2 minutes');
  await plane.run((tx) => reportApplied(tx, here, { ...applied, sequence: near.sequence }));
  const { speakers } = (await plane.succeeded(job)) as { speakers: Record<string, unknown>[] };
  expect(speakers.find(({ speaker_id: id }) => id === gone)).toMatchObject({ status: 'unreachable' });
  await plane.run((tx) => reportApplied(tx, gone, { ...applied, sequence: late.sequence }));
  expect((await plane.speaker(gone)).applied_revision_id).toBe(revision);
});

test('an apply that reaches no node at all has failed, at once', async () => {
  const away = await addAgent('far');
  await silence(away, '1 day');
  const ended = await plane.ended(await plane.apply(await build(), [away]));
  expect(ended).toMatchObject({ state: 'failed', error: { code: 'apply_failed' } });
  expect(ended.error!.detail).toContain('far');
  expect(ended.result).toMatchObject({ speakers: [{ speaker_id: away, status: 'unreachable' }] });
});

test('a node that was heard of a moment ago is waited for', async () => {
  const slow = await addAgent('slow');
  await silence(slow, '20 seconds');
  const revision = await build();
  const job = await plane.apply(revision, [slow]);
  await sleep(6_000); // for an end that must not come
  expect((await plane.job(job.id)).finished_at).toBeNull();
  const { sequence } = await pulled(slow, revision);
  await plane.run((tx) => reportApplied(tx, slow, { ...applied, sequence }));
  await plane.succeeded(job);
});

test('content that is damaged fails the apply that wants it, and no other', async () => {
  const [bad, good] = [await addAgent('damaged'), await addAgent('whole')];
  const first = await build();
  const second = await build();
  const { content_hash: hash } = await plane.revision(second);
  await plane.database.admin(
    "UPDATE content_block SET bytes = '' WHERE hash = ANY ((SELECT block_hashes FROM content WHERE content_hash = decode($1, 'hex'))::bytea[])",
    [hash],
  );
  // Small contents lie in one block, which is another for each.
  const damaged = await plane.apply(second, [bad]);
  const { db } = plane.database;
  const tools = { db, secrets: plane.context.secrets, routes: new RoutesCache(db) };
  const ended = await waitFor(
    async () => {
      // Of the other speakers of the tenant that are asked for at the same time, each gets its own.
      for await (const _ of latestBundles(tools, plane.tenantId, [bad, good])) continue;
      const job = await plane.job(damaged.id);
      return job.finished_at !== null && job;
    },
    { what: 'the apply of the damaged content to end' },
  );
  expect(ended.state).toBe('failed');
  const { speakers } = ended.result as { speakers: { error: string }[] };
  expect(speakers[0]!.error).toContain('The block');
  const job = await plane.apply(first, [good]);
  const { sequence } = await pulled(good, first, [bad]);
  await plane.run((tx) => reportApplied(tx, good, { ...applied, sequence }));
  await plane.succeeded(job);
});

test('no process of the service holds the speaker of a node', async () => {
  const holding = await plane.hold();
  const [agent, local] = [await addAgent('held'), (await plane.addSpeaker('local')).id];
  await waitFor(async () => (await plane.speaker(local)).live?.reachable === true, { what: 'the lease' });
  expect((await plane.speaker(agent)).live?.reachable).toBe(false);
  const leases = await plane.database.admin('SELECT FROM speaker_lease WHERE speaker_id = $1', [agent]);
  expect(leases).toEqual([]);
  await holding.close();
});
