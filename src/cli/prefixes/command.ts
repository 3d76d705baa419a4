/**
 * What `aggregate`, `diff` and `contains` share: commands over prefix lists that need no service. They start in a moment, so they
 * load the core and nothing else: no library reads their arguments, no stream carries their output.
 */
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** Exit codes; from 2 on as in sysexits(3) and by convention. */
export const EXIT = {
  ok: 0,
  no: 1,
  usage: 2,
  rejects: 65,
  noInput: 66,
  failed: 70,
  outputFailed: 74,
} as const;

/** Ends the command with a message and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(`${message}\n(--help tells how it is used)`, EXIT.usage);
}

/** The codes as `--help` tells them; `no` is what 1 means to the command. */
export function exitCodesHelp(no?: string): string {
  return `Exit codes:
  0   done${no === undefined ? '' : `\n  1   ${no}`}
  2   wrong usage
  65  lines were refused (told on standard error); the rest was used
  66  an input can't be read
  70  the command itself failed, as with too little memory
  74  the output can't be written
`;
}

type Options = NonNullable<ParseArgsConfig['options']>;

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Reads arguments; throws a usage error for what is not in `options`. */
export function readArguments(args: readonly string[], options: Options): Arguments {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

const FORMATS = ['text', 'json', 'csv'] as const;
export type OutputFormat = (typeof FORMATS)[number];

export function outputFormat(value: unknown): OutputFormat {
  const format = FORMATS.find((known) => known === value);
  if (format === undefined) {
    throw usageError(`--output ${String(value)} is not known: write ${FORMATS.join(', ')}`);
  }
  return format;
}
