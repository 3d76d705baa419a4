/** What withdraws routes is asked about at a terminal, and can be looked at before. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { terminal, type Screen } from './terminal.ts';
import { typist, type Typed } from './typing.ts';

const LOSS = 'This withdraws 3 routes at 1 peer: bird1';

describe.skipIf(requireDaemon('bird') === null)('a list that a router has', () => {
  let casting: Casting;
  let directory: string;
  let type: (...words: string[]) => Promise<Typed>;
  let typeAtTerminal: (answer: string, ...words: string[]) => Promise<Screen>;

  async function mustType(line: string): Promise<string> {
    const { code, out, err } = await type(...line.split(' '));
    expect(code, `${line}\n${out}${err}`).toBe(0);
    return out;
  }

  beforeAll(async () => {
    casting = await startCasting();
    directory = await mkdtemp(join(tmpdir(), 'prefixcast-caution-'));
    const env = { PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key };
    type = typist(env);
    typeAtTerminal = terminal(env);
    const bird = await casting.addBird();
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32 6.0.0.5/32 --wait');
    await bird.waitRoutes(3);
  });
  afterAll(async () => {
    await casting?.close();
    await rm(directory, { recursive: true, force: true });
  });

  test('a dry run says what a write would do, and does nothing', async () => {
    const out = await mustType('module delete hosts --dry-run');
    expect(out).toContain('Routes: 0 announced, 3 withdrawn, 0 changed');
    expect(out).toContain('bird1 at builtin: 3 routes now, 0 then');
    expect(await mustType('speaker edit builtin --enabled no --dry-run')).toContain('3 routes now, 0 then');
    expect(await mustType('module list -o name')).toBe('hosts\n');
  });

  test.each([
    ['module', 'delete', 'hosts'],
    ['module', 'edit', 'hosts', '--enabled', 'no'],
    ['speaker', 'delete', 'builtin'],
    ['speaker', 'edit', 'builtin', '--enabled', 'no'],
  ])('%s %s is not done before a yes', async (...words) => {
    const { code, text } = await typeAtTerminal('n', ...words);
    expect(text).toContain(LOSS);
    expect(code).toBe(1);
    expect(await mustType('module get hosts -o json')).toContain('"enabled": true');
    expect(await mustType('speaker get builtin -o json')).toContain('"enabled": true');
  });

  test('the end of a freeze says what is applied, and before that what would be', async () => {
    await mustType('freeze');
    await mustType('entry add hosts 6.0.0.7/32');
    await type('revision', 'build', '--wait'); // whose apply the freeze stops
    const would = await mustType('unfreeze --dry-run');
    expect(would).toContain('At builtin: 1 announced, 0 withdrawn, 0 changed');
    expect(would).toContain('bird1 at builtin: 3 routes now, 4 then');
    await mustType('settings set auto_apply false');
    expect(await mustType('unfreeze')).toMatch(
      /^applies go on\nrevision (\d+) waits: prefixcast revision apply \1\n$/,
    );
    await mustType('settings set auto_apply true');
    expect(await mustType('unfreeze')).toMatch(
      /^applies go on\nrevision \d+ is applied: prefixcast job watch /,
    );
    await mustType('entry remove hosts 6.0.0.7/32 --wait');
  });

  test('as many routes as go may come: it is asked all the same', async () => {
    await mustType('module create halves --type IP_RANGES --community Drop');
    await mustType('module create others --type IP_RANGES --community Drop');
    await mustType('entry add halves 7.0.0.0/25 --wait');
    await mustType('entry add others 7.0.0.128/25 --wait');
    const { code, text } = await typeAtTerminal('n', 'module', 'edit', 'others', '--enabled', 'no');
    expect(text).toContain('This withdraws 1 route, and announces 1 other at 1 speaker: builtin');
    expect(code).toBe(1);
    await mustType('module delete others');
    await mustType('module delete halves');
    await mustType('revision build --wait');
  });

  test('an import that deletes most entries says so, and asks', async () => {
    const file = join(directory, 'two.txt');
    await writeFile(file, '6.0.0.1/32\n');
    const no = await typeAtTerminal('n', 'entry', 'import', 'hosts', file, '--replace');
    expect(no.text).toContain('--replace deletes 2 of the 3 entries of hosts');
    expect(no.code).toBe(1);
    expect((await mustType('entry list hosts -o name')).trim().split('\n')).toHaveLength(3);
    const yes = await typeAtTerminal('y', 'entry', 'import', 'hosts', file, '--replace');
    expect(yes.code, yes.text).toBe(0);
    expect(await mustType('entry list hosts -o name')).toBe('6.0.0.1/32\n');
  });

  test('--yes asks nothing', async () => {
    expect(await typeAtTerminal('', 'module', 'delete', 'hosts', '--yes')).toMatchObject({ code: 0 });
  });
});
