import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/**
 * The layer law of ARCHITECTURE.md: imports go down only; rooms of one layer do not import each other. layers.json has the floors of each
 * folder that has folders in it, from the ground up; "." stands for the folder's own files.
 */
const src = resolve(import.meta.dirname, '../src');
const root = dirname(src);
const consoleSource = join(root, 'console/src');
const floors = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as Record<string, string[][]>;

interface Import {
  readonly from: string;
  readonly specifier: string;
}

/** Static, type, dynamic and worker imports alike: whatever names another file of ours. */
function importsOf(file: string, text = readFileSync(file, 'utf8')): Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isStringLiteralLike(node) &&
      /^\.{1,2}\//.test(node.text) &&
      /\.(ts|tsx|js|json|sql|css)$/.test(node.text)
    ) {
      found.push({ from: file, specifier: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The path's parts below the root of the project. */
const partsOf = (path: string): string[] => relative(root, path).split(sep);

/** Why `entry` breaks the law, or null: two files are compared where their paths part. */
function breach({ from, specifier }: Import): string | null {
  const target = resolve(dirname(from), specifier);
  const [own, other] = [partsOf(from), partsOf(target)];
  const report = `${relative(src, from)} imports ${specifier}`;
  // The console knows of the service what the API is called, and nothing else.
  if (own[0] === 'console' && other[0] === 'src') return other[1] === 'api' ? null : report;
  if (other[0] !== own[0]) return own.length === 2 ? null : report; // only what wires knows package.json
  const parting = own.findIndex((part, at) => part !== other[at]);
  const folder = own.slice(0, parting).join('/');
  const roomOf = (parts: string[]): string => (parts.length === parting + 1 ? '.' : parts[parting]!);
  const [room, targetRoom] = [roomOf(own), roomOf(other)];
  if (parting === -1 || room === targetRoom) return null;
  const floorOf = (name: string): number => (floors[folder] ?? []).findIndex((names) => names.includes(name));
  return floorOf(targetRoom) < floorOf(room) && floorOf(targetRoom) >= 0
    ? null
    : `${report}: in ${folder}, ${room} may not reach ${targetRoom}`;
}

/** Files that import each other, directly or by way of others: groups of at least two. */
function circlesOf(targetsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const order: string[] = [];
  const users = new Map<string, string[]>([...targetsOf.keys()].map((file) => [file, []]));
  for (const [file, targets] of targetsOf) for (const target of targets) users.get(target)?.push(file);
  const seen = new Set<string>();
  const walk = (file: string, next: (file: string) => readonly string[], leave: (file: string) => void) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const one of next(file)) walk(one, next, leave);
    leave(file);
  };
  for (const file of targetsOf.keys())
    walk(
      file,
      (one) => targetsOf.get(one) ?? [],
      (one) => order.push(one),
    );
  seen.clear();
  return order.reverse().flatMap((file) => {
    const circle: string[] = [];
    walk(
      file,
      (one) => users.get(one) ?? [],
      (one) => circle.push(one),
    );
    return circle.length > 1 ? [circle] : [];
  });
}

const entries = [src, consoleSource].flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }),
);
const files = entries
  .filter(({ name }) => /\.tsx?$/.test(name))
  .map(({ parentPath, name }) => join(parentPath, name));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('the layer law', () => {
  test('gives every room one floor, and no other name', () => {
    const roomsOf = new Map<string, Set<string>>();
    for (const { parentPath } of entries.filter((entry) => entry.isFile())) {
      const parts = partsOf(parentPath);
      const depth = parts[0] === 'src' ? 1 : 2;
      parts.slice(depth).forEach((room, at) => {
        const folder = parts.slice(0, at + depth).join('/');
        roomsOf.set(folder, (roomsOf.get(folder) ?? new Set()).add(room));
      });
    }
    for (const { parentPath } of entries.filter((entry) => entry.isFile()))
      roomsOf.get(partsOf(parentPath).join('/'))?.add('.'); // beside folders only: else a file's room is its folder
    const present = Object.fromEntries([...roomsOf].map(([folder, rooms]) => [folder, [...rooms].sort()]));
    const named = Object.fromEntries(
      Object.entries(floors).map(([folder, rooms]) => [folder, rooms.flat().sort()]),
    );
    expect(named).toEqual(present);
  });

  test('is drawn by ARCHITECTURE.md with every room, and no other', () => {
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('## The layer law')[1]!;
    const listed = [...page.matchAll(/^- `([a-z]+)`: ((?:.+\n)+?)(?=- |\n)/gm)];
    expect(listed.length).toBeGreaterThan(5);
    for (const [, room, text] of listed) {
      const named = [...text!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!);
      const rooms = floors[`src/${room}`]!.flat().filter((name) => name !== '.');
      expect([...new Set(named)].sort(), room).toEqual(rooms.sort());
    }
    for (const room of [...floors.src!.flat(), ...floors['src/control']!.flat()])
      if (room !== '.') expect(page).toMatch(new RegExp(`(?:^ .*|\`)\\b${room}\\b`, 'm'));
  });

  test('no room imports upwards or sideways', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(
      [...imports.values()]
        .flat()
        .map(breach)
        .filter((report) => report !== null),
    ).toEqual([]);
  });

  test('no files import each other', () => {
    const targets = [...imports].map(
      ([file, found]) => [file, found.map(({ specifier }) => resolve(dirname(file), specifier))] as const,
    );
    expect(circlesOf(new Map(targets)).map((circle) => circle.map((file) => relative(src, file)))).toEqual(
      [],
    );
  });

  test('nor do those of tests and the demo', () => {
    const found = ['test', 'demo'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(root, folder, name)),
    );
    expect(found.length).toBeGreaterThan(500);
    const targets = found.map(
      (file) => [file, importsOf(file).map(({ specifier }) => resolve(dirname(file), specifier))] as const,
    );
    expect(circlesOf(new Map(targets)).map((circle) => circle.map((file) => relative(root, file)))).toEqual(
      [],
    );
  });

  test('a circle of files is found, however long', () => {
    const circular = {
      a: ['b'],
      b: ['c'],
      c: ['a', 'd'],
      d: ['e'],
      e: [],
      f: ['a', 'd'],
      g: ['h'],
      h: ['g'],
    };
    const circles = circlesOf(new Map(Object.entries(circular)));
    expect(circles.map((circle) => circle.sort().join(''))).toEqual(expect.arrayContaining(['abc', 'gh']));
    expect(circles).toHaveLength(2);
  });

  test.each([
    ['upwards', 'core/prefix.ts', "import { openDatabase } from '../store/database/database.ts';"],
    ['sideways', 'core/prefix.ts', "import type { Module } from '../api/modules.ts';"],
    [
      'upwards, when loaded late',
      'store/jobs/jobs.ts',
      "await import('../../control/collection/refresh-module.ts');",
    ],
    [
      'sideways, as a worker',
      'http/server/server.ts',
      "new Worker(new URL('../../jobs/worker.ts', import.meta.url));",
    ],
    ['the wiring', 'http/server/server.ts', "import { start } from '../../main.ts';"],
    ['the wired parts', 'jobs/worker.ts', "import { startParts } from '../parts.ts';"],
    [
      'of the console into the service',
      '../console/src/service/client.ts',
      "import '../../../src/control/lookup/lookup.ts';",
    ],
    ['of the console upwards', '../console/src/views/page/Page.tsx', "import '../../shell/Frame.tsx';"],
    [
      'of the console from page to page',
      '../console/src/pages/lookup/Chain.tsx',
      "import '../modules/Modules.tsx';",
    ],
    [
      'of the service into the console',
      'http/console/console.ts',
      "import '../../../console/src/routes.tsx';",
    ],
    ['out of the source', 'http/server/server.ts', "import '../../../test/database.ts';"],
    [
      'upwards in its room',
      'control/policy/limits.ts',
      "import type { Guardrails } from '../guards/guardrails.ts';",
    ],
    ['sideways in its room', 'control/holding/trial.ts', "import '../collection/refresh-module.ts';"],
    ['from loose files into a folder above', 'core/prefix.ts', "import './sets/prefix-set.ts';"],
    ['from a folder to loose files above', 'cli/table/help.ts', "import '../list-commands.ts';"],
    ['of a folder that no floor has', 'core/prefix.ts', "import './newcomers/one.ts';"],
  ])('an import %s is reported', (_kind, file, text) => {
    const [entry] = importsOf(join(src, file), text);
    expect(breach(entry!)).not.toBeNull();
  });

  test('folders are at most three deep', () => {
    expect(files.map(partsOf).filter((parts) => parts.length > 5)).toEqual([]);
  });
});

test('the published client imports its own files only, and one package', () => {
  const client = resolve(src, '../client/src');
  const sources = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const specifiers = sources.flatMap((name) =>
    [...readFileSync(join(client, name), 'utf8').matchAll(/^(?:import|export|\}) .*?from '([^']+)'/gm)].map(
      ([, specifier]) => (specifier!.startsWith('./') && dirname(name) === '.' ? './' : specifier!),
    ),
  );
  expect([...new Set(specifiers)].sort()).toEqual(['./', 'openapi-fetch']);
});
