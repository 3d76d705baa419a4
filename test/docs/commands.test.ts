// Every command of README and docs that is marked as tested runs here, against a service as `npm start` makes it: embedded database, builtin speaker, first key.
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Service } from '../../demo/service.ts';
import { freePorts } from '../daemons/machine/ports.ts';
import { testProgram } from '../program.ts';
import { seedData } from '../seed.ts';
import { documentedCommands, matcherOf, runInOneShell } from './documented-commands.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Whoever follows these has nothing yet, so each has a service of its own, on an empty disk. */
const BEGIN_WITH_NOTHING = ['README.md', 'docs/start.md'];
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })]
  .map((path) => ({ path, commands: documentedCommands(readFileSync(join(ROOT, path), 'utf8')) }))
  .filter(({ commands }) => commands.length > 0);

test('the pages that a newcomer follows have such commands', () => {
  expect(PAGES.map(({ path }) => path).sort()).toEqual(
    expect.arrayContaining(['README.md', 'docs/api.md', 'docs/start.md']),
  );
});

/** These change settings that other pages go by, or create what another one creates. */
const LEAVES_OTHERS_ELSEWHERE = ['docs/api.md', 'docs/command-line.md'];
const ALONE = [...BEGIN_WITH_NOTHING, ...LEAVES_OTHERS_ELSEWHERE];
const SERVICES = [
  ...ALONE.map((path) => ({ of: path, pages: PAGES.filter((page) => page.path === path) })),
  // Readers of these have done what is on others, too.
  { of: 'the other pages', pages: PAGES.filter(({ path }) => !ALONE.includes(path)) },
];

describe.each(SERVICES)('a service for $of', ({ of, pages }) => {
  let home: string;
  let dataDir: string;
  let service: Service;
  let replaced: (text: string) => string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'prefixcast-docs-'));
    chmodSync(home, 0o711); // as root, the database runs as another user and has to come through
    dataDir = join(home, '.local/share/prefixcast');
    if (!BEGIN_WITH_NOTHING.includes(of)) await seedData(dataDir);
    const [port, bgp, listener, receiver] = (await freePorts(4)) as [number, number, number, number];
    service = await Service.start({
      dataDir,
      port,
      bgpListen: `127.0.0.1:${bgp}`,
      command: testProgram(),
    });
    // The ports of the docs may be taken on the machine of the tests.
    replaced = (text) =>
      // One after the other would find the number of one within that of another.
      text.replace(/localhost:8080|1179|9099/g, (found) =>
        found === 'localhost:8080' ? `localhost:${port}` : String(found === '1179' ? listener : receiver),
      );
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test.each(pages)('$path does what it says', async ({ commands }) => {
    // Named, since for root the key of a service that this machine runs goes first.
    const env = {
      ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, APP_DATA_DIR: dataDir },
    };
    const printed = await runInOneShell(
      commands.map(({ script }) => replaced(script)),
      { cwd: ROOT, env },
    );
    commands.forEach(({ line, promised }, index) => {
      if (promised !== null)
        expect
          .soft(printed[index]!.trimEnd(), `line ${line}`)
          .toMatch(matcherOf(replaced(promised).trimEnd()));
    });
  });
});

describe('what a page promises', () => {
  test.each([
    ['a\n', 'a\n', true],
    ['a\n', 'b\n', false],
    ['a … c\n', 'a b c\n', true],
    ['a … c\n', 'a b\nc\n', false],
    ['a\n…\nd\n', 'a\nb\nc\nd\n', true],
    ['a\n…\nd\n', 'a\nb\nc\n', false],
    ['1.2\n', '102\n', false],
  ])('%j and %j', (promised, printed, isKept) => {
    expect(matcherOf(promised).test(printed)).toBe(isKept);
  });

  test('a command that fails fails the page', async () => {
    await expect(runInOneShell(['true', 'false'], { cwd: ROOT, env: {} })).rejects.toThrow('Command failed');
  });
});
