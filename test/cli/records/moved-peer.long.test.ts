/** A router that has sessions with two speakers, and is left to one: it loses nothing, whatever the speaker withdraws that leaves it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a router of two speakers', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let edge: Bird;

  beforeAll(async () => {
    const [address, other] = [loopbackAddress(), loopbackAddress()];
    const session = { port: 1, asn: SPEAKER_ASN, passive: true };
    edge = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: PEER_ASN },
      neighbors: ['127.0.0.1', other].map((caller) => ({ ...session, address: caller })),
    });
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create drops --type IP_RANGES --community Drop');
    await mustType('entry add drops 6.8.0.1/32 6.8.0.3/32 --wait');
    await mustType(`speaker create second --asn ${SPEAKER_ASN} --local-ipv4 ${other} --yes`);
    await mustType(
      `peer create edge --address ${address} --port ${edge.port} --asn ${PEER_ASN} --speaker builtin --speaker second --wait`,
    );
    await isUp(2);
  });
  afterAll(() => edge?.stop());

  /** How many sessions are up with all routes. */
  async function isUp(count: number): Promise<void> {
    const all = async (): Promise<boolean> => {
      const listed = await mustType('session list');
      return listed.match(/^edge +\w+ +established +2 /gm)?.length === count;
    };
    await waitFor(all, { what: `${count} sessions with all routes`, timeoutMs: 60_000 });
  }

  const KEPT =
    'This ends the session of builtin with 1 peer, whose routes stay, since second has a session with it and goes on sending them: edge';

  test('keeps what the other speaker goes on sending, and its edit says so', async () => {
    expect(await mustType('peer edit edge --speaker second --dry-run')).toContain(
      'edge at builtin: 2 routes now, 0 then; second goes on sending it 2\n',
    );
    const asked = await typeAtTerminal('n', 'peer edit edge --speaker second');
    expect(asked.text.replaceAll(/\s+/g, ' ')).toContain(KEPT);
    expect(asked.text).not.toContain('withdraws');
    expect(asked.code).toBe(1);

    const left = await type('peer edit edge --speaker second --wait');
    expect(left.code, left.err).toBe(0);
    expect(left.err).toContain(KEPT);
    expect(left.err).not.toContain('withdraws');
    expect(await edge.routeCount()).toBe(2);
    await isUp(1);
  });

  test('loses its routes for a moment by a move to one without a session, and nothing else is said', async () => {
    const moved = await type('peer edit edge --speaker builtin --wait');
    expect(moved.code, moved.err).toBe(0);
    expect(moved.err).toContain(
      'This ends the session with 1 peer, and its routes leave until another is up: edge',
    );
    expect(moved.err).not.toContain('withdraws');
    expect(await edge.routeCount()).toBe(2);
  });
});
