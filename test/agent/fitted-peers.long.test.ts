/** A peer of a node that is sent a cover of at most so many routes, at a real BIRD; the tests go on from one another. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FinishedJob } from '../../demo/service.ts';
import type { PeerApplyResult, SpeakerApplyResult } from '../../src/api/revisions/apply.ts';
import type { Peer } from '../../src/api/speakers/peers.ts';
import type { RevisionPreview } from '../../src/api/revisions/preview.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const LISTS = ['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/25'];
const COVER = ['45.0.0.0/23', '46.0.0.0/25'];

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a peer of a node that is to be sent a cover', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let peerId: string;

  const settings = (body: object): Promise<unknown> => world.service.call('PATCH', '/v1/settings', body);
  const limit = (maximum: number): Promise<unknown> =>
    world.service.call('PATCH', `/v1/peers/${peerId}`, {
      ...{ max_prefixes_out: maximum, when_too_many: 'fit' },
    });
  /** What became of the peer when exactly these were applied. */
  const apply = async (prefixes: readonly string[]): Promise<PeerApplyResult | undefined> => {
    const { id } = await world.ask(prefixes);
    const ended = await waitFor(
      async () => {
        const job = await world.service.get<FinishedJob>(`/v1/jobs/${id}`);
        return ['succeeded', 'failed'].includes(job.state) ? job : undefined;
      },
      { what: 'the apply to end', details: agent.said },
    );
    const { speakers } = ended.result as { speakers: SpeakerApplyResult[] };
    const own = speakers.find(({ speaker_id: speaker }) => speaker === world.speakerId);
    return own!.peers.find(({ name }) => name === 'bird');
  };
  /** What the latest revision would do to the peer. */
  const preview = async () => {
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/revisions');
    const { speakers } = await world.service.get<RevisionPreview>(`/v1/revisions/${items[0]!.id}/preview`);
    const own = speakers.find(({ speaker_id: speaker }) => speaker === world.speakerId)!;
    const { fitted, unfitted } = own.peers[0]!;
    return { fitted, unfitted };
  };

  /** What its session says, once it says so. */
  const lastError = (): Promise<string> =>
    waitFor(
      async () => {
        const { session_on_speakers: sessions } = await world.service.get<Peer>(`/v1/peers/${peerId}`);
        return sessions[0]?.last_error ?? undefined;
      },
      { what: 'an error of the session' },
    );

  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    const { items } = await world.service.get<{ items: { id: string }[] }>('/v1/peers');
    peerId = items[0]!.id;
    await world.announce(LISTS.slice(0, 1));
    await limit(2);
  });
  afterAll(() => world?.close());

  test('keeps what it has where that adds more than the setting allows, and says what it would cost', async () => {
    const peer = await apply(LISTS);
    expect(peer).toMatchObject({ status: 'over_limit', announced: 1, fitted: null });
    expect(peer!.error).toBe(
      'its routes are more than max_prefixes_out, so it keeps the 1 it has: fitting its routes would add 128 foreign IPv4 addresses, 25 % of its own, ' +
        'and the setting fit_max_added_percent is 10. Raise one of them to let it through, or send the peer fewer communities',
    );
    expect((await preview()).unfitted).toContain('128 foreign IPv4 addresses');
    await world.received(LISTS.slice(0, 1));
    expect(await lastError()).toBe(
      'its routes are more than max_prefixes_out 2: the peer keeps the 1 it has that are still announced; ' +
        'fitting its routes would add 128 foreign IPv4 addresses, 25 % of its own, ' +
        'and the setting fit_max_added_percent is 10. Raise one of them to let it through, or send the peer fewer communities',
    );
  });

  test('is sent it once a person has allowed that, with its cost in preview and result', async () => {
    await settings({ fit_max_added_percent: 30 });
    await world.received(COVER);
    const cost = { ipv4: { added_addresses: '128', added_percent: 25, optimal: true }, ipv6: null };
    expect(await preview()).toEqual({
      unfitted: null,
      fitted: {
        prefix_count: { ipv4: 2, ipv6: 0 },
        cost: { ...cost, ipv4: { ...cost.ipv4, added_prefixes: ['45.0.1.0/25'] } },
        largest: [{ prefix: '45.0.0.0/23', added_addresses: '128' }],
      },
    });
    const peer = await apply(['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/26']);
    expect(peer).toMatchObject({ status: 'applied', announced: 2, expected: 2, error: null });
    expect(peer!.fitted).toMatchObject({ ipv4: { added_addresses: '128' } });
    await world.received(['45.0.0.0/23', '46.0.0.0/26']);
    expect(await apply(LISTS)).toMatchObject({ status: 'applied', fitted: cost });
    await world.received(COVER);
  });

  test('has it again after kill -9 of the agent, without the control plane', async () => {
    await agent.stop('SIGKILL');
    await world.stopService('SIGKILL');
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('The daemon runs what it ran before the agent was stopped');
    await world.received(COVER);
    await world.startService();
  });

  test('keeps of its cover what still stands where the next one is not allowed, also over kill -9', async () => {
    await settings({ fit_max_added_percent: 5 });
    expect(await apply([...LISTS, '47.0.0.0/25'])).toMatchObject({ status: 'over_limit', announced: 2 });
    await world.received(COVER);
    await agent.stop('SIGKILL');
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('The daemon runs what it ran before the agent was stopped');
    await world.received(COVER);
    // The prefix of one list is gone, and so is its part of the cover.
    expect(await apply([...LISTS.slice(0, 2), '47.0.0.0/25'])).toMatchObject({ status: 'over_limit' });
    await world.received(COVER.slice(0, 1));
  });

  test('loses what becomes protected at once, and nothing else', async () => {
    await settings({ fit_max_added_percent: 30 });
    expect(await apply(LISTS)).toMatchObject({ status: 'applied' });
    await world.received(COVER);
    await settings({ guard_protected_prefixes: ['45.0.1.1/32'] });
    await world.received(COVER.slice(1));
    await settings({ guard_protected_prefixes: [] });
    await world.received(COVER);
  });

  test('gets no address that a list takes out, and another cover where there is one', async () => {
    const body = { name: 'not these', type: 'IP_RANGES', purpose: 'exclude' };
    const { id } = await world.service.post<{ id: string }>('/v1/modules', body);
    const [path, cidr] = [`/v1/modules/${id}/ip-range-entries`, '45.0.1.64/26'];
    await world.service.post(path, { cidr });
    await world.service.succeeded(await world.service.post(`/v1/modules/${id}/refresh`));
    const narrow = ['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/25', '46.0.0.192/26'];
    await limit(3);
    // Without what is taken out, 45.0.0.0/23 would be as cheap as 46.0.0.0/24 is with it.
    expect(await apply(narrow)).toMatchObject({
      status: 'applied',
      fitted: { ipv4: { added_addresses: '64' } },
    });
    await world.received(['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/24']);
    await limit(2);
    await agent.hears(
      /it keeps the 3 it has: so few prefixes cannot cover its routes without addresses that are .* excluded/,
    );
    expect((await preview()).unfitted).toContain('excluded');
    // Its cover is more than the limit as well, so that it keeps three of the routes themselves.
    await world.received(['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/25']);
  });

  test('is sent all with a limit that suffices', async () => {
    await limit(10);
    await world.received(['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/25', '46.0.0.192/26']);
    await limit(1);
    await limit(4);
    await world.received(['45.0.0.0/24', '45.0.1.128/25', '46.0.0.0/25', '46.0.0.192/26']);
  });
});
