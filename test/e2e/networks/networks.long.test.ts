import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireNetns } from '../../daemons/machine/netns.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { isThorough } from '../../fuzz.ts';
import { HOST_NAMES } from './daemons.ts';
import { GOOD, Story, Watch, WITHIN } from './watch.ts';
import { type Network, startNetwork } from './network.ts';

const lacks =
  requireNetns() === null ||
  requireOpenbgpd() === null ||
  (['bird', 'frr-bgpd', 'vtysh', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

describe.skipIf(lacks)(
  'a control plane, three hosts and four routers on a network',
  { timeout: 400_000 },
  () => {
    let network: Network;
    let story: Story;
    let watch: Watch;
    beforeAll(async () => {
      network = await startNetwork();
      story = new Story(network);
      await network.ask(GOOD);
      await network.converged(GOOD);
    }, 300_000);
    afterAll(() => network?.close());
    beforeEach(() => {
      watch = new Watch(network, GOOD);
    });
    afterEach(async () => {
      expect(await watch.end()).toEqual([]);
    });

    test('every session is up, and the API says so', async () => {
      await story.allUp();
      await story.changed();
    });

    test('the cable of the control plane is pulled: routers notice nothing, and what was missed arrives later', async () => {
      network.cable('service', 'down');
      await waitFor(async () => !(await story.speaker('builtin')).live.reachable, {
        ...{ ...WITHIN, what: 'the API to know that nothing comes' },
      });
      expect(await network.receivedBy('peer-bird')).toMatchObject({
        frr: expect.arrayContaining(GOOD) as string[],
      });
      network.cable('service', 'up');
      await story.changed();
      await story.allUp();
    });

    test('the cable of a host is pulled: the others serve, the API shows the sessions down, and all comes back', async () => {
      network.cable('builtin', 'down');
      await waitFor(
        async () => {
          const heard = await network.get<{
            items: { established_on_speakers: string[]; session_mismatch: boolean }[];
          }>('/v1/peers');
          return heard.items.every(
            (peer) => peer.established_on_speakers.length === 2 && peer.session_mismatch,
          );
        },
        { ...WITHIN, what: 'the API to show two speakers at each peer' },
      );
      network.cable('builtin', 'up');
      await story.allUp();
      await story.changed();
    });

    test.each(isThorough ? HOST_NAMES : (['bird'] as const))(
      'the agent of %s is killed and started again',
      async (host) => {
        await network.agents[host].stop('SIGKILL');
        await network.startAgent(host);
        await story.changed();
        await story.allUp();
      },
    );

    test('BIRD is stopped while something is applied: the others take it, and BIRD follows when it goes on', async () => {
      network.bird.pause();
      const more = await story.ask();
      await waitFor(
        async () => {
          const heard = await network.receivedBy('peer-frr');
          return heard.builtin.length === more.length && heard.frr.length === more.length;
        },
        { ...WITHIN, what: 'the hosts that work to announce it' },
      );
      await waitFor(async () => !(await story.speaker('bird')).live.reachable, {
        ...{ ...WITHIN, what: 'the API to say that BIRD does not answer' },
      });
      network.bird.resume();
      await network.converged(more);
      await story.allUp();
    });

    test('FRR is killed and starts with nothing: the agent brings everything back', async () => {
      await network.frr.restart();
      await network.converged(story.asked);
      await story.allUp();
    });

    test('the control plane is killed while something is applied: it is finished when it is back', async () => {
      const more = await story.ask();
      await network.killService();
      await network.startService();
      await network.converged(more);
      await story.allUp();
    });
  },
);
