/** The script docs/use-cases/afternoon.sh, against a service, two BIRDs and a real list where there is one. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_ASN, serve, SPEAKER_ASN, startCasting, type Casting } from '../../e2e/casting.ts';
import { testProgram } from '../../program.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = join(ROOT, 'docs/use-cases/afternoon.sh');
const REAL = join(ROOT, '../shared/data/aws/ip-ranges-2026-08-17-22-17-04.json');
const run = promisify(execFile);

test('the afternoon takes at most 40 commands, and no id', () => {
  const script = readFileSync(SCRIPT, 'utf8');
  const commands = script.match(/^(held=0\n)?.*\b(pc|customer) [a-z]+ /gm)!;
  expect(commands.length).toBeGreaterThan(30);
  expect(commands.length).toBeLessThanOrEqual(40);
  expect(script.replaceAll(/^#.*/gm, '')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|_id|\bid\b/);
});

describe.skipIf(requireDaemon('bird') === null)('the afternoon', () => {
  let casting: Casting;
  const birds: Bird[] = [];

  beforeAll(async () => {
    casting = await startCasting();
    const list = existsSync(REAL) ? REAL : join(ROOT, 'demo/lists/cloud.json');
    casting.sources.set('/cloud.json', serve(readFileSync(list), 'application/json'));
    casting.sources.set('/wide.txt', serve('18.0.0.0/7\n'));
    for (let count = 0; count < 2; count++) {
      const address = loopbackAddress();
      const neighbor = {
        address: '127.0.0.1',
        port: 1,
        asn: SPEAKER_ASN,
        passive: true,
        gracefulRestart: true,
      };
      birds.push(
        await startBird({
          listen: { address, port: await freePort(address) },
          ...{ routerId: address, localAsn: PEER_ASN },
          neighbors: [{ ...neighbor, families: ['ipv4', 'ipv6'], extendedMessages: true }],
        }),
      );
    }
  });
  afterAll(async () => {
    await casting?.close();
    for (const bird of birds) await bird.stop();
  });

  test('ends with the right routes at both routers', async () => {
    const [edge1, edge2] = birds as [Bird, Bird];
    const env = {
      ...{ PATH: process.env.PATH, HOME: '/nonexistent', PC: `${process.execPath} ${testProgram()}` },
      ...{ PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key },
      ...{ CLOUD: `${casting.sourceUrl}/cloud.json`, WIDE: `${casting.sourceUrl}/wide.txt` },
      ...{ EDGE1: edge1.address, PORT1: String(edge1.port), EDGE2: edge2.address, PORT2: String(edge2.port) },
      ASN: String(PEER_ASN),
    };
    const { stdout } = await run('/bin/sh', [SCRIPT], { env, maxBuffer: 1e7 });
    expect(stdout).toContain('9.9.9.9 is announced\n');
    expect(stdout).toContain('+ 18.0.0.0/7');
    expect(stdout).toContain('The module wide is held');
    expect(stdout).toContain('+ 1.1.1.0/24');
    expect(stdout).toContain('1.1.1.1 is not announced');
    expect(stdout).toMatch(/own +IP_RANGES/);
    const dropped = async (bird: Bird): Promise<string[]> =>
      (await bird.routes()).map(({ prefix }) => prefix);
    await waitFor(async () => (await dropped(edge2)).length === 2, { what: 'the routes of edge2' });
    expect((await dropped(edge2)).sort()).toEqual(['2620:fe::/48', '9.9.9.0/24']);
    const all = await dropped(edge1);
    expect(all).toContain('18.0.0.0/7');
    expect(all).not.toContain('1.1.1.0/24');
  });
});
