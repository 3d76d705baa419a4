/** A router that ends its session seconds after an edit of its own has sent it more than it takes: no command may have said by then that it is done. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a router that takes two routes', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let edge: Bird;
  let create: string;

  beforeAll(async () => {
    const address = loopbackAddress();
    const session = { address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true };
    edge = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: PEER_ASN },
      neighbors: [{ ...session, importLimit: 2, importLimitAction: 'disable' }],
    });
    create = `peer create edge --address ${address} --port ${edge.port} --asn ${PEER_ASN}`;
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create drops --type IP_RANGES --community Drop');
    await mustType('entry add drops 6.8.0.1/32 --wait');
    await mustType('community create 64500:80 --title Cloud');
    await mustType('module create clouds --type IP_RANGES --community Cloud');
    await mustType('entry add clouds 7.1.0.1/32 7.3.0.1/32 7.5.0.1/32 --wait');
  });
  afterAll(() => edge?.stop());

  test('has not what an edit of its communities was to bring', async () => {
    const made = await type(`${create} --community Drop --wait`);
    expect(made.code, made.err).toBe(0);
    expect(await edge.routeCount()).toBe(1);

    const edited = await type('peer edit edge --community all --wait');
    expect(edited.err).toMatch(
      /^edge at builtin ended its session after it was sent these routes, and has no routes from us now: .*Maximum Number of Prefixes/m,
    );
    expect(edited).toMatchObject({ code: 9, out: 'peer edge changed\n' });
  });

  test('nor is it connected to, or created', async () => {
    await edge.command('enable all');
    const connected = await type('session connect edge');
    expect(connected.code, connected.err).toBe(9);
    await mustType('peer delete edge --yes --wait');
    await edge.command('enable all');
    const made = await type(`${create} --wait`);
    expect(made, made.err).toMatchObject({ code: 9, out: 'peer edge created\n' });
    expect(made.err).toContain('edge at builtin ended its session after it was sent these routes');
  });
});
