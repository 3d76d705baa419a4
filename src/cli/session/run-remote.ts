/** What every command that asks the service shares: it is connected, its problems become exit codes. */
import type { ApiProblem, PrefixcastClient } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import type { Format } from '../render/formats.ts';
import type { Noun } from '../nouns/noun.ts';
import { problemText } from './command-words.ts';
import { connect, sourceOf } from './connect.ts';
import { Deadline } from './deadline.ts';
import { Names } from './names.ts';

export interface CommonOptions {
  readonly context?: string | undefined;
  readonly output?: Format | undefined;
  /** Undefined: without a limit. */
  readonly timeout?: number | undefined;
}

export interface Session {
  readonly client: PrefixcastClient;
  readonly names: Names;
  readonly format: Format;
  /** `--context NAME`, where a command names it, for commands that are printed. */
  readonly contextWords: string;
  readonly deadline: Deadline | undefined;
}

export async function runRemote(
  options: CommonOptions,
  work: (session: Session) => Promise<number | void>,
  noun?: Noun,
): Promise<number> {
  const session = await openSession(options);
  const named = (): Promise<number | void> =>
    work(session).catch((error: unknown) => {
      throw withSource(error, session);
    });
  return (await orProblem(named, noun, session.contextWords)) ?? EXIT.ok;
}

/** A key that opens nothing: whoever typed none wants to know which one that was. */
function withSource(error: unknown, { client }: Session): unknown {
  const problem = error as ApiProblem;
  const source = sourceOf(client);
  if (problem.name !== 'ApiProblem' || problem.status !== 401 || source === undefined) return error;
  return new CommandError(`${problemText(problem)} It is that of ${source}.`, EXIT.notAuthorised, {
    cause: error,
  });
}

export async function openSession(options: CommonOptions, deadline = deadlineOf(options)): Promise<Session> {
  return sessionOf(await connect(options.context, deadline), options, deadline);
}

export function sessionOf(
  client: PrefixcastClient,
  { context, output }: CommonOptions,
  deadline: Deadline | undefined,
): Session {
  const contextWords = context === undefined ? '' : ` --context ${context}`;
  return { client, names: new Names(client), format: output ?? 'table', contextWords, deadline };
}

/** To be made once for a command: it counts from then on. */
export function deadlineOf({ timeout }: CommonOptions): Deadline | undefined {
  return timeout === undefined ? undefined : new Deadline(timeout);
}

/**
 * What the service refuses ends the command with its words and exit code.
 * @param noun whose options the command has, which the words are to name
 * @param contextWords of the session, for commands that are printed
 */
export async function orProblem<T>(work: () => Promise<T>, noun?: Noun, contextWords = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toCommandError(error, noun, contextWords);
  }
}

function toCommandError(error: unknown, noun: Noun | undefined, contextWords: string): unknown {
  const { name } = error as Error;
  if (name === 'ApiProblem') {
    const problem = error as ApiProblem;
    return new CommandError(problemText(problem, noun, contextWords), exitCodeOf(problem), { cause: error });
  }
  return error;
}

/** Codes of the problems that hold something until a person decides. */
const HELD: ReadonlySet<string> = new Set([
  ...['deploy_frozen', 'default_route_forbidden', 'coverage_exceeded', 'prefix_too_short', 'bogon_prefix'],
  ...[
    'protected_prefix',
    'max_change_exceeded',
    'rolled_back',
    'large_withdrawal',
    'max_prefixes_exceeded',
    'tenant_policy',
  ],
]);

/** Of sources that could not be read: what was typed to ask for them is right. */
const SOURCES: ReadonlySet<string> = new Set([
  ...[
    'source_unreachable',
    'source_timeout',
    'source_redirect',
    'source_http_status',
    'source_refused_query',
  ],
  ...['source_too_large', 'source_unparseable', 'source_empty'],
]);

export function exitCodeOf({
  code,
  status,
  errors,
}: {
  readonly code: string;
  readonly status: number;
  readonly errors?: ApiProblem['errors'];
}): number {
  // A write that names what the policy does not allow was refused, and left nothing behind that is held.
  if (code === 'tenant_policy' && errors !== undefined && errors.length > 0) return EXIT.usage;
  if (HELD.has(code)) return EXIT.held;
  if (code === 'runtime_logs_unavailable' || SOURCES.has(code)) return EXIT.failed;
  if (status === 401 || status === 403) return EXIT.notAuthorised;
  if (status === 404) return EXIT.notFound;
  if (code === 'idempotency_in_progress') return EXIT.tryAgain;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 400 || status === 422) return EXIT.usage;
  if (status === 429 || status === 503 || code === 'unreachable') return EXIT.tryAgain;
  return EXIT.failed;
}
