/** Of sessions of several tenants in one browser. */
export const otherTenantText = {
  title: 'Another tenant',
  /** Beside the tenant that is chosen and not shown yet. */
  show: 'Switch',
  what: 'Sign in with a key of it. Both sessions stay; each tab shows the tenant that is chosen in it.',
} as const;

const END_BY_KEY = /^The session has ended: (its API key [^.]+)\./;

/** How the session has ended, as the service says it, where it knows one way; undefined: nobody knows. */
export function endOf(error: Error | null): string | undefined {
  return END_BY_KEY.exec(error?.message ?? '')?.[1];
}

function ended(how: string | undefined): string {
  return how === undefined ? 'Your session has ended.' : `Your session has ended: ${how}.`;
}

/** Of a session that has ended, be it under something that is not saved. */
export const endedSessionText = {
  ended: (how: string | undefined) => `${ended(how)} Sign in to go on where you were.`,
  here: (how: string | undefined) =>
    `${ended(how)} What you have written is still here: sign in to the same tenant to go on.`,
  ofOther: (other: string, own: string) =>
    `This key is of the tenant ${other}, and what you have written is of ${own}. Type a key of ${own}.`,
  weaker: (role: string) =>
    `This key has the role ${role}, which may not save what you have written. Type one that may.`,
} as const;
