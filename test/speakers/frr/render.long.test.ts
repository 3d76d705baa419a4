import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/speakers/frr/check.ts';
import { differenceTo } from '../../../src/speakers/frr/difference.ts';
import { checkCommands } from '../../../src/speakers/frr/program.ts';
import { render, type Configuration } from '../../../src/speakers/frr/render.ts';
import { frrRenderer } from '../../../src/speakers/frr/renderer.ts';
import { linesOf, readStatements } from '../../../src/speakers/frr/statements.ts';
import { VtySocket } from '../../../src/speakers/frr/vty-socket.ts';
import type { PeerModel } from '../../../src/speakers/speaker.ts';
import { startFrr, type Frr } from '../../daemons/frr/frr.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { everything, plain } from '../bird/rendering.ts';
import { peerModel, routesModel, speakerModel, tableOf } from '../builtin/models.ts';
import { HOSTILE_COUNT, clean, hostileTexts, poisoned, poisonedPasswords, type Models } from '../hostile.ts';

const PLACE = { feed: { address: '127.0.0.1', port: 1790 } };

const golden = (name: string): string => new URL(`../../golden/frr/${name}`, import.meta.url).pathname;

/** All but what no FRR can do. */
const possible: Models = {
  ...everything,
  model: {
    ...everything.model,
    peers: everything.model.peers.map((peer) => ({
      ...peer,
      passive: false,
      password: peer.password?.replaceAll(' ', '_') ?? null,
    })),
  },
};

const cases: [string, Models][] = [
  ['plain', plain],
  ['everything', possible],
];

const configurationOf = ({ model, routes }: Models): Configuration => render(model, routes, PLACE);
const SERVICE = '3e2a1c04-5b6d-4f70-8192-a3b4c5d6e7f8';
const SPEAKER = '7c6b5a49-3827-4160-9f8e-7d6c5b4a3928';

/** The same, of a speaker that is somebody's. */
const ownedConfigurationOf = ({ model, routes }: Models): Configuration =>
  render({ ...model, speakerId: SPEAKER }, routes, { ...PLACE, serviceId: SERVICE });

const textOf = (models: Models): string => linesOf(configurationOf(models).statements).join('\n');

describe('the configuration for FRR', () => {
  it.each(cases)('of %s is what the golden files say', async (name, { model, routes }) => {
    for (const { path, content } of frrRenderer(PLACE).render(model, routes))
      await expect(content).toMatchFileSnapshot(golden(`${name}/${path}`));
  });

  it('counts what each peer is to receive, and is the same for the same', () => {
    const { peers } = configurationOf(possible);
    expect(peers.map(({ problem }) => problem)).toEqual([null, null, null, null]);
    expect(peers.map(({ routes }) => routes.ipv4 + routes.ipv6)).toEqual([6, 5, 4, 0]);
    expect(textOf(structuredClone(possible))).toBe(textOf(possible));
  });

  it('lets nothing in from peers, and out only by a route map', () => {
    const lines = configurationOf(possible).statements.map((statement) => statement.at(-1)!);
    const activated = lines.filter((line) => line.endsWith(' activate')).map((line) => line.split(' ')[1]);
    for (const address of new Set(activated.filter((other) => other !== PLACE.feed.address))) {
      const maps = lines.filter((line) => line.startsWith(`neighbor ${address} route-map `));
      const count = activated.filter((other) => other === address).length;
      expect(maps.filter((line) => line.endsWith('_none in'))).toHaveLength(count);
      expect(maps.filter((line) => line.endsWith(' out'))).toHaveLength(count);
    }
  });

  it('says whose it is before all else, and until nothing else is left', () => {
    const { tag, statements } = ownedConfigurationOf(possible);
    const heading = `route-map ${tag}_owner deny 10`;
    expect(statements.slice(0, 2)).toEqual([
      [heading],
      [heading, `description service ${SERVICE}, speaker ${SPEAKER}`],
    ]);
    expect(differenceTo([...statements], tag, null).statements.at(-1)).toEqual([`no route-map ${tag}_owner`]);
    expect(textOf(possible)).not.toContain('_owner');
  });

  it('does not change with the routes, as long as communities mean the same', () => {
    const other = routesModel(tableOf({ '203.0.114.0/24': ['65000:77', 'blackhole', 'no-export'] }));
    const { statements } = render(plain.model, other, PLACE);
    expect(statements).toEqual(configurationOf(plain).statements);
  });

  it.each<[string, Partial<PeerModel>, string]>([
    ['that is to be waited for', { passive: true }, 'set passive to false'],
    ['of the local AS number that it is given', { localAsn: 65_001 }, 'no local_asn of a peer'],
    ['with a password of two words', { password: 'a b' }, 'its password is one that FRR'],
    ['with a password of two lines', { password: 'a\nb' }, 'its password is one that FRR'],
    ['with an address of words', { address: 'router.example' }, 'its address is invalid'],
    ['at the address of another', { address: '192.0.2.9' }, 'the same address'],
  ])('leaves out a peer %s and says why, with the others as they were', (_, changes, reason) => {
    const good = peerModel({ address: '192.0.2.9', id: 'good' });
    const bad = peerModel({ address: '192.0.2.1', id: 'bad', name: 'Bad', ...changes });
    const alone = { model: speakerModel([good]), routes: plain.routes };
    const both = { model: speakerModel([good, bad]), routes: plain.routes };
    expect(textOf(both)).toBe(textOf(alone));
    const { address, problem } = configurationOf(both).peers[1]!;
    expect(address).toBeNull();
    expect(problem).toContain(reason);
    expect(checkModel(both.model)).toEqual([`peer Bad: ${problem}`]);
  });

  it('leaves out a family without next hop, and says what to set', () => {
    const peer = peerModel({ address: '192.0.2.1', families: ['ipv4', 'ipv6'] });
    const models = { model: speakerModel([peer], { localIpv6: null }), routes: plain.routes };
    const { peers, statements } = configurationOf(models);
    expect(peers[0]).toMatchObject({ routes: { ipv4: 3, ipv6: 0 } });
    expect(peers[0]!.problem).toContain('set local_ipv6 of the speaker');
    const of = statements.filter((statement) => statement.at(-1)!.startsWith('neighbor 192.0.2.1 activate'));
    expect(of).toHaveLength(1);
  });

  it('refuses an identity that FRR has no words for', () => {
    expect(checkModel(speakerModel([], { routerId: 'x' }))[0]).toContain('router id "x"');
    expect(checkModel(speakerModel([], { localAsn: 0 }))[0]).toContain('local_asn 0');
    expect(frrRenderer(PLACE).render(speakerModel([], { routerId: '0.0.0.0' }), plain.routes)).toEqual([]);
  });

  it(
    `is not changed by hostile text in ${HOSTILE_COUNT} names, labels and values`,
    { timeout: 600_000 },
    () => {
      const expected = textOf(clean);
      let tried = 0;
      for (const text of hostileTexts(HOSTILE_COUNT, 7)) {
        if (textOf(poisoned(text)) !== expected)
          expect.fail(`${JSON.stringify(text)} changed the configuration:\n${textOf(poisoned(text))}`);
        tried++;
      }
      expect(tried).toBe(HOSTILE_COUNT);
    },
  );
});

describe.skipIf(requireDaemon('vtysh') === null)("FRR's own checkers", () => {
  it.each(cases)('accept the golden file of %s', async (name, { model }) => {
    const [file] = frrRenderer(PLACE).render(model, plain.routes);
    const text = readFileSync(golden(`${name}/${file!.path}`), 'utf8');
    await checkCommands(programPath('vtysh'), text.split('\n'));
    const home = daemonDirectory('frr');
    writeFileSync(join(home, 'bgpd.conf'), text);
    const places = ['-f', join(home, 'bgpd.conf'), '-i', join(home, 'pid'), '--vty_socket', home];
    const { stderr } = await promisify(execFile)(programPath('frr-bgpd'), ['-C', '-S', ...places]);
    // It does what it is configured to of graceful restart, and misses zebra, which needs the configuration too.
    const faults = stderr.split('\n').filter((line) => line.includes('config line'));
    expect(faults.filter((line) => !/ graceful-restart(-disable)?$/.test(line))).toEqual([]);
  });

  it('refuse what they do not know, so that accepting means something, and keep passwords to themselves', async () => {
    const lines = ['router bgp 1', ' neighbor 192.0.2.1 password a secret', 'exit'];
    const check = checkCommands(programPath('vtysh'), lines);
    await expect(check).rejects.toMatchObject({ code: 'config_refused' });
    await expect(check).rejects.toThrow(/line 2.*password \*\*\*/);
  });
});

describe.skipIf(requireDaemon('frr-bgpd') === null)('a running FRR', () => {
  let frr: Frr;
  let socket: VtySocket;
  beforeAll(async () => {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    frr = await startFrr({ listen, routerId: '192.0.2.2', localAsn: 65_530, neighbors: [] });
    socket = new VtySocket(join(frr.directory, 'bgpd.vty'));
  });
  afterAll(() => frr?.stop());

  /** Brings FRR to a configuration. @returns what would still have to be said then */
  const bring = async (configuration: Configuration | null, tag: string): Promise<string[]> => {
    const difference = async () =>
      differenceTo(readStatements(await socket.show('show running-config')), tag, configuration);
    const { statements } = await difference();
    await socket.run(['configure terminal', ...linesOf(statements), 'end']);
    return linesOf((await difference()).statements);
  };

  it('reports the configuration that it was given, so that nothing is configured twice', async () => {
    const before = await socket.show('show running-config');
    for (const models of [plain, possible, clean, possible, plain]) {
      const configuration = ownedConfigurationOf(models);
      expect(await bring(configuration, configuration.tag)).toEqual([]);
    }
    expect(await bring(null, ownedConfigurationOf(plain).tag)).toEqual([]);
    expect(await socket.show('show running-config')).toBe(before);
  });

  it('is brought from half of a configuration to the whole', async () => {
    const configuration = ownedConfigurationOf(possible);
    const lines = linesOf(differenceTo([], configuration.tag, configuration).statements);
    for (let cut = 5; cut < lines.length; cut += 23) {
      await socket.run(['configure terminal', ...lines.slice(0, cut), 'end']);
      expect(await bring(configuration, configuration.tag)).toEqual([]);
      expect(await bring(null, configuration.tag)).toEqual([]);
    }
  });

  it('learns no more from hostile text than that it is a password', { timeout: 300_000 }, async () => {
    let reported = 0;
    for (const text of hostileTexts(200, 11)) {
      const models = poisonedPasswords(text, /[\x21-\x7e]/);
      const configuration = configurationOf(models);
      expect(await bring(configuration, configuration.tag)).toEqual([]);
      const others = readStatements(await socket.show('show running-config'))
        .filter(([head]) => !head.includes(configuration.tag))
        .map(([head]) => head);
      expect(others.filter((head) => head.startsWith('router bgp'))).toHaveLength(
        others.filter((head) => head.startsWith('router bgp 65530')).length,
      );
      reported++;
    }
    expect(reported).toBe(200);
  });
});
