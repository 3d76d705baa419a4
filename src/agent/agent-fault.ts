/** Why the agent cannot continue, for whoever operates the node. */
export type AgentFaultCode =
  /** The state on disk cannot be read. */
  | 'state_unreadable'
  /** State can no longer be written: the disk is full, or permission is missing. */
  | 'state_unwritable'
  /** Another process works in the data directory. */
  | 'directory_in_use'
  /** The control plane does not answer, or cannot now. */
  | 'control_unreachable'
  /** The key or token is not valid, or no longer. */
  | 'unauthorized'
  /** The control plane answers with a refusal. */
  | 'control_refused'
  /** The daemon rejected the bundle's configuration. */
  | 'refused_by_daemon'
  /** The kernel rejected the ruleset, or holds something else than it was given. */
  | 'kernel_refused'
  /** The control plane could not be reached with the new ruleset, so the previous one was restored. */
  | 'not_confirmed'
  | 'wrong_setup';

export class AgentFault extends Error {
  override readonly name = 'AgentFault';
  readonly code: AgentFaultCode;
  /** Seconds after which a retry makes sense, if the control plane said so. */
  readonly retryAfter: number | null;
  /** The control plane's error code, if it refused. */
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

/** Any fault as a line that starts with its code, if it has one. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${code}: ${error.message}` : error.message;
}
