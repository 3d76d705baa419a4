/** Every option and argument of the table that has a shape, with what does not have it: nothing is asked or done, and the answer says what to write. */
import { expect, test } from 'vitest';
import { commands } from '../golden-files.ts';
import { readArguments } from '../../../src/cli/table/read-arguments.ts';
import { UsageError } from '../../../src/cli/process/command-error.ts';
import type { Command, OptionSpec } from '../../../src/cli/table/command.ts';
import type { ValueType } from '../../../src/cli/table/value-types.ts';

/** What cannot be read; null: any text can. */
const UNREADABLE: Readonly<Record<ValueType, string | null>> = {
  text: null,
  file: null,
  directory: null,
  count: '0',
  seconds: 'soon',
  duration: '1x',
  asn: '4294967296',
  endpoint: 'here:1179',
  router_id: '0.0.0.0',
};

function badValueOf({ choices, type = 'text' }: Pick<OptionSpec, 'choices' | 'type'>): string | null {
  return choices === undefined ? UNREADABLE[type] : 'qqqq';
}

function refusal(command: Command, words: readonly string[]): string {
  try {
    readArguments(command, words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`${words.join(' ')} was taken`);
}

const all = [...commands];

test.each(all)('%s', (_path, command) => {
  const given = (command.args ?? []).map(({ choices }) => choices?.[0] ?? 'x');
  for (const [name, spec] of Object.entries(command.options ?? {})) {
    const option = `--${name}`;
    if (spec.value === undefined) {
      expect(refusal(command, [...given, `${option}=x`])).toBe(`${option} takes no value`);
      continue;
    }
    // One that may stand without a value stands for the implied one then.
    if (spec.implied === undefined)
      expect(refusal(command, [...given, option])).toBe(`${option} needs a value: ${option} ${spec.value}`);
    if (spec.many !== true && spec.choices === undefined && (spec.type ?? 'text') === 'text')
      expect(refusal(command, [...given, `${option}=one`, `${option}=two`])).toBe(
        `${option} is given twice: write one of one and two`,
      );
    const bad = badValueOf(spec);
    if (bad !== null) expect(refusal(command, [...given, `${option}=${bad}`])).toMatch(RIGHT(option, bad));
  }
  for (const [at, { name, choices }] of (command.args ?? []).entries()) {
    if (choices !== undefined)
      expect(refusal(command, given.toSpliced(at, 1, 'qqqq'))).toMatch(RIGHT(name, 'qqqq'));
  }
  const last = command.args?.at(-1);
  if (last?.many !== true) expect(refusal(command, [...given, 'more'])).toContain("'more' is one too many");
  if (given.length > 0 && last?.optional !== true) expect(refusal(command, [])).toMatch(/\w/);
  expect(refusal(command, [...given, '--qqqq'])).toContain("unknown option '--qqqq'");
  expect(refusal(command, [...given, '--hepl'])).toContain('did you mean "--help"?');
});

const RIGHT = (what: string, bad: string): RegExp =>
  new RegExp(
    `^${what} ${bad.replaceAll('.', String.raw`\.`)} (?:is not known|cannot be read): .*(?:write|must)`,
  );
