/** What stands in the agent's way, in words for whoever looks after the node. */
export type AgentFaultCode =
  /** What is kept on disk cannot be read. */
  | 'state_unreadable'
  /** Nothing can be kept any more: no room, or no right to write. */
  | 'state_unwritable'
  /** The control plane does not answer, or cannot now. */
  | 'control_unreachable'
  /** The key or token is not good (any more). */
  | 'unauthorized'
  /** The control plane answers, and refuses. */
  | 'control_refused'
  /** The daemon would not take what the bundle says. */
  | 'refused_by_daemon'
  /** The kernel does not take the ruleset, or holds something else than it was given. */
  | 'kernel_refused'
  /** The control plane could not be reached with the new ruleset, so the one before is back. */
  | 'not_confirmed'
  | 'wrong_setup';

export class AgentFault extends Error {
  override readonly name = 'AgentFault';
  readonly code: AgentFaultCode;
  /** Seconds after which trying again makes sense, where the control plane has said so. */
  readonly retryAfter: number | null;
  /** The code that the control plane gave, where it refused. */
  readonly problem: string | null;

  constructor(
    code: AgentFaultCode,
    message: string,
    options: { cause?: unknown; retryAfter?: number; problem?: string } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
    this.problem = options.problem ?? null;
  }
}

/** Any fault as a line that starts with its code, where it has one. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${code}: ${error.message}` : error.message;
}
