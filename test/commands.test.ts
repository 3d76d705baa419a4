import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { type Command, type CommandGroup, isGroup } from '../src/cli/table/command.ts';
import { helpOf } from '../src/cli/table/help.ts';
import { readArguments } from '../src/cli/table/read-arguments.ts';
import { COMMANDS } from '../src/commands.ts';

const SOURCE = join(import.meta.dirname, '../src');

function allOf(entry: Command | CommandGroup, path: string): [path: string, entry: Command | CommandGroup][] {
  const inner = isGroup(entry) ? entry.commands.flatMap((each) => allOf(each, `${path} ${each.name}`)) : [];
  return [[path, entry], ...inner];
}

const entries = allOf(COMMANDS, COMMANDS.name);

/** Files of ours that are loaded with `entry`; what is imported when it is needed is not. */
function loadedWith(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  const source = ts.createSourceFile(entry, readFileSync(entry, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (
      !ts.isImportDeclaration(statement) ||
      statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    )
      continue;
    const { text } = statement.moduleSpecifier as ts.StringLiteral;
    if (text.startsWith('.')) loadedWith(join(dirname(entry), text), found);
    else found.add(text);
  }
  return found;
}

describe('the table of commands', () => {
  test.each(entries)('%s has help that fits a terminal', (path, entry) => {
    expect(entry.summary).toMatch(/^[a-zA-Z].*[^.]$/);
    const help = helpOf(entry, path);
    expect(help).toContain(`usage: ${path}`);
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  test.each(entries)('%s names what stands in it once', (_path, entry) => {
    const names = isGroup(entry) ? entry.commands.map(({ name }) => name) : [];
    expect(new Set(names).size).toBe(names.length);
    if (isGroup(entry) && entry.fallback !== undefined) expect(names).toContain(entry.fallback);
    if (isGroup(entry)) return;
    const { args = [] } = entry;
    for (const { many, optional } of args.slice(0, -1)) expect({ many, optional }).toEqual({});
  });

  test('is loaded without anything that a command does', () => {
    const loaded = [...loadedWith(join(SOURCE, 'program.ts'))].map((path) => relative(SOURCE, path));
    const allowed =
      /^(program|commands|runtime-options|cli\/.*|api\/(problems\/nearest|entries\/entry-kinds)|core\/(address|asn|bits|address-scan))\.ts$|node:/;
    expect(loaded.filter((path) => !allowed.test(path))).toEqual([]);
    // What the table says, and how it is read.
    expect(
      loaded.filter((path) =>
        /^cli\/(?!nouns|prefixes|process|table|tree|list-commands|listen-command)/.test(path),
      ),
    ).toEqual([]);
  });

  test.each(entries.filter(([, entry]) => !isGroup(entry)) as [string, Command][])(
    '%s has examples, and takes them',
    (path, entry) => {
      const { examples = [] } = entry;
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const words = wordsOf(example, path);
        expect(words, example).not.toBeNull();
        expect(() => readArguments(entry, words!), example).not.toThrow();
      }
    },
  );
});

/** What stands behind the command in a line of a shell; null: the line has another command. */
function wordsOf(line: string, path: string): string[] | null {
  const plain = line
    .replace(/^source <\((.*)\)$/, '$1')
    .replaceAll(/\$\([^)]*\)/g, 'OUTPUT')
    .replaceAll(/"[^"]*"/g, (text) => text.replaceAll(' ', '_'));
  const own = plain
    .split(/ (?:[|>]|&&) /)
    .map((part) => part.replace(/^([A-Z_]+=\S+ )+/, ''))
    .find((part) => part === path || part.startsWith(`${path} `));
  return own === undefined
    ? null
    : own
        .slice(path.length)
        .split(' ')
        .filter((word) => word !== '');
}
