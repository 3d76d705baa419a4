/** A service at which an operator types what golden files show, and what was printed, by the command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, type CommandGroup, isGroup } from '../../../src/cli/table/command.ts';
import { OUTPUT_FORMATS } from '../../../src/cli/tree/remote-command.ts';
import { COMMANDS } from '../../../src/commands.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { bundleOf, document, trusted } from '../../bundle/sample.ts';
import { serve, startCasting, type Casting } from '../../e2e/casting.ts';
import { STORY } from './golden-lines.ts';
import { quickTypist, type QuickTypist } from './quick-typist.ts';
import { normalised } from './typing.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/cli');
const FORMATS: readonly string[] = OUTPUT_FORMATS;
const PATIENCE_MS = 900_000;

/** Every command by what is typed for it. */
const commands = new Map<string, Command>(pathsOf(COMMANDS, []));

function pathsOf({ commands: all }: CommandGroup, before: readonly string[]): [string, Command][] {
  return all.flatMap((one): [string, Command][] => {
    const path = [...before, one.name];
    return isGroup(one) ? pathsOf(one, path) : [[path.join(' '), one]];
  });
}

/** The command that begins the line. */
function pathOf(line: string): string {
  const words = line.split(' ');
  const path = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((one) => commands.has(one));
  if (path === undefined) throw new Error(`No command is called so: ${line}`);
  return path;
}

export const fileOf = (path: string): string => join(GOLDEN, `${path.replaceAll(' ', '-')}.txt`);

/** The option that says how it prints, and what that takes. */
function formatsOf(path: string): { readonly option: string; readonly formats: readonly string[] } {
  const { output } = commands.get(path)!.options ?? {};
  return { option: output?.short === undefined ? '--output' : '-o', formats: output?.choices ?? [] };
}

export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

class GoldenDesk {
  casting!: Casting;
  #directory = '';
  #quick!: QuickTypist;
  /** What has been typed and printed, by the command. */
  readonly printed = new Map<string, string[]>();
  /** Whether revisions go to speakers by themselves. */
  readonly #isApplying: boolean;

  constructor(isApplying: boolean) {
    this.#isApplying = isApplying;
  }

  async open(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'prefixcast-golden-'));
    this.#prepareFiles();
    this.casting = await startCasting({ APP_RUNTIME_LOGS_DIR: join(this.#directory, 'logs') });
    const { service, sources } = this.casting;
    const PREFIXCAST_CONFIG = join(this.#directory, 'contexts/config.yaml');
    const env = { PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key, PREFIXCAST_CONFIG };
    this.#quick = quickTypist(env);
    // Revisions are built when the story says so.
    await service.call('PATCH', '/v1/settings', { auto_revision: false, auto_apply: this.#isApplying });
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
    const { option, formats } = formatsOf(path);
    const own = formats.filter((one) => !FORMATS.includes(one));
    // Where none of these is offered, it is typed once, and in each of its own.
    const isOffered = formats.includes(format);
    if (formats.length > 0 && own.length === formats.length) {
      if (format !== FORMATS[0]) return;
      for (const one of own) await this.#show(path, `${line} ${option} ${one}`, one);
      return;
    }
    const isShown = isOffered || (formats.length === 0 && format === FORMATS[0]);
    await this.#show(path, isOffered ? `${line} ${option} ${format}` : line, format, isShown);
  }

  async #show(path: string, line: string, format: string, isShown = true): Promise<void> {
    const given = this.#placed(line, format);
    const [, inner] = /\$\((.*)\)/.exec(given) ?? [];
    const value = inner === undefined ? '' : (await this.#quick.type(wordsOf(inner))).out.trim();
    const typed = given.replace(/\$\(.*\)/, value);
    const { code, out, err } = await this.#quick.type(wordsOf(typed));
    // It was typed for what follows.
    if (!isShown) return;
    // Progress depends on when somebody looks.
    const said = code === 0 || line.includes('--wait') ? '' : err;
    const ending = code === 0 ? '' : `[${code}]\n`;
    const text = normalised(
      `$ prefixcast ${typed}\n${out}${said}${ending}`.replaceAll(this.#directory, 'DIR'),
    );
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
export function useGoldenDesk(
  rounds: readonly (readonly string[])[],
  { isApplying }: { readonly isApplying: boolean },
): GoldenDesk {
  const desk = new GoldenDesk(isApplying);
  beforeAll(async () => {
    await desk.open();
    await desk.typeRounds(rounds);
  }, PATIENCE_MS);
  afterAll(() => desk.close());
  describe.each([...new Set(rounds.flat().map(pathOf))])('%s', (path) => {
    test('prints what it always did, in every format', async () => {
      await expect(desk.printed.get(path)!.join('\n')).toMatchFileSnapshot(fileOf(path));
    });
  });
  return desk;
}
