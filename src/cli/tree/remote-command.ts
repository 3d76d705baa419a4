/** A command that asks the service, and the options and exit codes that all of these have. */
import { EXIT } from '../process/command-error.ts';
import type { Command, Input, OptionSpec, OptionValues } from '../table/command.ts';

export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;

const CONTEXT = {
  value: 'NAME',
  names: 'context',
  about: 'the service to ask: see prefixcast context list',
} as const;

export const OUTPUT = {
  value: 'FORMAT',
  short: 'o',
  choices: OUTPUT_FORMATS,
  about: 'how to print it; json is what the API says',
} as const;

export const FIND = {
  find: { value: 'TEXT', about: 'only those that have this text somewhere' },
} as const;
export const LIMITS = {
  limit: { value: 'N', type: 'count', about: 'at most this many; on a terminal, 50 by default' },
  all: { about: 'all of them, on a terminal too' },
} as const;

export const WAIT = {
  wait: {
    value: 'PHASE',
    implied: 'applied',
    choices: ['built', 'applied'],
    about: 'wait until the revision is built, or until routers have it (applied)',
  },
  timeout: { value: 'DURATION', type: 'seconds', about: 'wait no longer than this, such as 90s or 2m' },
} as const;

export const DRY_RUN = {
  'dry-run': {
    about:
      'say what it would announce and withdraw, and change nothing; with -o csv and ndjson the routes alone',
  },
} as const;

export const YES = { yes: { about: 'ask nothing, even where routes would go' } } as const;

export const LEAVE_OUT_MISSING = {
  'leave-out-missing': {
    about: 'put it back without communities and DoH profiles that were deleted meanwhile',
  },
} as const;

/** Of a token that a machine is set up with. */
export const VALID = {
  valid: {
    value: 'DURATION',
    type: 'duration',
    about: 'how long it may be used, such as 2h; an hour where nothing is said',
  },
} as const;

export const OVERRIDE = {
  override: {
    value: 'CODES',
    many: true,
    about: 'the guardrails that it may break, with commas, such as large_withdrawal',
  },
  reason: { value: 'TEXT', about: 'why it is right, 10 characters or more; the audit log keeps it' },
} as const;

type Exits = NonNullable<Command['exitCodes']>;

const REMOTE_EXITS: Exits = {
  [EXIT.ok]: 'done',
  [EXIT.failed]: 'it failed',
  [EXIT.usage]: 'wrong usage, or values that the service refuses',
  [EXIT.notAuthorised]: 'the key may not do this',
  [EXIT.held]: 'held by a guardrail, frozen, or waiting for revision apply',
  [EXIT.timeout]: 'not done in time; it goes on',
  [EXIT.notFound]: 'there is no such thing',
  [EXIT.conflict]: 'it conflicts with what exists',
  [EXIT.partial]: 'done, but some peers do not have it, or some sources could not be read',
  [EXIT.tryAgain]: 'the service cannot answer now: try again',
  [EXIT.configuration]: 'no service or key is known',
};

const OF_WAITING: readonly number[] = [EXIT.timeout, EXIT.partial];

/** What of these a command with such options can end with: whoever writes a script looks at no others. */
export function exitsFor(options: Specs): Exits {
  const waits = 'timeout' in options;
  const isTried = waits || 'dry-run' in options;
  const isNever = (code: number): boolean =>
    (!waits && OF_WAITING.includes(code)) || (!isTried && code === EXIT.held);
  return Object.fromEntries(Object.entries(REMOTE_EXITS).filter(([code]) => !isNever(Number(code))));
}

/** Of a command that shows how an apply went, and does not wait for it. */
export const APPLY_EXITS: Exits = {
  [EXIT.held]: REMOTE_EXITS[EXIT.held]!,
  [EXIT.partial]: 'some peers do not have it',
};

type Specs = Readonly<Record<string, OptionSpec>>;
type RemoteOptions = OptionValues<{ context: typeof CONTEXT; output: typeof OUTPUT }>;
type Remote<S extends Specs> = Omit<Command<S>, 'exitCodes' | 'run'> & {
  /** What exit codes mean to this one alone. */
  readonly exits?: Command['exitCodes'];
  /** What `-o` takes, where that is not all; none: there is no `-o`. */
  readonly formats?: readonly (typeof OUTPUT_FORMATS)[number][];
  run(input: Input<OptionValues<S> & RemoteOptions>): Promise<number>;
};

/** A command that asks the service: with `--context` and `-o`, and the exit codes of all. */
export function remote<const S extends Specs>({ formats = OUTPUT_FORMATS, ...spec }: Remote<S>): Command {
  const options = {
    ...(spec.options as Specs | undefined),
    ...(formats.length === 0 ? {} : { output: { ...OUTPUT, choices: formats } }),
    context: CONTEXT,
  };
  return {
    ...(spec as unknown as Command),
    options,
    exitCodes: { ...exitsFor(options), ...spec.exits },
  };
}
