/** Of sessions of several tenants in one browser. */
export const otherTenantText = {
  title: 'Another tenant',
  /** Beside the tenant that is chosen and not shown yet. */
  show: 'Switch',
  what: 'Sign in with a key of it. Both sessions stay; each tab shows the tenant that is chosen in it.',
} as const;
