import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/speakers/openbgpd/check.ts';
import { emptyTable } from '../../../src/core/tables/prefix-table.ts';
import { ownerOf, render, speakerIn } from '../../../src/speakers/openbgpd/render.ts';
import { openbgpdRenderer } from '../../../src/speakers/openbgpd/renderer.ts';
import type { PeerModel } from '../../../src/speakers/speaker.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { everything, plain } from '../bird/rendering.ts';
import { peerModel, speakerModel } from '../builtin/models.ts';
import {
  HOSTILE_COUNT,
  PARSED_COUNT,
  clean,
  hostileTexts,
  poisoned,
  poisonedPasswords,
  type Models,
} from '../hostile.ts';

const golden = (name: string): string => new URL(`../../golden/openbgpd/${name}`, import.meta.url).pathname;

/** All but what no OpenBGPD can do. */
const possible: Models = {
  ...everything,
  model: {
    ...everything.model,
    peers: everything.model.peers.map((peer) => ({
      ...peer,
      bfd: false,
      holdTime: peer.holdTime || 9,
      password: peer.password?.replaceAll('\\', '/') ?? null,
    })),
  },
};

const textOf = ({ model, routes }: Models): string => render(model, routes).text;

describe('the configuration for OpenBGPD', () => {
  it.each([
    ['plain', plain],
    ['everything', possible],
  ])('of %s is what the golden files say', async (name, { model, routes }) => {
    for (const { path, content } of openbgpdRenderer.render(model, routes))
      await expect(content).toMatchFileSnapshot(golden(`${name}/${path}`));
  });

  it('lets each peer receive what it is to receive, and counts it', () => {
    const { text, peers } = render(possible.model, possible.routes);
    expect(peers.map(({ problem }) => problem)).toEqual([null, null, null, null]);
    expect(peers.map(({ routes }) => (routes.ipv4 ?? 0) + (routes.ipv6 ?? 0))).toEqual([6, 5, 4, 0]);
    for (const { address } of possible.model.peers) {
      const rules = text
        .split('\n')
        .filter((line) => line.includes(` ${address} `) || line.endsWith(` ${address}`));
      expect(rules[0]).toBe(`neighbor ${address} {`);
      expect(rules).toContain(`deny quick from ${address}`);
      expect(rules.at(-1)).toBe(`deny quick to ${address}`);
    }
    expect(text.trimEnd().split('\n').at(-1)).toBe('deny quick to any large-community 4294967295:*:*');
  });

  it('keeps the rules of routes that are still there while new ones take their place', () => {
    const marks = (text: string): string[] => [
      ...new Set([...text.matchAll(/large-community (4294967295:\d+:\d+) set/g)].map(([, mark]) => mark!)),
    ];
    const before = textOf(plain);
    const none = { ...plain.routes, table: emptyTable() };
    const after = (known: ReadonlySet<string> | null, changes: Partial<PeerModel> = {}): string[] => {
      const peers = plain.model.peers.map((peer) => ({ ...peer, ...changes }));
      const inPlace = { text: before, marks: known };
      return marks(render({ ...plain.model, peers }, none, { inPlace }).text);
    };
    expect(marks(before)).toHaveLength(2);
    expect(after(null)).toEqual(marks(before));
    expect(after(new Set(marks(before).slice(1)))).toEqual(marks(before).slice(1));
    // Who has taken the address of another receives nothing that was meant for that.
    expect(after(null, { remoteAsn: 65_432 })).toEqual([]);
    // What takes their place has its own rules, once.
    const inPlace = { text: before, marks: null };
    expect(render(plain.model, plain.routes, { inPlace }).text).toBe(before);
  });

  it('says whose the speaker is, where it is anybody’s', () => {
    const [serviceId, speakerId] = [
      '0190a000-0000-7000-8000-000000000001',
      '0190a000-0000-7000-8000-000000000002',
    ];
    const { text } = render({ ...plain.model, speakerId }, plain.routes, { serviceId });
    expect(speakerIn(text, serviceId)).toBe(speakerId);
    expect(speakerIn(text, speakerId)).toBeNull();
    expect(speakerIn(text.replace(/^# speaker .*$/m, '# speaker 0123456789abcdef'), serviceId)).toBeNull();
    expect(speakerIn(textOf(plain), serviceId)).toBeNull();
  });

  it('names its speaker, and is the same for the same', () => {
    expect(ownerOf(textOf(plain))).toMatch(/^[0-9a-f]{16}$/);
    expect(textOf(structuredClone(possible))).toBe(textOf(possible));
  });

  it.each<[string, Partial<PeerModel>, string]>([
    ['BFD', { bfd: true }, 'no BFD'],
    ['a hold time of 0', { holdTime: 0 }, 'no hold time of 0'],
    ['a password that ends a string', { password: 'a"b' }, 'its password is one that'],
    ['a password with an escape', { password: 'a\\b' }, 'its password is one that'],
    ['an address of words', { address: 'router.example' }, 'its address is invalid'],
    ['the address of another', { address: '192.0.2.9' }, 'same address'],
  ])('leaves out a peer with %s and says why, with the others as they were', (_, changes, reason) => {
    const good = peerModel({ address: '192.0.2.9', id: 'good', name: 'Good' });
    const bad = peerModel({ address: '192.0.2.1', id: 'bad', name: 'Bad', ...changes });
    const { text, peers } = render(speakerModel([good, bad]), plain.routes);
    expect(text).toBe(render(speakerModel([good]), plain.routes).text);
    expect(peers[1]!.problem).toContain(reason);
    expect(checkModel(speakerModel([good, bad]))).toEqual([`peer Bad: ${peers[1]!.problem}`]);
  });

  it(
    `is changed by nothing in ${HOSTILE_COUNT} hostile names, labels and values`,
    { timeout: 300_000 },
    () => {
      const wanted = textOf(clean);
      for (const text of hostileTexts(HOSTILE_COUNT, 7))
        if (textOf(poisoned(text)) !== wanted)
          expect.fail(`${JSON.stringify(text)} changed the configuration`);
    },
  );
});

describe.skipIf(requireDaemon('openbgpd') === null)("OpenBGPD's own parser", () => {
  const directory = daemonDirectory('parse');
  const ours = join(directory, 'prefixcast.conf');
  const main = join(directory, 'bgpd.conf');
  const parse = async (text: string): Promise<void> => {
    writeFileSync(ours, text, { mode: 0o600 });
    const around = `AS 64512\nrouter-id 192.0.2.2\ninclude "${ours}"\nallow from any\nallow to any\n`;
    writeFileSync(main, around, { mode: 0o600 });
    await promisify(execFile)(programPath('openbgpd'), ['-n', '-f', main]).catch((error: unknown) => {
      throw new Error(String((error as { stderr?: string }).stderr ?? error));
    });
  };

  it.each([
    ['plain', plain],
    ['everything', possible],
  ])('accepts the golden files of %s', async (_name, models) => {
    await parse(textOf(models));
  });

  it('accepts what is rendered of hostile text', { timeout: 300_000 }, async () => {
    for (const text of hostileTexts(PARSED_COUNT, 11))
      await parse(textOf(poisonedPasswords(text, /[\x20\x21\x23-\x5b\x5d-\x7e]/)));
    // A peer whose password is too long is left out, so that one of the longest has to be tried as well.
    const longest = speakerModel([peerModel({ address: '192.0.2.1', password: 'x'.repeat(79) })]);
    expect(checkModel(longest)).toEqual([]);
    await parse(render(longest, plain.routes).text);
  });

  it('refuses what is not its language, so that accepting means something', async () => {
    await expect(parse('neighbor 192.0.2.1 { nonsense }\n')).rejects.toThrow(/syntax error/);
  });
});
