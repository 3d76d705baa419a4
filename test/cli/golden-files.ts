/** Golden files of what commands print: one for each command, in test/golden/cli. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Command, type CommandGroup, isGroup } from '../../src/cli/table/command.ts';
import { COMMANDS } from '../../src/commands.ts';
import { normalised, type Typed } from './desk/typing.ts';

const GOLDEN = join(import.meta.dirname, '../golden/cli');

/** Every command by what is typed for it. */
export const commands: ReadonlyMap<string, Command> = new Map(pathsOf(COMMANDS, []));

function pathsOf({ commands: all }: CommandGroup, before: readonly string[]): [string, Command][] {
  return all.flatMap((one): [string, Command][] => {
    const path = [...before, one.name];
    return isGroup(one) ? pathsOf(one, path) : [[path.join(' '), one]];
  });
}

export const fileOf = (path: string): string => join(GOLDEN, `${path.replaceAll(' ', '-')}.txt`);

export const goldenFiles = (): string[] => readdirSync(GOLDEN).map((name) => join(GOLDEN, name));

/** The option that says how it prints, and what that takes. */
export function formatsOf({ options }: Command): {
  readonly option: string;
  readonly formats: readonly string[];
} {
  const { output } = options ?? {};
  return { option: output?.short === undefined ? '--output' : '-o', formats: output?.choices ?? [] };
}

/** What a command prints that works on a whole database: how much that is, and how long it took, is another matter. */
export async function expectGolden(
  path: string,
  typed: readonly (readonly [words: readonly string[], Typed])[],
  directory: string,
): Promise<void> {
  const shown = typed.map(([words, { code, out, err }]) => {
    const text = `$ prefixcast ${words.join(' ')}\n${out}${err}`.replaceAll(directory, 'DIR');
    return `${normalised(text).replaceAll(/\d[\d.,]*/g, 'N')}${code === 0 ? '' : `[${code}]\n`}`;
  });
  await expect(shown.join('\n')).toMatchFileSnapshot(fileOf(path));
}
