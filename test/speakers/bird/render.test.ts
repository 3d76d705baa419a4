import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/speakers/bird/config/check.ts';
import { render, type Configuration } from '../../../src/speakers/bird/config/render.ts';
import { isSealed } from '../../../src/speakers/bird/config/sealed-text.ts';
import type { PeerModel, SpeakerModel } from '../../../src/speakers/speaker.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { bigTable, peerModel, routesModel, speakerModel } from '../builtin/models.ts';
import {
  HOSTILE_COUNT,
  PARSED_COUNT,
  clean,
  hostileTexts,
  poisoned,
  poisonedPasswords,
  type Models,
} from '../hostile.ts';
import { OPTIONS, everything, filesOf, plain, startParser } from './rendering.ts';

const golden = (name: string): URL => new URL(`../../golden/bird/${name}`, import.meta.url);

const fed = { ...everything, model: { ...everything.model, birdRoutes: 'feed' as const } };

/** What each session is made of. */
const sessionBlocks = (head: string): string[] =>
  Array.from(head.matchAll(/^protocol bgp \w+ \{\n([^]*?)^\}$/gm), ([, block]) => block!);

describe('the configuration for BIRD', () => {
  it.each([
    ['plain', plain],
    ['everything', everything],
    ['fed', fed],
  ])('of %s is what the golden files say', async (name, { model, routes }) => {
    const configuration = render(model, routes, OPTIONS);
    for (const [path, text] of filesOf(configuration, OPTIONS.directory)) {
      const file = path.endsWith('.conf') ? 'speaker.conf' : `routes/${basename(path)}`;
      await expect(text).toMatchFileSnapshot(golden(`${name}/${file}`).pathname);
      expect(isSealed(Buffer.from(text))).toBe(true);
    }
  });

  it('holds every route once, with the communities of its group', () => {
    const { groups, peers } = render(everything.model, everything.routes, OPTIONS);
    expect(
      groups.map(({ family, communities, prefixes }) => [
        family,
        [...communities.standard, ...communities.large].join(' '),
        prefixes.size,
      ]),
    ).toEqual([
      ['ipv4', '', 1],
      ['ipv4', '(65000,1,2) (4200000000,7,8)', 1],
      ['ipv4', '(65000,1)', 1],
      ['ipv4', '(65000,1) (65000,2)', 1],
      ['ipv6', '(65000,1) (65000,1,2)', 1],
      ['ipv6', '(65535,666) (65535,65281)', 1],
    ]);
    expect(peers.map(({ routes }) => routes)).toEqual([6, 5, 4, 0]);
  });

  it('is the same for the same, whatever it was made of before, and its hash changes with any route', () => {
    const again = render(structuredClone(everything.model), structuredClone(everything.routes), OPTIONS);
    expect(again.head).toBe(render(everything.model, everything.routes, OPTIONS).head);
    const hashes = [1_000, 1_001].map(
      (count) => render(plain.model, routesModel(bigTable(count, ['65000:1'])), OPTIONS).hash,
    );
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('ends every filter by reject, imports nothing from peers, and has no empty set in it', () => {
    const { head } = render(everything.model, everything.routes, OPTIONS);
    const filters = [...head.matchAll(/^(?:filter \w+| {4}import filter) \{\n([^]*?)^ *\};?$/gm)];
    expect(filters.length).toBeGreaterThan(6);
    for (const [, body] of head.matchAll(/^filter \w+ \{\n([^]*?)^\}$/gm))
      expect(body).toMatch(/^ {2}reject;\n$/m);
    for (const [, body] of head.matchAll(/import filter \{\n([^]*?)^ {4}\};$/gm))
      expect(body!.trimEnd()).toMatch(/reject;$/);
    expect(head).not.toMatch(/\[\s*\]/);
    for (const block of sessionBlocks(head))
      expect(block.match(/import none;/g)?.length).toBe(block.match(/^ {2}ipv[46] \{/gm)?.length);
  });

  it('sends a peer nothing when none of its communities is known, instead of everything', () => {
    const model = speakerModel([peerModel({ address: '192.0.2.1', labels: [] })]);
    const { head, peers } = render(model, plain.routes, OPTIONS);
    expect(head).toContain('export none;');
    expect(head).not.toContain('export filter');
    expect(peers[0]!.routes).toBe(0);
  });

  it.each<[string, Partial<PeerModel>, string]>([
    ['an address of words', { address: 'router.example' }, 'its address is invalid'],
    ['a local address of the other family', { localAddress: '2001:db8::1' }, 'set local_ip'],
    ['a password that ends a string', { password: 'a"b' }, 'its password is one that'],
    ['a password with a line end', { password: 'a\nb' }, 'its password is one that'],
    ['a hold time of 2 s', { holdTime: 2 }, 'hold time of 2 s'],
    ['no family', { families: [] }, 'it has no address family'],
    ['an AS number of 0', { remoteAsn: 0 }, 'remote_asn 0'],
    ['a port that is no number', { port: Number.NaN }, 'its port NaN'],
    ['a limit that is no whole number', { maxPrefixesOut: 1.5 }, 'max_prefixes_out'],
    ['a TTL of 0', { multihop: 0 }, 'multihop'],
  ])('leaves out a peer with %s and says why, with the others as they were', (_, changes, reason) => {
    const good = peerModel({ address: '192.0.2.9', id: 'good' });
    const bad = peerModel({ address: '192.0.2.1', id: 'bad', name: 'Bad', ...changes });
    const { head, peers } = render(speakerModel([bad, good]), plain.routes, OPTIONS);
    expect(head).toBe(render(speakerModel([good]), plain.routes, OPTIONS).head);
    expect(peers[0]).toMatchObject({ protocol: null, routes: 0 });
    expect(peers[0]!.problem).toContain(reason);
    expect(checkModel(speakerModel([bad, good]))).toEqual([`peer Bad: ${peers[0]!.problem}`]);
  });

  it('leaves out a family without next hop, and says what to set', () => {
    const peer = peerModel({ address: '192.0.2.1', families: ['ipv4', 'ipv6'] });
    const { head, peers } = render(speakerModel([peer], { localIpv6: null }), plain.routes, OPTIONS);
    expect(peers[0]).toMatchObject({ routes: 3 });
    expect(peers[0]!.problem).toContain('set local_ipv6 of the speaker');
    expect(sessionBlocks(head)[0]).not.toContain('ipv6');
  });
});

type Way = NonNullable<SpeakerModel['birdRoutes']>;
const WAYS: readonly Way[] = ['static', 'feed'];

describe('hostile text', () => {
  it.each(WAYS)(
    `in ${HOSTILE_COUNT} names, labels and values changes nothing, %s`,
    { timeout: 300_000 },
    (birdRoutes) => {
      const of = ({ model, routes }: Models): Configuration =>
        render({ ...model, birdRoutes }, routes, OPTIONS);
      const wanted = of(clean);
      for (const text of hostileTexts(HOSTILE_COUNT, 7)) {
        const { head, groups } = of(poisoned(text));
        if (head !== wanted.head || groups.length !== wanted.groups.length)
          expect.fail(`${JSON.stringify(text)} changed the configuration:\n${head}`);
      }
    },
  );
});

describe.skipIf(requireDaemon('bird') === null)("BIRD's own parser", () => {
  it.each(['plain', 'everything', 'fed'])('accepts the golden files of %s', async (name) => {
    const parser = startParser();
    const head = readFileSync(golden(`${name}/speaker.conf`), 'utf8');
    await parser.parse(head.replaceAll(OPTIONS.directory, golden(name).pathname));
  });

  it.each(WAYS)('accepts what is rendered of hostile text, %s', { timeout: 300_000 }, async (birdRoutes) => {
    const parser = startParser();
    let parsed = 0;
    for (const text of hostileTexts(PARSED_COUNT, 11)) {
      const { model, routes } = poisonedPasswords(text, /[\x20\x21\x23-\x7e]/);
      await parser.accept({ ...model, birdRoutes }, routes);
      parsed++;
    }
    expect(parsed).toBe(PARSED_COUNT);
  });

  it('refuses what is not its language, so that accepting means something', async () => {
    await expect(startParser().parse('protocol bgp { nonsense; }')).rejects.toThrow(/syntax error/);
  });
});
