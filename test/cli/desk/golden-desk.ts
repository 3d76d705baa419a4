/** A service at which an operator types what golden files show, and what was printed, by the command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OUTPUT_FORMATS } from '../../../src/cli/tree/remote-command.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { bundleOf, document, trusted } from '../../bundle/sample.ts';
import { serve, startCasting, type Casting } from '../../e2e/casting.ts';
import { commands, fileOf, formatsOf } from '../golden-files.ts';
import { STORY } from './golden-lines.ts';
import { quickTypist, type QuickTypist } from './quick-typist.ts';
import { normalised } from './typing.ts';

const FORMATS: readonly string[] = OUTPUT_FORMATS;
const TIMEOUT_MS = 900_000;

/** The command that begins the line. */
function pathOf(line: string): string {
  const words = line.split(' ');
  const path = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((one) => commands.has(one));
  if (path === undefined) throw new Error(`No command is called so: ${line}`);
  return path;
}

export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

const PROGRESS = /^\w+ (?:queued|running|succeeded|failed).*\n/gm;

/** Before the exit code that is expected. */
function withWords(line: string, words: string): string {
  return line.replace(/( \[\d+\])?$/, (exit) => ` ${words}${exit}`);
}

class GoldenDesk {
  casting!: Casting;
  #directory = '';
  #quick!: QuickTypist;
  /** What has been typed and printed, by the command. */
  readonly printed = new Map<string, string[]>();
  async open(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'prefixcast-golden-'));
    this.#prepareFiles();
    const table = join(this.#directory, 'asn.tsv');
    writeFileSync(table, '8.8.8.0\t8.8.8.255\t15169\tUS\tGOOGLE\n8.8.9.0\t8.8.9.255\t64500\n');
    this.casting = await startCasting({
      APP_RUNTIME_LOGS_DIR: join(this.#directory, 'logs'),
      ...{ APP_ASN_SOURCE: 'table', APP_ASN_SOURCE_URL: pathToFileURL(table).href },
    });
    const { service, sources } = this.casting;
    const PREFIXCAST_CONFIG = join(this.#directory, 'contexts/config.yaml');
    const env = { PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key, PREFIXCAST_CONFIG };
    this.#quick = quickTypist(env);
    // Revisions are built when the story says so.
    await service.call('PATCH', '/v1/settings', { auto_revision: false });
    sources.set('/list.txt', serve('7.0.0.0/24\n7.0.2.0/24\n'));
    sources.set('/hook', (_request, response) => response.writeHead(204).end());
    for (const format of FORMATS) await this.#enrollFirewall(`web-${format}`);
    for (const line of STORY) {
      const { code, err } = await this.#quick.type(wordsOf(line));
      expect(code, `${line}\n${err}`).toBe(0);
    }
  }

  async close(): Promise<void> {
    await this.#quick?.close();
    await this.casting?.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async typeRounds(rounds: readonly (readonly string[])[]): Promise<void> {
    for (const round of rounds)
      for (const format of FORMATS) for (const line of round) await this.#typeLine(line, format);
  }

  async #typeLine(line: string, format: string): Promise<void> {
    const path = pathOf(line);
    const { option, formats } = formatsOf(commands.get(path)!);
    const own = formats.filter((one) => !FORMATS.includes(one));
    if (format === FORMATS[0])
      for (const one of own) await this.#show(path, withWords(line, `${option} ${one}`), one);
    // It was typed in each of its own.
    if (formats.length > 0 && own.length === formats.length) return;
    const isOffered = formats.includes(format);
    const isShown = isOffered || (formats.length === 0 && format === FORMATS[0]);
    await this.#show(path, isOffered ? withWords(line, `${option} ${format}`) : line, format, isShown);
  }

  async #show(path: string, line: string, format: string, isShown = true): Promise<void> {
    const [, words = '', exit = '0'] = /^(.*?)(?: \[(\d+)\])?$/.exec(line) ?? [];
    const given = this.#placed(words, format);
    const [, inner] = /\$\((.*)\)/.exec(given) ?? [];
    const value = inner === undefined ? '' : (await this.#quick.type(wordsOf(inner))).out.trim();
    const typed = given.replace(/\$\(.*\)/, value);
    const { code, out, err } = await this.#quick.type(wordsOf(typed));
    expect(code, `${typed}\n${out}${err}`).toBe(Number(exit));
    // It was typed for what follows.
    if (!isShown) return;
    // Progress depends on when somebody looks.
    const said = code === 0 ? '' : err.replaceAll(PROGRESS, '');
    const ending = code === 0 ? '' : `[${code}]\n`;
    const shown = `$ prefixcast ${typed}\n${out}${said}${ending}`.replaceAll(this.#directory, 'DIR');
    const text = normalised(shown);
    this.printed.set(path, [...(this.printed.get(path) ?? []), text]);
  }

  /** Names of this run in what is typed. */
  #placed(line: string, format: string): string {
    return line
      .replaceAll('{}', format)
      .replaceAll('{dir}', this.#directory)
      .replaceAll('{sources}', this.casting.sourceUrl)
      .replaceAll('{service}', this.casting.service.url);
  }

  #prepareFiles(): void {
    const write = (name: string, content: string | Uint8Array): void =>
      writeFileSync(join(this.#directory, name), content);
    mkdirSync(join(this.#directory, 'logs'));
    write('logs/other.log', '{"level":30,"msg":"ready"}\n{"level":40,"msg":"late"}\n');
    write('list.txt', '192.0.2.0/24\n198.51.100.0/25\n198.51.100.128/25\n');
    write('public.txt', '18.4.0.0/16\n18.6.0.0/16\n');
    write('other.txt', '192.0.2.0/25\n');
    const table = new PrefixTableBuilder();
    table.add('ipv4', [0xc0000200], 24, '65000:100');
    const speaker = { ...document, speaker: { ...document.speaker, name: 'edge-1' } };
    write('bundle.tar', bundleOf(table.build(), { expires_at: '2099-01-01T00:00:00.000Z' }, { speaker }));
    write('trust.json', JSON.stringify({ keys: [trusted()] }));
    for (const format of FORMATS) {
      mkdirSync(join(this.#directory, `small-${format}`));
      const feed = `kind: feed\nname: small-${format}\nformat: text\n`;
      write(`small-${format}/all.yaml`, `kind: set\nname: small-${format}\n---\n${feed}`);
    }
  }

  /** As the client of a host does it. */
  async #enrollFirewall(hostname: string): Promise<void> {
    const { service } = this.casting;
    const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens', {});
    const answer = await fetch(`${service.url}/v1/firewall/clients/enroll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hostname, version: '1.0.0' }),
    });
    expect(answer.status, await answer.text()).toBe(201);
  }
}

/** Types the rounds before the tests of this file, and holds what was printed against golden files. */
export function useGoldenDesk(rounds: readonly (readonly string[])[]): GoldenDesk {
  const desk = new GoldenDesk();
  beforeAll(async () => {
    await desk.open();
    await desk.typeRounds(rounds);
  }, TIMEOUT_MS);
  afterAll(() => desk.close());
  describe.each([...new Set(rounds.flat().map(pathOf))])('%s', (path) => {
    test('prints what it always did, in every format', async () => {
      await expect(desk.printed.get(path)!.join('\n')).toMatchFileSnapshot(fileOf(path));
    });
  });
  return desk;
}
