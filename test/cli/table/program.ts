/** A program of its own for tests of the table: its command prints what it gets. */
import { command, type CommandGroup } from '../../../src/cli/table/command.ts';
import { runCommandLine } from '../../../src/cli/table/run-command.ts';

interface Options {
  readonly count: number;
  readonly to: { readonly host: string; readonly port: number } | undefined;
  readonly skip: readonly string[];
  readonly form: 'text' | 'json';
  readonly quiet: boolean;
}

export const cast = command({
  name: 'cast',
  summary: 'send lists somewhere',
  args: [
    { name: 'LIST', choices: ['ours', 'theirs'] },
    { name: 'PEER', optional: true, many: true },
  ],
  options: {
    count: { value: 'N', type: 'count', fallback: '3', about: 'how many' },
    to: { value: 'HOST:PORT', type: 'endpoint', about: 'where' },
    skip: { value: 'NAME', many: true, about: 'not these' },
    form: { value: 'FORM', choices: ['text', 'json'], fallback: 'text', about: 'how' },
    quiet: { about: 'say nothing' },
  },
  run: ({ options, args }) => {
    const typed: Options = options; // tsc keeps the table and the types of its options together
    console.log(JSON.stringify({ options: typed, args }));
    return Promise.resolve(0);
  },
});

export const inner: CommandGroup = { name: 'inner', summary: 'more', commands: [cast] };

export const program: CommandGroup = {
  name: 'pc',
  summary: 'a program',
  commands: [cast, inner],
  version: () => Promise.resolve('7.0'),
};

if (import.meta.main) {
  const { FALLBACK = '' } = process.env;
  const running = FALLBACK === '' ? program : { ...program, fallback: FALLBACK };
  process.exitCode = await runCommandLine(running, process.argv.slice(2));
}
