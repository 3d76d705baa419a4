/** In a freeze, a node keeps the next hops of communities and NO_EXPORT as it was sent them, whatever it fetches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const ROUTES = ['45.0.0.0/24', '45.0.2.0/24'];
const NO_EXPORT = '65535:65281';
/** Several questions of a node, and what a job takes. */
const LOOKS = 3_500;

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('a node whose tenant is frozen', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let communityId: string;
  beforeAll(async () => {
    world = await startWorld();
    const community = { community: '64512:66', title: 'Drop', next_hop_ipv4: '192.0.2.1' };
    communityId = (await world.service.post<{ id: string }>('/v1/communities', community)).id;
    await set({ default_community_id: communityId });
    agent = await world.enrolled();
    await world.announce(ROUTES);
  });
  afterAll(() => world?.close());

  const set = (settings: object) => world.service.call('PATCH', '/v1/settings', settings);
  const hop = (address: string) =>
    world.service.call('PATCH', `/v1/communities/${communityId}`, { next_hop_ipv4: address });
  /** Of each route its next hop, and whether it carries NO_EXPORT. */
  const heard = async () =>
    (await world.bird.routes()).map(({ nextHop, communities }) => [nextHop, communities.includes(NO_EXPORT)]);
  const hears = (nextHop: string, isKept: boolean) =>
    waitFor(async () => (await heard()).every(([one, kept]) => one === nextHop && kept === isKept), {
      what: `${nextHop} at the router`,
      details: agent.said,
    });
  const restart = async (): Promise<void> => {
    await agent.stop();
    agent = await world.start({ dataDir: agent.dataDir });
    await agent.hears('The daemon runs what it ran before the agent was stopped');
    await waitFor(async () => (await world.speaker()).live.sessions[0]?.state === 'established', {
      what: 'the session',
    });
  };

  test('is sent another next hop, and routes without NO_EXPORT, by itself where nothing is frozen', async () => {
    await hears('192.0.2.1', true);
    await hop('192.0.2.9');
    await hears('192.0.2.9', true);
    await set({ guard_no_export: false });
    await hears('192.0.2.9', false);
  });

  test('keeps both in a freeze, also when it starts again, until the end of it', async () => {
    await set({ deploy_freeze: true });
    await hop('192.0.2.66');
    await set({ guard_no_export: true });
    const kept = [
      ['192.0.2.9', false],
      ['192.0.2.9', false],
    ];
    await sleep(LOOKS); // for what must not come
    expect(await heard()).toEqual(kept);
    await restart();
    await sleep(LOOKS); // for what must not come
    expect(await heard()).toEqual(kept);
    await set({ deploy_freeze: false });
    await hears('192.0.2.66', true);
  });
});
