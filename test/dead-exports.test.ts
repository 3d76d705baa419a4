import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

/**
 * What a file exports, another one imports. Types are left out, since they describe what exported functions take and give, and so is
 * `assembly/`, whose exports are those of WebAssembly. oxfmt has formatted the files, so that patterns can read them.
 */
const root = resolve(import.meta.dirname, '..');
const LISTED = ['ls-files', '-co', '--exclude-standard', '--deduplicate', '*.ts', '*.tsx'];
const EXPORTED = /^export (?:async |abstract )*(?:const|function\*?|class) (\w+)/gm;
const IMPORTED = /^(?:import|export) (?:type )?(?:\w+, )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '([^']+)'/gm;
const LATE = /\bimport\(\s*'([^']+)'/g;

/** Called by what is written around it: scripts/bundle-commands.ts. */
const CALLED_BY_NAME = 'src/cli/quick-commands.ts runQuickCommand';

interface Names {
  readonly exported: readonly string[];
  /** `file name` of what it imports, `file *` for all that a file exports. */
  readonly imported: readonly string[];
}

function namesOf(file: string, text: string): Names {
  const pathOf = (specifier: string): string =>
    specifier === '#client' ? join(root, 'client/src/index.ts') : resolve(dirname(file), specifier);
  const named = [...text.matchAll(IMPORTED)].flatMap(([, names, specifier]) =>
    (names?.split(',') ?? ['*']).map((name) => `${pathOf(specifier!)} ${plainName(name)}`),
  );
  const late = [...text.matchAll(LATE)].map(([, specifier]) => `${pathOf(specifier!)} *`);
  return { exported: [...text.matchAll(EXPORTED)].map(([, name]) => name!), imported: [...named, ...late] };
}

/** `type A as B` is A. */
function plainName(name: string): string {
  return name
    .trim()
    .replace(/^type /, '')
    .replace(/ as \w+$/, '');
}

function unused(named: ReadonlyMap<string, Names>): string[] {
  const imported = new Set([...named.values()].flatMap((names) => names.imported));
  return [...named].flatMap(([file, { exported }]) =>
    exported
      .filter((name) => !imported.has(`${file} ${name}`) && !imported.has(`${file} *`))
      .map((name) => `${relative(root, file)} ${name}`),
  );
}

test('nothing is exported that nobody imports', () => {
  const names = execFileSync('git', LISTED, { cwd: root, encoding: 'utf8' }).split('\n');
  const files = names
    .filter((name) => name !== '' && !name.startsWith('assembly/'))
    .map((name) => join(root, name));
  expect(files.length).toBeGreaterThan(1000);
  const named = new Map(files.map((file) => [file, namesOf(file, readFileSync(file, 'utf8'))]));
  expect(unused(named)).toEqual([CALLED_BY_NAME]);
});

test('an import by name, by another name, of everything or late is one', () => {
  const at = (name: string): string => join(root, 'src', name);
  const values = 'export const a = 1;\nexport async function b() {}\nexport class C {}\nexport type D = 1;\n';
  const leaves = (text: string): string[] =>
    unused(
      new Map([
        [at('values.ts'), namesOf(at('values.ts'), values)],
        [at('user.ts'), namesOf(at('user.ts'), text)],
      ]),
    );
  expect(leaves('')).toEqual(['src/values.ts a', 'src/values.ts b', 'src/values.ts C']);
  expect(leaves("import { a as x,\n type C } from './values.ts';\nexport { b } from './values.ts';")).toEqual(
    [],
  );
  expect(leaves("import { b } from './others.ts';\nimport { a, C } from './values.ts';")).toEqual([
    'src/values.ts b',
  ]);
  expect(leaves("import * as all from './values.ts';")).toEqual([]);
  expect(leaves("const { a } = await import('./values.ts');")).toEqual([]);
});
