/** A setting ends the sessions of all speakers: they are looked at together, however many there are. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy, type Proxy } from '../../agent/proxy.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

describe.skipIf(requireDaemon('bird') === null)('sessions of two speakers', () => {
  const desk = useDesk();
  const { mustType } = desk;
  let birds: readonly Bird[];
  let proxy: Proxy;

  beforeAll(async () => {
    birds = [await desk.casting.addBird(), await desk.casting.addBird()];
    for (const line of [
      `speaker create second --daemon builtin --asn ${SPEAKER_ASN} --yes`,
      'peer edit bird1 --speaker builtin --wait',
      'peer edit bird2 --speaker second --wait',
      'community create 64500:666 --title Drop',
      'module create hosts --type IP_RANGES --community Drop',
      'entry add hosts 6.0.0.1/32 6.0.0.3/32 --wait',
    ])
      await mustType(line);
    for (const bird of birds) await bird.waitRoutes(2);
    proxy = await startProxy(desk.casting.service.url);
  });
  afterAll(() => proxy?.close());

  test('are asked for in one request a look', async () => {
    const type = typist({ PREFIXCAST_URL: proxy.url, PREFIXCAST_KEY: desk.casting.service.key });
    const { code, err } = await type('settings', 'set', 'bgp_restart_time', '60', '--wait');
    expect(code, err).toBe(0);
    expect(err).toContain('Waiting for 2 sessions');
    for (const bird of birds) expect(await bird.routeCount()).toBe(2);
    const looks = proxy.asked.filter((path) => /^\/v1\/speakers\b.*live=true/.test(path));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.filter((path) => path.startsWith('/v1/speakers/'))).toEqual([]);
  });
});
