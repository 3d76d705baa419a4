import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config from '../oxlint.config.ts';
import { FAULTS, OWN, OWN_SOUND, SOUND, WORDS } from './lint-faults.ts';

const ROOT = resolve(import.meta.dirname, '..');

let directory: string;
/** What was found, by the name of the file. */
let found: Map<string, { readonly rule: string; readonly message: string }[]>;

interface Report {
  readonly diagnostics: readonly {
    readonly code?: string;
    readonly message: string;
    readonly help?: string;
    readonly filename: string;
  }[];
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast-lint-'));
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  // Paths of rules for single rooms are those beside the configuration.
  write('oxlint.config.ts', `export { default } from '${ROOT}/oxlint.config.ts';\n`);
  write(
    'tsconfig.json',
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: { types: [] }, include: ['.'] }),
  );
  for (const [rule, texts] of Object.entries(FAULTS))
    for (const [at, text] of texts.entries()) write(`${rule}.${at}.ts`, `${text}\nexport {};\n`);
  for (const [at, text] of SOUND.entries()) write(`sound.${at}.ts`, `${text}\n`);
  const room = 'src/control/rollout';
  mkdirSync(join(directory, room), { recursive: true });
  for (const [at, [, , text]] of OWN.entries()) write(`${room}/own.${at}.ts`, text);
  for (const [at, text] of OWN_SOUND.entries()) write(`${room}/own-sound.${at}.ts`, text);
  for (const [name, folder] of [
    ['words', 'console/src/pages/planted'],
    ['catalogue', 'console/src/strings'],
  ] as const) {
    mkdirSync(join(directory, folder), { recursive: true });
    for (const [at, text] of WORDS.entries()) write(`${folder}/${name}.${at}.tsx`, `${text}\n`);
  }
  found = byFile(await lint());
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** What oxlint says of the directory, by the rules that `npm run check:lint` has. */
async function lint(): Promise<Report> {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const options = ['--format', 'json', '--config', join(directory, 'oxlint.config.ts'), directory];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [oxlint, ...options], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null && stdout === '') reject(new Error(stderr || error.message));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}

function byFile({ diagnostics }: Report): typeof found {
  const findings: typeof found = new Map();
  for (const { code, message, help = '', filename } of diagnostics) {
    const rule = /\(([a-z-]+)\)$/.exec(code ?? '')?.[1] ?? message;
    const file = basename(filename);
    findings.set(file, [...(findings.get(file) ?? []), { rule, message: `${message} ${help}` }]);
  }
  return findings;
}

const rulesIn = (file: string): string[] => [...new Set(found.get(file)?.map(({ rule }) => rule))];

test('every rule has a fault to find', () => {
  const own = Object.keys(config.rules ?? {}).map((name) => name.replace('typescript/', ''));
  expect(own.filter((name) => !name.startsWith('own/'))).toEqual(Object.keys(FAULTS));
  const inRooms = (config.overrides ?? []).flatMap(({ rules }) => Object.keys(rules ?? {}));
  const named = [...own, ...inRooms].filter((name) => /^own\/|restricted-imports/.test(name));
  expect(new Set([...OWN.map(([rule]) => rule), 'words-in-catalogue'])).toEqual(
    new Set(named.map((name) => name.replace('own/', ''))),
  );
});

test.each(Object.entries(FAULTS))('%s finds its faults', (rule, texts) => {
  for (const [at, text] of texts.entries()) expect(rulesIn(`${rule}.${at}.ts`), text).toContain(rule);
});

test('what is sound is left alone', () => {
  const sound = readdirSync(directory).filter((name) => name.startsWith('sound.'));
  expect(sound).toHaveLength(SOUND.length);
  for (const name of sound) expect(rulesIn(name), name).toEqual([]);
  for (const [at, text] of OWN_SOUND.entries())
    expect(found.get(`own-sound.${at}.ts`) ?? [], text).toEqual([]);
});

test.each(OWN.map(([rule, message, text], at) => [rule, text, at, message] as const))(
  'rules of our own: %s finds %j',
  (rule, _, at, message) => {
    const findings = found.get(`own.${at}.ts`)!.filter((one) => one.rule === rule);
    expect(findings).toEqual([{ rule, message: expect.stringContaining(message) as string }]);
  },
);

test.each(WORDS.map((text, at) => [text, at] as const))(
  'what the console says stands in its catalogue: %s',
  (_, at) => {
    const rule = 'words-in-catalogue';
    const findings = (name: string): unknown[] =>
      (found.get(`${name}.${at}.tsx`) ?? []).filter((one) => one.rule === rule);
    expect(findings('words')).toEqual([
      { rule, message: expect.stringContaining('console/src/strings') as string },
    ]);
    expect(findings('catalogue')).toEqual([]);
  },
);
