import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, type CommandGroup } from '../../../src/cli/table/command.ts';
import { helpOf } from '../../../src/cli/table/help.ts';
import { readArguments } from '../../../src/cli/table/read-arguments.ts';
import { cast, inner, program } from './program.ts';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** As a process of its own; `fallback` is what the program does without a command. */
function run(words: readonly string[], fallback = ''): Ended {
  const args = [join(import.meta.dirname, 'program.ts'), ...words];
  const options = { encoding: 'utf8', env: { ...process.env, FALLBACK: fallback } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { code: status, out: stdout, errors: stderr };
}

describe('a command', () => {
  test('gets its options with their types, and its arguments', () => {
    const words = '--count=7 ours --to [::1]:179 --skip a --quiet --skip=-b x y'.split(' ');
    const { code, out } = run(['cast', ...words]);
    const options = {
      count: 7,
      to: { host: '::1', port: 179 },
      skip: ['a', '-b'],
      form: 'text',
      quiet: true,
    };
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ options, args: ['ours', 'x', 'y'] });
  });

  test('gets what the table says where nothing is given', () => {
    const options = { count: 3, to: undefined, skip: [], form: 'text', quiet: false };
    expect(readArguments(cast, ['theirs'])).toEqual({ options, args: ['theirs'] });
  });

  test('takes what stands behind -- as arguments', () => {
    expect(readArguments(cast, ['ours', '--', '--quiet', '-'])?.args).toEqual(['ours', '--quiet', '-']);
  });

  test.each<[readonly string[], string]>([
    [[], 'LIST is missing'],
    [['yours'], 'LIST yours is not known: write ours, theirs'],
    [['ours', '--cuont', '3'], 'unknown option \'--cuont\'; did you mean "--count"?'],
    [['ours', '-c'], "unknown option '-c'"],
    [['ours', '--count'], '--count needs a value: --count N'],
    [['ours', '--skip', '--quiet'], '--skip needs a value before --quiet; one that begins with - is'],
    [['ours', '--count', '0'], '--count 0 cannot be read: write a whole number, 1 or more'],
    [['ours', '--to', 'here'], '--to here cannot be read: write an address and a port'],
    [['ours', '--form', 'xml'], '--form xml is not known: write text, json'],
    [['ours', '--quiet=yes'], '--quiet takes no value'],
  ])('refuses %j and says why', (words, reason) => {
    expect(() => readArguments(cast, words)).toThrow(reason);
  });

  test('refuses one argument too many', () => {
    const one = command({ name: 'one', summary: '', args: [{ name: 'A' }], run: () => Promise.resolve(0) });
    expect(() => readArguments(one, ['a', 'b'])).toThrow("'b' is one too many: one ends with A");
  });

  test('that is used wrongly does not run, and ends with its own exit code', () => {
    expect(run(['inner', 'cast', 'yours'])).toEqual({
      code: 2,
      out: '',
      errors:
        'prefixcast: LIST yours is not known: write ours, theirs\n(pc inner cast --help shows the usage)\n',
    });
  });
});

describe('a group', () => {
  test.each<[readonly string[], string]>([
    [['csat'], 'unknown command \'csat\'; did you mean "cast"?\n(pc --help shows'],
    [['inner', 'cats'], 'unknown command \'cats\'; did you mean "cast"?\n(pc inner --help shows'],
    [['help', 'inner', 'nothing'], "unknown command 'nothing'\n(pc --help shows"],
    [['toString'], "unknown command 'toString'\n(pc --help"],
    [['inner', '-V'], 'usage: pc inner COMMAND'],
  ])('refuses %j with the way to the help', (words, reason) => {
    const { code, out, errors } = run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(reason);
  });

  test('without a fallback shows its help as a fault', () => {
    expect(run(['inner'])).toEqual({ code: 2, out: '', errors: helpOf(inner, 'pc inner') });
  });

  test('runs its fallback, with options of that', () => {
    expect(run([], 'cast')).toMatchObject({ code: 2 });
    const { code, out } = run(['--form', 'json', 'ours'], 'cast');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ options: { form: 'json' }, args: ['ours'] });
  });

  test.each(['--version', '-V'])('reports its version: %s', (word) => {
    expect(run([word])).toEqual({ code: 0, out: '7.0\n', errors: '' });
  });
});

describe('help', () => {
  test.each<[readonly string[], typeof cast | CommandGroup, string]>([
    [['--help'], program, 'pc'],
    [['help'], program, 'pc'],
    [['inner', '-h'], inner, 'pc inner'],
    [['help', 'inner'], inner, 'pc inner'],
    [['inner', 'help', 'cast'], cast, 'pc inner cast'],
    [['help', 'inner', 'cast'], cast, 'pc inner cast'],
    [['cast', '--nonsense', '--help'], cast, 'pc cast'],
  ])('is what %j asks for', (words, entry, path) => {
    expect(run(words)).toEqual({ code: 0, out: helpOf(entry, path), errors: '' });
  });

  test('says all that the table says of a command', () => {
    expect(helpOf(cast, 'pc cast')).toBe(`usage: pc cast [options] LIST [PEER…]

Send lists somewhere.

Options:
  --count N       how many (default: 3)
  --to HOST:PORT  where
  --skip NAME     not these (may be given several times)
  --form FORM     how (text, json; default: text)
  --quiet         say nothing
  -h, --help      show this text
`);
  });
});
