/** Small files that lint is to find fault with, by rule, and some that it is to leave alone. */

/** What each rule of `oxlint.config.ts` has to find, and nothing less; "own" ones below. */
export const FAULTS: Record<string, readonly string[]> = {
  'for-direction': ['for (let n = 0; n < 10; n--) String(n);'],
  'no-async-promise-executor': [
    'export const p = new Promise<void>(async (resolve) => { await Promise.resolve(); resolve(); });',
  ],
  'no-case-declarations': [
    'export const f = (n: number) => { switch (n) { case 1: const m = n; return m; default: return 2; } };',
  ],
  'no-compare-neg-zero': ['export const f = (n: number) => n === -0;'],
  'no-cond-assign': ['export const f = (n: number) => { let m; if (m = 0) return n; return m; };'],
  'no-constant-binary-expression': ['export const f = (n: number) => (n + 1) ?? 2;'],
  'no-constant-condition': ['export const f = () => { if (true) return 1; return 2; };'],
  'no-control-regex': ['export const r = /\\x1f/;'],
  'no-debugger': ['export const f = () => { debugger; };'],
  'no-dupe-else-if': [
    'export const f = (n: number) => { if (n > 1) return 1; else if (n > 1) return 2; return 3; };',
  ],
  'no-duplicate-case': [
    'export const f = (n: number) => { switch (n) { case 1: return 1; case 1: return 2; default: return 3; } };',
  ],
  'no-empty': ['export const f = (n: number) => { if (n > 1) {} };'],
  'no-empty-character-class': ['export const r = /ab[]c/;'],
  'no-empty-pattern': ['export const f = ({}: { a: number }) => 1;'],
  'no-empty-static-block': ['export class C { static {} n = 1; }'],
  'no-ex-assign': [
    'export const f = () => { try { String(1); } catch (error) { error = 1; throw error; } };',
  ],
  'no-extra-boolean-cast': ['export const f = (n: number) => { if (!!n) return 1; return 2; };'],
  'no-fallthrough': [
    'export const f = (n: number) => { let m = 0; switch (n) { case 1: m = 1; case 2: m += 2; } return m; };',
  ],
  'no-global-assign': ['export const f = () => { Object = null as never; };'],
  'no-invalid-regexp': ["export const r = new RegExp('[');"],
  'no-irregular-whitespace': ['export const n =\u00a01;'],
  'no-loss-of-precision': ['export const n = 9007199254740993;'],
  'no-misleading-character-class': ['export const r = /^[\u{1F44D}]$/;'],
  'no-prototype-builtins': ["export const f = (o: object) => o.hasOwnProperty('a');"],
  'no-regex-spaces': ['export const r = /a  b/;'],
  'no-self-assign': ['export const f = (n: number) => { n = n; return n; };'],
  'no-shadow-restricted-names': ['export const f = (undefined: number) => undefined;'],
  'no-sparse-arrays': ['export const list = [1, , 2];'],
  'no-unassigned-vars': ['let n: number | undefined;\nexport const f = () => n;'],
  'no-unexpected-multiline': ['declare const a: (n: number) => number, b: number;\nexport const n = a\n(b);'],
  'no-unsafe-finally': ['export const f = () => { try { return 1; } finally { return 2; } };'],
  'no-unsafe-optional-chaining': ['export const f = (o?: { a: () => number }) => (o?.a)();'],
  'no-unused-labels': ['a: for (const n of [1]) String(n);'],
  'no-unused-private-class-members': ['export class C { #n = 1; m = 2; }'],
  'no-useless-assignment': ['export const f = () => { let n = 1; n = 2; return n; };'],
  'no-useless-backreference': ['export const r = /(?:\\1(a))/;'],
  'no-useless-catch': ['export const f = () => { try { String(1); } catch (error) { throw error; } };'],
  'no-useless-escape': ["export const s = '\\d';"],
  'preserve-caught-error': [
    'export const f = () => { try { String(1); } catch (error) { throw new Error(`a ${String(error)}`); } };',
  ],
  'require-yield': ['export function* f() { return 1; }'],
  'use-isnan': ['export const f = (n: number) => n === NaN;'],
  'valid-typeof': ["export const f = (n: unknown) => typeof n === 'strnig';"],
  'no-var': ['export var n = 1;'],
  'prefer-const': ['let n = 1;\nexport const f = () => n;'],
  'prefer-rest-params': ['export function f() { return arguments; }'],
  'prefer-spread': ['export const f = (list: number[]) => Math.max.apply(Math, list);'],
  eqeqeq: ['export const f = (n: number) => n == 1;'],
  'max-lines': ['String(1);\n'.repeat(401)],
  'no-unused-vars': [
    'const n = 1;',
    'export const f = (n: number) => 1;',
    "import { join } from 'node:path';",
    'export const f = () => { try { String(1); } catch (error) { String(2); } };',
  ],
  'ban-ts-comment': ['// @ts-ignore\nexport const n = 1;'],
  'no-array-constructor': ['export const list = new Array(1, 2);'],
  'no-duplicate-enum-values': ['export enum E { A = 1, B = 1 }'],
  'no-empty-object-type': ['export interface I {}', 'export const f = (o: {}) => o;'],
  'no-explicit-any': ['export const f = (a: any) => String(1);'],
  'no-extra-non-null-assertion': ['export const f = (s: string | undefined) => s!!.length;'],
  'no-misused-new': ['export interface I { new (): I; }'],
  'no-namespace': ['export namespace N { export const n = 1; }'],
  'no-non-null-asserted-optional-chain': ['export const f = (o?: { a: string }) => o?.a!;'],
  'no-require-imports': ["export const m = require('node:path');"],
  'no-this-alias': ['export class C { m() { const self = this; return self; } }'],
  'no-unnecessary-type-constraint': ['export const f = <T extends unknown>(t: T) => t;'],
  'no-unsafe-declaration-merging': ['export interface C { a: number }\nexport class C { b = 1; }'],
  'no-unsafe-function-type': ['export const f = (g: Function) => g;'],
  'no-unused-expressions': ['export const f = (n: number) => { n + 1; };'],
  'no-wrapper-object-types': ['export const f = (s: String) => s;'],
  'prefer-as-const': ["export const s = 'a' as 'a';"],
  'prefer-namespace-keyword': ['declare module N { const n: number; }'],
  'triple-slash-reference': ['/// <reference path="./other.ts" />\nexport const n = 1;'],
  'adjacent-overload-signatures': ['export interface I { a(): void; b(): void; a(n: number): void }'],
  'array-type': ['export const f = (list: Array<number>) => list;'],
  'ban-tslint-comment': ['// tslint:disable-next-line\nexport const n = 1;'],
  'class-literal-property-style': ["export class C { get name() { return 'a'; } }"],
  'consistent-generic-constructors': ['export const m: Map<string, number> = new Map();'],
  'consistent-indexed-object-style': ['export interface I { [key: string]: number }'],
  'consistent-type-assertions': ['export const f = (n: unknown) => <number>n;'],
  'consistent-type-definitions': ['export type T = { a: number };'],
  'consistent-type-imports': ["import { URL } from 'node:url';\nexport const f = (u: URL) => u;"],
  'no-confusing-non-null-assertion': ['export const f = (n: number | null) => n! === 1;'],
  'no-empty-function': ['export const f = () => {};'],
  'no-inferrable-types': ['export const n: number = 1;'],
  'prefer-for-of': [
    'export const f = (list: number[]) => { for (let at = 0; at < list.length; at++) String(list[at]); };',
  ],
  'prefer-function-type': ['export interface I { (): number }'],
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
export const SOUND = [
  "export const f = (t: 'a' | 'b') => { switch (t) { case 'a': return 1; default: return 2; } };",
  'export const f = (n: number, b: boolean) => `${n} ${b}`;',
  'export const f = (p: Promise<void>) => { void p; };',
];

/** What rules of our own find in a file of `src/control/rollout`: their names, and the beginning of what they say. */
export const OWN: readonly (readonly [rule: string, message: string, text: string])[] = [
  ['hash-names', 'Write #name', 'export class C {\n  private name = 1;\n}\n'],
  ['hash-names', 'Write #name', 'export class C {\n  private m(): number {\n    return 1;\n  }\n}\n'],
  ['hash-names', 'Write #name', 'export class C {\n  constructor(private readonly name: string) {}\n}\n'],
  [
    'no-setters',
    'Pass it as a parameter',
    'let kept = 0;\nexport function keep(n: number): void {\n  kept = n;\n}\nexport const f = () => kept;\n',
  ],
  [
    'no-kind-by-name',
    'Ask the tables of kinds',
    "export const f = (type: string): boolean => type === 'DOMAINS';\n",
  ],
  [
    'no-kind-by-name',
    'Ask the tables of kinds',
    "export const f = (type: string): boolean => 'GEOFEED' !== type;\n",
  ],
  [
    'no-restricted-imports',
    'layers.json has below it',
    "import { f } from '../../http/route.ts';\nexport const g = f;\n",
  ],
  [
    'no-restricted-imports',
    'layers.json has below it',
    "import { f } from '../maintenance/cron.ts';\nexport const g = f;\n",
  ],
];

/** What they leave alone there. */
export const OWN_SOUND = [
  "import { f } from '../revisions/same-revision.ts';\nimport { h } from './take-back.ts';\nexport const g = [f, h];\n",
  'export class C {\n  readonly #n: number;\n  private constructor(n: number) {\n    this.#n = n;\n  }\n  get n(): number {\n    return this.#n;\n  }\n}\n',
  'let kept: number | undefined;\nexport function read(): number {\n  const n = 1;\n  kept = n;\n  return kept;\n}\n',
];

/** What the console may not say outside of its catalogue. */
export const WORDS = [
  'export const one = <p>Saved</p>;',
  "export const one = (isOn: boolean) => <p>{isOn ? 'on' : ''}</p>;",
  "export const one = (isOn: boolean) => <p>{isOn && 'on'}</p>;",
  'export const one = (count: number) => <p>{`${count} routes`}</p>;',
  'export const one = <input aria-label="Filter" />;',
  'export const one = (name: string) => <input placeholder={`Filter: ${name}`} />;',
  "export const one = (isOn: boolean) => <input title={isOn ? 'off' : undefined} />;",
  "export const one = { said: 'Nothing was found.' };",
];
