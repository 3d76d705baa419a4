import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult, SpeakerApplyResult } from '../../src/api/revisions/apply.ts';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import type { Neighbor } from '../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const WARN = 40;
const prefixes = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `45.${index}.0.0/24`);
const neighbor = (importLimit: number): Neighbor => ({
  ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, importLimit },
});

describe.skipIf(requireDaemon('bird') === null)('a node of which one peer has too many routes', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let sick: Bird;
  beforeAll(async () => {
    world = await startWorld();
    await world.service.call('PATCH', '/v1/settings', { deploy_calm_milliseconds: 5_000 });
    const address = loopbackAddress();
    sick = await startBird({
      ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: 64496 },
      neighbors: [neighbor(2)],
    });
    await world.service.post('/v1/peers', {
      ...{ name: 'sick', address, port: sick.port, remote_asn: 64496, speaker_ids: [world.speakerId] },
    });
    agent = await world.enrolled();
    await world.announce(prefixes(2));
    await bothHold(2);
  });
  afterAll(async () => {
    await world?.close();
    await sick?.stop();
  });

  const bothHold = (count: number, begun = 0): Promise<unknown> =>
    waitFor(
      async () => {
        const { sessions } = (await world.speaker()).live;
        return (
          sessions.filter(({ since }) => Date.parse(since) > begun).length === (begun === 0 ? 2 : 1) &&
          sessions.every(({ routes_exported: n }) => n === count)
        );
      },
      { what: `both sessions to be reported with ${count} routes`, details: agent?.said },
    );
  async function ended(count: number): Promise<{
    readonly state: string;
    readonly at: SpeakerApplyResult;
    readonly of: Readonly<Record<string, PeerApplyResult>>;
  }> {
    const { state, result } = await world.service.ended(await world.ask(prefixes(count)));
    const at = (result!.speakers as SpeakerApplyResult[]).find(
      ({ speaker_id: id }) => id === world.speakerId,
    );
    return { state, at: at!, of: Object.fromEntries(at!.peers.map((peer) => [peer.name, peer])) };
  }
  const notification = { direction: 'received', code: 6, subcode: 1 };

  test('keeps them for the others, and names that peer with what it said', async () => {
    const { state, at, of } = await ended(3);
    expect(state).toBe('succeeded');
    expect(at).toMatchObject({
      ...{ status: 'partial', announced: 1, error: expect.stringContaining('sick') as string },
    });
    expect(of).toMatchObject({
      bird: { status: 'applied', announced: 3, was_up: true },
      sick: { status: 'failed', was_up: true, notification },
    });
    await world.received(prefixes(3));
    expect((await world.speaker()).last_apply).toMatchObject({ status: 'partial' });
    await agent.hears(/The speaker edge runs revision \d+ .*1 of 2 peers do not have the revision\. sick: /);
    expect(agent.log.findLast(({ msg }) => msg.includes('1 of 2 peers'))).toMatchObject({
      ...{ level: WARN, outcome: 'partial' },
    });
  });

  test('goes back as a whole when those were too many', async () => {
    await sick.configure({ neighbors: [neighbor(3)] });
    // Another session than one that is about to end.
    const begun = Date.now();
    await sick.command('restart n1');
    await bothHold(3, begun);
    await world.service.call('PATCH', '/v1/settings', { deploy_max_failed_peers_percent: 49 });
    const { state, at, of } = await ended(4);
    expect(state).toBe('failed');
    expect(at).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining('That is 1 of 2 peers') as string },
    });
    expect(of).toMatchObject({ bird: { status: 'undone' }, sick: { status: 'failed', notification } });
    await world.received(prefixes(3));
  });
});
