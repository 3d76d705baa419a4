/** A canary that was taken back had the next hops of that apply: a restart in a freeze sends its routers no others. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a canary that is taken back', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;

  /** @param importLimit of routes, over which BIRD ends the session; undefined: none */
  const limit = (importLimit?: number): Promise<void> =>
    bird.configure({
      localAsn: PEER_ASN,
      neighbors: [
        {
          ...{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, families: ['ipv4', 'ipv6'] },
          ...{ gracefulRestart: true, extendedMessages: true },
          ...(importLimit === undefined ? {} : { importLimit }),
        },
      ],
    });
  const hops = async (): Promise<readonly unknown[]> => (await bird.routes()).map(({ nextHop }) => nextHop);
  const has = (wanted: readonly string[]): Promise<unknown> =>
    waitFor(async () => String(await hops()) === String(wanted), { what: `next hops ${wanted.join(' ')}` });
  const set = (body: Readonly<Record<string, unknown>>): Promise<unknown> =>
    desk.casting.service.call('PATCH', '/v1/settings', body);

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    await mustType('community create 64500:666 --title Drop --next-hop-ipv4 192.0.2.1');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 --wait');
    await bird.waitRoutes(1);
    const { items } = JSON.parse(await mustType('speaker list -o json')) as { items: { id: string }[] };
    await set({ deploy_canary_speaker_ids: [items[0]!.id], deploy_canary_soak_seconds: 600 });
  });

  /** An apply with another next hop, whose canary loses the session with its router while it is watched. */
  async function takeBack(nextHop: string, range: string): Promise<void> {
    await mustType('freeze');
    await mustType(`community edit Drop --next-hop-ipv4 ${nextHop}`);
    await mustType(`entry add hosts ${range}`);
    // It fails, since applies are frozen: so that one apply brings both.
    await type('revision build --wait');
    await mustType('unfreeze');
    await has([nextHop, nextHop]);
    const apply = async (): Promise<string> => mustType('job list --type apply --limit 1 -o json');
    await waitFor(async () => (await apply()).includes('"soak"'), { what: 'the soak' });
    await limit(1);
    const taken = await type('apply watch');
    expect(taken.out + taken.err).toContain('The canaries did not keep what they had');
    await limit();
  }

  test('keeps its next hops through a restart in a freeze', async () => {
    await takeBack('192.0.2.2', '6.0.0.3/32');
    await has(['192.0.2.2']);
    await mustType('freeze');
    const { casting } = desk;
    const heard = bird.updates().length;
    await casting.service.stop();
    await casting.restart();
    await waitFor(() => bird.updates().length > heard, { what: 'routes after the restart' });
    expect(await hops()).toEqual(['192.0.2.2']);
  });
});
