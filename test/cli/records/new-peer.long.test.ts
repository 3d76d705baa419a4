/** `peer create --wait` of a router that cannot have all that it is to have, and an edit that changes nothing. */
import { beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { PEER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a new peer', () => {
  const desk = useDesk();
  const { type, mustType } = desk;

  beforeAll(async () => {
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 2620:fe::/48 --wait');
  });

  test('that is not sent all routes has not what it was waited for', async () => {
    const { bird, address } = await desk.casting.startBird();
    const made = await type(
      `peer create edge1 --address ${address} --port ${bird.port} --asn ${PEER_ASN} --wait`,
    );
    expect(made.err).toContain(
      'edge1 at builtin has a session, and not all routes: 1 IPv6 route is not sent',
    );
    expect(made).toMatchObject({ code: 9, out: 'peer edge1 created\n' });
    expect(await bird.routeCount()).toBe(1);
    const given = await type('peer edit edge1 --next-hop-ipv6 2001:db8::1 --wait');
    expect(given.code, given.err).toBe(0);
    expect(await bird.routeCount()).toBe(2);
  });

  test('that an edit leaves as it is has no news of jobs', async () => {
    const { code, out, err } = await type('peer edit edge1 --graceful-restart yes --wait');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'peer edge1 was so already: nothing has changed\n',
    });
    expect(err).not.toContain('succeeded');
  });

  test('at a speaker that no node runs yet is not waited for', async () => {
    await mustType('speaker create helsinki --mode agent --daemon builtin --asn 64512');
    const made = await type(
      'peer create edge3 --address 192.0.2.3 --asn 64501 --speaker helsinki --wait --timeout 25',
    );
    expect(made).toMatchObject({ code: 9, out: 'peer edge3 created\n' });
    expect(made.err).toContain(
      'edge3 at helsinki gets its session once a node has enrolled: prefixcast node enroll helsinki\n',
    );
    for (const words of ['Waiting for', 'go on calling', 'since then']) expect(made.err).not.toContain(words);
  });
});
