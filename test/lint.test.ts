import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const RULES = join(ROOT, '.oxlintrc.json');

/** What each rule of `.oxlintrc.json` has to find, and nothing less: these rules need types, and eslint has no part in them. */
const FAULTS: Record<string, readonly string[]> = {
  'await-thenable': ['export const n = async () => await 12;', 'for await (const n of [1, 2]) String(n);'],
  'dot-notation': ["export const n = (o: { a: number }) => o['a'];"],
  'no-array-delete': ['export const f = (list: number[]) => { delete list[0]; };'],
  'no-base-to-string': [
    'export const f = (o: { a: number }) => `${String(o)}`;',
    "export const g = (o: object) => '' + o.toString();",
  ],
  'no-duplicate-type-constituents': ["export type T = 'a' | 'b' | 'a';"],
  'no-floating-promises': [
    'const f = async () => { await Promise.resolve(); };\nexport const g = () => { f(); };',
    'export const g = (p: Promise<void>) => { p.then(() => undefined); };',
    'export const g = (p: Promise<void>[]) => { p.map((one) => one); };',
  ],
  'no-for-in-array': ['export const f = (list: number[]) => { for (const at in list) String(at); };'],
  'no-implied-eval': ["export const f = new Function('return 1');"],
  'no-misused-promises': [
    'export const f = (p: Promise<boolean>) => { if (p) String(1); };',
    'export const f = (list: number[]) => { list.forEach(async (n) => { await Promise.resolve(n); }); };',
    'export const f = (p: Promise<object>) => ({ ...p });',
    'export const f: { done: () => void } = { done: async () => { await Promise.resolve(); } };',
    'let f: () => void = () => undefined;\nf = async () => { await Promise.resolve(); };\nf();',
  ],
  'no-redundant-type-constituents': ["export type T = string | 'a';", 'export type U = unknown | number;'],
  'no-unnecessary-type-assertion': [
    'export const f = (n: number) => n as number;',
    'export const f = (n: number) => n!;',
  ],
  'no-unsafe-argument': [
    "declare function g(n: number): void;\nexport const f = () => { g(JSON.parse('1')); };",
  ],
  'no-unsafe-assignment': [
    "export const f = () => { const n = JSON.parse('1'); return String(n); };",
    'export const f = (a: any[]) => { const [n] = a; return String(n); };',
  ],
  'no-unsafe-call': ['export const f = (a: any) => { a(); };', 'export const f = (a: any) => { new a(); };'],
  'no-unsafe-enum-comparison': ['enum E { A, B }\nexport const f = (e: E) => e === 1;'],
  'no-unsafe-member-access': ['export const f = (a: any) => { String(a.b); };'],
  'no-unsafe-return': [
    "export const f = (): number => JSON.parse('1');",
    'export const f = (a: any[]): string[] => a;',
  ],
  'no-unsafe-unary-minus': ['export const f = (s: string) => -s;'],
  'non-nullable-type-assertion-style': ['export const f = (s: string | undefined) => s as string;'],
  'only-throw-error': ["export const f = () => { throw 'a'; };"],
  'prefer-find': ['export const f = (list: number[]) => list.filter((n) => n > 1)[0];'],
  'prefer-includes': [
    'export const f = (list: number[]) => list.indexOf(1) !== -1;',
    'export const f = (s: string) => /ab/.test(s);',
  ],
  'prefer-optional-chain': [
    'export const f = (o: { a: string } | undefined) => o && o.a;',
    'export const f = (o: { a?: { b?: number } }) => o.a !== undefined && o.a.b;',
  ],
  'prefer-promise-reject-errors': [
    "export const f = () => Promise.reject('a');",
    'export const f = () => new Promise((_, reject) => { reject(1); });',
  ],
  'prefer-regexp-exec': ['export const f = (s: string) => s.match(/a(b)/);'],
  'prefer-string-starts-ends-with': [
    "export const f = (s: string) => s.slice(0, 2) === 'ab';",
    'export const f = (s: string) => /^ab/.test(s);',
  ],
  'require-await': ['export const f = async () => 1;'],
  'restrict-plus-operands': [
    'export const f = (n: number, b: bigint) => n + b;',
    'export const f = (s: string, b: unknown) => s + b;',
  ],
  'restrict-template-expressions': [
    'export const f = (o: object) => `${o}`;',
    'export const f = (list: string[]) => `${list}`;',
  ],
  'switch-exhaustiveness-check': [
    "export const f = (t: 'a' | 'b') => { switch (t) { case 'a': return 1; } return 2; };",
  ],
  'unbound-method': ['class C { m() { return this; } }\nexport const f = new C().m;'],
};

/** What they have to leave alone. */
const SOUND = [
  "export const f = (t: 'a' | 'b') => { switch (t) { case 'a': return 1; default: return 2; } };",
  'export const f = (n: number, b: boolean) => `${n} ${b}`;',
  'export const f = (p: Promise<void>) => { void p; };',
];

let directory: string;
/** Names of rules by the name of the file that they found something in. */
let found: Map<string, Set<string>>;

interface Report {
  readonly diagnostics: readonly {
    readonly code?: string;
    readonly message: string;
    readonly filename: string;
  }[];
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast-lint-'));
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: { types: [] }, include: ['.'] }),
  );
  for (const [rule, texts] of Object.entries(FAULTS))
    texts.forEach((text, at) => {
      writeFileSync(join(directory, `${rule}.${at}.ts`), `${text}\nexport {};\n`);
    });
  SOUND.forEach((text, at) => {
    writeFileSync(join(directory, `sound.${at}.ts`), `${text}\n`);
  });
  found = namesByFile(await lint());
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** What oxlint says of the directory, by the rules that `npm run check:lint` has. */
async function lint(): Promise<Report> {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const options = ['--type-aware', '--format', 'json', '--config', RULES, directory];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [oxlint, ...options], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null && stdout === '') reject(new Error(stderr || error.message));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}

function namesByFile({ diagnostics }: Report): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { code, message, filename } of diagnostics) {
    const rule = /\(([a-z-]+)\)$/.exec(code ?? '')?.[1] ?? message;
    const file = basename(filename);
    names.set(file, (names.get(file) ?? new Set()).add(rule));
  }
  return names;
}

test('every rule has a fault to find', () => {
  const { rules } = JSON.parse(readFileSync(RULES, 'utf8')) as { rules: Record<string, unknown> };
  expect(Object.keys(rules).map((name) => name.replace('typescript/', ''))).toEqual(Object.keys(FAULTS));
});

test.each(Object.entries(FAULTS))('%s finds its faults', (rule, texts) => {
  for (const [at, text] of texts.entries())
    expect([...(found.get(`${rule}.${at}.ts`) ?? [])], text).toContain(rule);
});

test('what is sound is left alone', () => {
  const sound = readdirSync(directory).filter((name) => name.startsWith('sound.'));
  expect(sound).toHaveLength(SOUND.length);
  for (const name of sound) expect([...(found.get(name) ?? [])], name).toEqual([]);
});

test.each([
  ['Write #name', 'export class C {\n  private name = 1;\n}\n'],
  ['Write #name', 'export class C {\n  constructor(private readonly name: string) {}\n}\n'],
  [
    'Pass it as a parameter',
    'let kept = 0;\nexport function keep(n: number): void {\n  kept = n;\n}\nexport const f = () => kept;\n',
  ],
  ['Ask the tables of kinds', "export const f = (type: string): boolean => type === 'DOMAINS';\n"],
  ['layers.json has below it', "import { f } from '../../http/route.ts';\nexport const g = f;\n"],
])('rules of our own: %s', async (message, text) => {
  const [result] = await new ESLint({ cwd: ROOT }).lintText(text, {
    filePath: join(ROOT, 'src/control/rollout/planted.ts'),
  });
  expect(result!.messages.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
});
