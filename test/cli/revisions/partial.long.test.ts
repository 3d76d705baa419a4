/** What is done, but not everywhere: commands name who lacks it, and end with an exit code of their own. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { clientOf } from '../../../src/cli/session/connect.ts';
import { sessionOf } from '../../../src/cli/session/run-remote.ts';
import { beforeEdit, waitForEntries } from '../../../src/cli/session/wait-for-edits.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_ASN, serve, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

/** Which a client of the command line replaces for its process: other files share that. */
const { fetch, Headers, Request, Response, FormData } = globalThis;
afterAll(() => {
  Object.assign(globalThis, { fetch, Headers, Request, Response, FormData });
});

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  await mustType('community create 64500:666 --title Drop');
});

test('a refresh of which one source fails names that source', async () => {
  desk.casting.sources.set('/good.txt', serve('5.1.0.0/24\n'));
  await mustType('module create clouds --type CDN_SOURCES --community Drop');
  await mustType(`entry add clouds good --url ${desk.casting.sourceUrl}/good.txt`);
  await mustType(`entry add clouds lost --url ${desk.casting.sourceUrl}/lost.txt`);
  const { code, out, err } = await type('module', 'refresh', 'clouds', '--wait');
  expect(code, err).toBe(9);
  expect(out).toBe('revision 1 applied\n');
  expect(err).toContain('lost could not be read, it has no content yet: ');
  expect(err).not.toContain('good could not be read');
});

describe.skipIf(requireDaemon('bird') === null)('a peer that does not bear a change', () => {
  let limited: Bird;

  beforeAll(async () => {
    await desk.casting.service.call('PATCH', '/v1/settings', { deploy_max_failed_peers_percent: 70 });
    const well = await desk.casting.addBird();
    const address = loopbackAddress();
    const session = { address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, gracefulRestart: true };
    limited = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: PEER_ASN },
      neighbors: [{ ...session, importLimit: 2 }],
    });
    await mustType(`peer create limited --address ${address} --port ${limited.port} --asn ${PEER_ASN}`);
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.9/32 --wait');
    await Promise.all([well.waitRoutes(2), limited.waitRoutes(2)]);
  });
  afterAll(() => limited?.stop());

  test('is named by the command that waited, by the apply, and by the list of sessions', async () => {
    await mustType('entry remove hosts 6.0.0.9/32');
    const added = await type('entry', 'add', 'hosts', '6.0.0.1/32', '6.0.0.2/32', '6.0.0.3/32', '--wait');
    expect(added.code, added.err).toBe(9);
    // It comes back by itself, and may have done so already.
    expect(added.err).toMatch(
      /^limited at builtin (does not have it, and holds what it held before|has no routes from us now, since its session is down(?:, and gets what it held before when it is back)?): /m,
    );
    expect(added.err).not.toContain('bird1 at builtin');
    const status = await type('apply', 'status');
    expect(status.code, status.err).toBe(9);
    expect(status.err).toMatch(/^limited at builtin (does not have it|has no routes from us now)/m);
    const sessions = await waitFor(
      async () => {
        const out = await mustType('session list');
        return /^limited .*, reverted /m.test(out) ? out : undefined;
      },
      { what: 'the session that was reverted' },
    );
    const [, first] = sessions.split('\n');
    expect(first).toMatch(/^limited +builtin +\S+, reverted .*Maximum Number of Prefixes/);
    const { port } = new URL(desk.casting.service.url);
    const examined = await typist({ APP_DATA_DIR: desk.casting.dataDir, APP_PORT: port })('doctor');
    expect(examined.out).toMatch(
      /^warning +peers +limited at builtin \(tenant default\) was reverted .*\n.*prefixcast session list/m,
    );
  });

  test('is named by `why` as long as it has a route that is announced no more', async () => {
    await limited.waitRoutes(2);
    const held = await type('why 6.0.0.9');
    expect(held).toMatchObject({ code: 1 });
    expect(held.out).toMatch(/^6\.0\.0\.9 is not announced: no list has it\n/);
    expect(held.out).not.toContain('Because:');
    expect(held.out).toMatch(
      /\n\nPeers that have routes which are announced no more:\n {2}still held \(peers limited at builtin\): The peer limited of the speaker builtin still has 6\.0\.0\.9\/32: it was reverted to revision \d+\. The next apply withdraws what is announced no more\.\n/,
    );
    await mustType('entry add hosts 6.0.0.4/32 --wait');
    await limited.waitRoutes(1);
    const gone = await type('why 6.0.0.9');
    expect(gone.out).toMatch(/^6\.0\.0\.9 is not announced: no list has it\n/);
    expect(gone.out).not.toContain('still held');
  });

  test('fails no command that others type, but those that ask for it', async () => {
    const beside = await type('entry add hosts 6.0.0.5/32 --wait');
    expect(beside.code, beside.err).toBe(0);
    const line =
      'limited at builtin lacks earlier changes, and has of this one only what it held before it failed: it holds what it held before it failed';
    expect(beside.err.split('\n').filter((one) => one.startsWith(line))).toHaveLength(1);
    expect(await type('peer edit bird1 --description well --wait')).toMatchObject({ code: 0 });
    const status = await type('apply status');
    expect(status.code, status.err).toBe(9);
    expect(status.err).toContain(line);
    await mustType('freeze');
    await mustType('entry add hosts 6.0.0.6/32');
    await mustType('revision build --wait=built');
    // It holds 6.0.0.1 and 6.0.0.3 of what it was sent; what it was not sent is no route of now.
    const held = (await limited.routes()).length;
    const plan = await mustType('unfreeze --dry-run');
    expect(plan).toMatch(/^bird1 at builtin: 4 routes now, 5 then$/m);
    expect(plan).not.toMatch(new RegExp(`^limited at builtin: (?!${held} routes now)`, 'm'));
    await mustType('unfreeze');
    const itself = await type('peer edit limited --description tried --wait');
    expect(itself.code, itself.err).toBe(9);
    // It is tried again, and may be down or back by the time that it is asked about.
    expect(itself.err).toMatch(
      /^limited at builtin (lacks earlier changes, and has of this one only what|has no routes from us now, since its session is down)/m,
    );
  });

  test('is named once by a command whose change the revision of somebody else took in', async () => {
    const { url, key } = desk.casting.service;
    const hosts = JSON.parse(await mustType('module get hosts -o json')) as { id: string };
    const path = `/v1/modules/${hosts.id}/ip-range-entries`;
    const options = { wait: 'applied' } as const;
    const isReverted = async (): Promise<boolean> =>
      /^limited .*, reverted /m.test(await mustType('session list'));
    for (const wait of ['applied', 'built']) {
      // It is well again: there are no more routes than it bears.
      await mustType('entry import hosts /dev/null --replace --allow-empty --wait');
      await waitFor(async () => ((await isReverted()) ? undefined : true), { what: 'a peer that is well' });
      const session = sessionOf(clientOf({ url, key }), {}, undefined);
      const before = await beforeEdit(session, 'entries', hosts.id, options);
      const items = ['7.0.0.1/32', '7.0.0.2/32', '7.0.0.3/32'].map((cidr) => ({ cidr }));
      await session.client.request('POST', path, { body: { items } });
      await type(`revision build --wait=${wait}`);
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const code = await waitForEntries(session, before, options);
      const lines = said.mock.calls.map(([text]) => String(text));
      said.mockRestore();
      expect(code, lines.join('')).toBe(9);
      expect(lines.filter((one) => one.startsWith('limited at builtin '))).toHaveLength(1);
    }
  });
});
