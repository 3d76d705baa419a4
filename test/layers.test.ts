import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** The layer law of ARCHITECTURE.md: imports go down only; rooms of one layer do not import each other. */
const src = resolve(import.meta.dirname, '../src');
const layers = JSON.parse(readFileSync(resolve(src, '../layers.json'), 'utf8')) as Record<string, number>;

/** What starts a process, and what alone may reach every room. */
const WIRING = ['main.ts', 'parts.ts', 'agent-parts.ts', 'router-drivers.ts'];

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
      /\.(ts|js|json|sql)$/.test(node.text)
    ) {
      found.push({ from: file, specifier: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function roomOf(path: string): string | null {
  const [room, ...rest] = relative(src, path).split(sep);
  return room === undefined || room === '..' || rest.length === 0 ? null : room;
}

/** Why `entry` breaks the law, or null. */
function breach({ from, specifier }: Import): string | null {
  const target = resolve(dirname(from), specifier);
  const room = roomOf(from);
  const targetRoom = roomOf(target);
  if (room === null || room === targetRoom) return null;
  const told = `${relative(src, from)} imports ${specifier}`;
  if (relative(src, target).startsWith('..')) return told;
  if (targetRoom === null)
    return WIRING.includes(relative(src, target)) || layers[room]! < 3
      ? `${told}: only main.ts, parts.ts, agent-parts.ts and router-drivers.ts wire`
      : null;
  return layers[targetRoom]! < layers[room]!
    ? null
    : `${told}: layer ${layers[room]} may not reach ${targetRoom}`;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name));

describe('the layer law', () => {
  test('names the layer of every room', () => {
    const rooms = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map((room) => room.name).filter((room) => !(room in layers))).toEqual([]);
  });

  test('no room imports upwards or sideways', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(
      files
        .flatMap((file) => importsOf(file))
        .map(breach)
        .filter((told) => told !== null),
    ).toEqual([]);
  });

  test.each([
    ['upwards', 'core/prefix.ts', "import { openDatabase } from '../store/database.ts';"],
    ['sideways', 'core/prefix.ts', "import type { Module } from '../api/modules.ts';"],
    ['upwards, when loaded late', 'store/jobs.ts', "await import('../control/refresh-module.ts');"],
    [
      'sideways, as a worker',
      'http/server/server.ts',
      "new Worker(new URL('../../jobs/worker.ts', import.meta.url));",
    ],
    ['the wiring', 'http/server/server.ts', "import { start } from '../../main.ts';"],
    ['the wired parts', 'jobs/worker.ts', "import { startParts } from '../parts.ts';"],
    ['out of the source', 'http/server/server.ts', "import '../../../test/database.ts';"],
  ])('an import %s is told', (_kind, file, text) => {
    const [entry] = importsOf(join(src, file), text);
    expect(breach(entry!)).not.toBeNull();
  });

  test('folders are at most three deep', () => {
    expect(files.map((file) => relative(src, file)).filter((name) => name.split(sep).length > 4)).toEqual([]);
  });
});
