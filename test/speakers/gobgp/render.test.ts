import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { GobgpApi } from '../../../src/speakers/gobgp/api.ts';
import { checkModel } from '../../../src/speakers/gobgp/check.ts';
import { gobgpRenderer } from '../../../src/speakers/gobgp/renderer.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../../../src/speakers/speaker.ts';
import { startGobgp, type Gobgp } from '../../daemons/gobgp/gobgp.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { everything as ofBird, plain } from '../bird/rendering.ts';
import { SPEAKER_ASN, never, peerModel, routesModel, speakerModel, tableOf } from '../builtin/models.ts';
import { HOSTILE_COUNT, PARSED_COUNT, clean, hostileTexts, poisoned, poisonedPasswords } from '../hostile.ts';
import { startWorld } from './world.ts';

const golden = (name: string): string => new URL(`../../golden/gobgp/${name}`, import.meta.url).pathname;

/** All that GoBGP can be configured to do: what it can't is left out of the peers. */
const everything = {
  ...ofBird,
  model: {
    ...ofBird.model,
    peers: ofBird.model.peers.map((peer) => ({ ...peer, bfd: false, holdTime: peer.holdTime || 30 })),
  },
};

function tomlOf(model: SpeakerModel, routes: RoutesModel): string {
  return gobgpRenderer.render(model, routes)[0]!.content;
}

describe('the configuration for GoBGP', () => {
  it.each([
    ['plain', plain],
    ['everything', everything],
  ])('of %s is what the golden files say', async (name, { model, routes }) => {
    for (const { path, content } of gobgpRenderer.render(model, routes))
      await expect(content).toMatchFileSnapshot(golden(`${name}/${path}`));
  });

  it('is the same for the same, and takes new names when a policy changes', () => {
    const again = structuredClone(everything);
    expect(tomlOf(again.model, again.routes)).toBe(tomlOf(everything.model, everything.routes));
    const names = (text: string): string[] =>
      [...text.matchAll(/^name = "(.*)"$/gm)]
        .map(([, name]) => name!)
        .filter((name) => name.includes('export'));
    const before = names(tomlOf(plain.model, plain.routes));
    const after = names(tomlOf(plain.model, { ...plain.routes, noExport: true }));
    expect(before).toHaveLength(8);
    expect(after).toHaveLength(8);
    expect(before.filter((name) => after.includes(name))).toEqual([]);
  });

  it('has no policy that matches everybody for a speaker without peers', () => {
    const toml = tomlOf(speakerModel([]), plain.routes);
    expect(toml).not.toContain('neighbor');
    expect(toml.match(/route-disposition/g)).toHaveLength(3);
    expect(toml.match(/match-large-community-set/g)).toHaveLength(3);
  });

  it.each<[string, Partial<PeerModel>, string]>([
    ['an address of words', { address: 'router.example' }, 'its address is invalid'],
    ['a local address of the other family', { localAddress: '2001:db8::1' }, 'set local_ip'],
    ['a password with a line end', { password: 'a\nb' }, 'its password is one that GoBGP'],
    ['a hold time of 0', { holdTime: 0 }, 'its hold time is 0'],
    ['a hold time of 2 s', { holdTime: 2 }, 'hold time of 2 s'],
    ['BFD', { bfd: true }, 'BFD is more'],
    ['no family', { families: [] }, 'it has no address family'],
    ['the address of another', { address: '192.0.2.9', port: 1790 }, 'the same address'],
  ])('leaves out a peer with %s and says why, with the others as they were', (_, changes, reason) => {
    const good = peerModel({ address: '192.0.2.9', id: 'good' });
    const bad = peerModel({ address: '192.0.2.1', id: 'bad', name: 'Bad', ...changes });
    const model = speakerModel([good, bad]);
    expect(tomlOf(model, plain.routes)).toBe(tomlOf(speakerModel([good]), plain.routes));
    expect(checkModel(model)).toEqual([expect.stringContaining(reason)]);
    expect(checkModel(model)[0]).toMatch(/^peer Bad: /);
  });

  it('refuses an identity that is none, and shows no file of it', () => {
    for (const changes of [{ routerId: '0.0.0.0' }, { routerId: 'x"\n' }, { localAsn: 0 }]) {
      const model = speakerModel([], changes);
      expect(checkModel(model)).toHaveLength(1);
      expect(gobgpRenderer.render(model, plain.routes)).toEqual([]);
    }
  });

  it(
    `in ${HOSTILE_COUNT} names, labels and values is not changed by hostile text`,
    { timeout: 900_000 },
    () => {
      const wanted = tomlOf(clean.model, clean.routes);
      for (const text of hostileTexts(HOSTILE_COUNT, 17)) {
        const { model, routes } = poisoned(text);
        const toml = tomlOf(model, routes);
        if (toml !== wanted) expect.fail(`${JSON.stringify(text)} changed the configuration:\n${toml}`);
      }
    },
  );
});

describe.skipIf(requireDaemon('gobgpd') === null)("GoBGP's own parser", () => {
  /** Has `gobgpd` read a configuration, without running it. Rejects with its words. */
  async function parse(toml: string): Promise<void> {
    const path = join(directory, 'gobgpd.toml');
    writeFileSync(path, toml);
    const { stdout } = await promisify(execFile)(programPath('gobgpd'), [
      '-d',
      '-p',
      '-f',
      path,
      '-t',
      'toml',
    ]);
    if (/level=(error|fatal)/.test(stdout)) throw new Error(stdout);
  }
  const directory = daemonDirectory('parse');

  it.each([
    ['plain', plain],
    ['everything', everything],
  ])('accepts the configuration of %s', async (_, { model, routes }) => {
    await parse(tomlOf(model, routes));
  });

  it('accepts what is rendered of hostile text', { timeout: 300_000 }, async () => {
    let parsed = 0;
    for (const text of hostileTexts(PARSED_COUNT, 11)) {
      const { model, routes } = poisonedPasswords(text, /[\x20-\x7e]/);
      await parse(tomlOf(model, routes));
      parsed++;
    }
    expect(parsed).toBe(PARSED_COUNT);
  });

  it('refuses what is not its language, so that accepting means something', async () => {
    await expect(parse('[global.config\nas = "x"')).rejects.toThrow();
    await expect(parse('[global.config]\nas = "x"')).rejects.toThrow();
  });
});

describe.skipIf(requireDaemon('gobgpd') === null)('what is shown', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** Peers, sets and policies as GoBGP itself tells them. */
  async function contentOf({ api: address }: Gobgp): Promise<object> {
    const api = new GobgpApi(address);
    const list = async (method: string, request: object): Promise<object[]> =>
      (await api.listAll<object>(method, request)).sort((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
    const peers = await api.listAll<{ peer: { state: unknown; timers: { state: unknown } } }>('ListPeer', {});
    const content = {
      peers: peers
        .map(({ peer: { state: _, timers, ...settings } }) => ({ ...settings, ...timers, state: null }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      policies: await list('ListPolicy', {}),
      assignments: await list('ListPolicyAssignment', {}),
      sets: [
        await list('ListDefinedSet', { definedType: 'NEIGHBOR' }),
        await list('ListDefinedSet', { definedType: 'COMMUNITY' }),
        await list('ListDefinedSet', { definedType: 'LARGE_COMMUNITY' }),
      ],
    };
    api.close();
    // GoBGP puts anchors around expressions that have some, again and again.
    return JSON.parse(JSON.stringify(content).replace(/\^+\(/g, '^(').replace(/\)\$+/g, ')$')) as object;
  }

  it('is the configuration of GoBGP: the file and the API bring it to the same', async () => {
    const world = await startWorld({
      toml: `[global.config]\nas = ${SPEAKER_ASN}\nrouter-id = "192.0.2.2"\nport = -1`,
    });
    stops.push(() => world.stop());
    const peers = [
      peerModel({
        address: '127.0.0.2',
        families: ['ipv4', 'ipv6'],
        labels: ['65000:1', '65000:1:2'],
        multihop: 3,
      }),
      peerModel({ address: '127.0.0.3', port: 1790, password: 'a "b" \\', holdTime: 9, passive: true }),
      peerModel({
        address: '127.0.0.4',
        remoteAsn: SPEAKER_ASN,
        gracefulRestart: false,
        nextHopIpv4: '192.0.2.9',
      }),
      peerModel({ address: '::1', localAddress: null, localAsn: 64_999, restartTime: 300 }),
    ];
    const model = speakerModel(peers, { localIpv4: '192.0.2.7' });
    const routes = routesModel(
      tableOf({ '11.0.0.0/8': ['65000:1', '65000:2'], '2001:db8::/32': ['65000:1:2'] }),
      {
        noExport: true,
      },
    );
    const driver = world.driver();
    await driver.configure(model);
    // As a speaker begins that is new: GoBGP is not taken for one that was restarted, of which a file says nothing.
    await driver.apply(routesModel(tableOf({})), never);
    await driver.apply(routes, never);
    const listen = { address: loopbackAddress(), port: await freePort() };
    const other = await startGobgp({
      ...{ listen, routerId: '192.0.2.3', localAsn: SPEAKER_ASN, neighbors: [] },
      toml: tomlOf(model, routes).replace('[global.config]', '[global.config]\nport = -1'),
    });
    stops.push(() => other.stop());
    expect(await contentOf(other)).toEqual(await contentOf(world.gobgp));
  });
});
