/** Whoever overrides guardrails names them: by options, or by a yes to what the terminal shows. */
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { codesOf, reasonsOf } from './held.ts';

export interface OverrideOptions {
  /** Codes, several in one text with commas. */
  readonly override: readonly string[];
  readonly reason?: string | undefined;
  /** Flag; with codes that are named, it answers the question. */
  readonly yes?: unknown;
}

/** As the service wants it. */
const SHORTEST_REASON = 10;

interface Overridden {
  /** What goes on in spite of its findings, such as `The module clouds`. */
  readonly what: string;
  readonly findings: Parameters<typeof reasonsOf>[0];
  /** What it would announce and withdraw, and other lines to see before. */
  readonly lines: readonly string[];
  readonly question: string;
  /** The options say already that exactly this was inspected. */
  readonly isInspected: boolean;
}

/**
 * The codes to override, after they were shown on standard error.
 * @throws {CommandError} where a code is not named, or the answer is no
 */
export async function agreedOverride(overridden: Overridden, options: OverrideOptions): Promise<string[]> {
  const { what, findings, lines, question, isInspected } = overridden;
  if (options.reason === undefined)
    throw new UsageError('--reason is missing: the audit log keeps why guardrails were overridden');
  if (options.reason.trim().length < SHORTEST_REASON)
    throw new UsageError(
      `--reason ${JSON.stringify(options.reason)} is too short: write ${SHORTEST_REASON} characters or more, for whoever reads the audit log`,
    );
  const codes = codesOf(findings);
  const named = namedCodes(options.override);
  const isBroken = codes.length > 0;
  say(
    [
      isBroken ? `${what} breaks:${reasonsOf(findings)}` : `${what} breaks no guardrail any more`,
      ...lines,
    ].join('\n'),
  );
  const missing = codes.filter((code) => named.length > 0 && !named.includes(code));
  if (missing.length > 0)
    throw new CommandError(
      `--override does not name ${missing.join(', ')}: where that is right too, write --override ${codes.join(',')}`,
      EXIT.held,
    );
  if ((named.length > 0 || !isBroken) && (isInspected || options.yes === true || !canAsk())) return named;
  if (!canAsk()) throw new UsageError(`--override is missing: name what it breaks, ${codes.join(',')}`);
  if (!(await asksYes(question))) throw new CommandError('Nothing has changed', EXIT.no);
  return named.length > 0 ? named : codes;
}

export function namedCodes(override: readonly string[]): string[] {
  return override.flatMap((text) => text.split(',').map((code) => code.trim())).filter((code) => code !== '');
}
