/** Commands that pages mention and no test runs are commands of the table, with options that they have. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { behindCommand } from '../../src/cli/table/leading-options.ts';
import { type Command, type CommandGroup, isGroup } from '../../src/cli/table/command.ts';
import { helpOf } from '../../src/cli/table/help.ts';
import { COMMANDS } from '../../src/commands.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].filter(
  (path) => path !== 'docs/reference/cli.md',
);

/** In a block of a shell, or within a sentence. */
const WRITTEN = /(?:^ *|`|[|(] )prefixcast ((?:[^`\n|<>#&]|&[^&])+)/gm;

interface Found {
  readonly entry: Command | CommandGroup;
  readonly path: string;
  readonly rest: readonly string[];
}

function find(words: readonly string[], group: CommandGroup = COMMANDS, at = 0): Found {
  const word = words[at];
  const named = word === undefined || word.startsWith('-') ? group.fallback : word;
  const next = group.commands.find(({ name }) => name === named);
  const behind = next !== undefined && named === word ? at + 1 : at;
  if (next !== undefined && isGroup(next)) return find(words, next, behind);
  return { entry: next ?? group, path: words.slice(0, behind).join(' '), rest: words.slice(behind) };
}

/** Why the words are no command; null: they are one. */
function faultOf(written: string): string | null {
  const words = behindCommand(
    written
      .replaceAll(/"[^"]*"|'[^']*'|\$\([^)]*\)/g, 'text')
      .trim()
      .split(/\s+/),
  );
  // Known to every program, in no table.
  if (words[0] === 'help') return null;
  const { entry, path, rest } = find(words);
  const [first] = rest;
  // Words of a command, and not what stands for one.
  if (isGroup(entry) && first !== undefined && /^[a-z-]+$/.test(first) && !first.startsWith('-'))
    return `${path} has no ${first}`;
  const help = helpOf(entry, path);
  const unknown = rest
    .map((word) => /^--[a-z-]+/.exec(word)?.[0])
    .find((name) => name !== undefined && !help.includes(name));
  return unknown === undefined ? null : `${path} has no ${unknown}`;
}

const written = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(WRITTEN)].map(([, words]) => ({ page, words: words! })),
);

test('commands that pages mention are there, with their options', () => {
  expect(written.length).toBeGreaterThan(50);
  const faults = written.flatMap(({ page, words }) => {
    const fault = faultOf(words);
    return fault === null ? [] : [`${page}: prefixcast ${words}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

test('and so are those that messages of the service, its programs and the console name', () => {
  const sources = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: ROOT });
  const named = sources.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/prefixcast ((?:[a-z-]+)(?: [a-z-]+)*)/g)]
      .map(([, words]) => ({ page, words: words! }))
      .filter(({ words }) => COMMANDS.commands.some(({ name }) => name === words.split(' ')[0])),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(
    named
      .map(({ page, words }) => `${page}: ${words}: ${faultOf(words)}`)
      .filter((text) => !text.endsWith('null')),
  ).toEqual([]);
});

test.each([
  ['status', null],
  ['--context lab status', null],
  ['module release clouds --override large_withdrawal --wait', null],
  ['modul list', ' has no modul'],
  ['module lst', 'module has no lst'],
  ['module list --fnd x', 'module list has no --fnd'],
])('%s', (words, fault) => {
  expect(faultOf(words)).toBe(fault);
});
