/** Of sessions of several tenants in one browser. */
export const otherTenantText = {
  title: 'Another tenant',
  /** Beside the tenant that is chosen and not shown yet. */
  show: 'Switch',
  what: 'Sign in with a key of it. Both sessions stay; each tab shows the tenant that is chosen in it.',
} as const;

/** Of a session that ended under something that is not saved. */
export const endedSessionText = {
  ofOther: (other: string, own: string) =>
    `This key is of the tenant ${other}, and what you have written is of ${own}. Type a key of ${own}.`,
} as const;
