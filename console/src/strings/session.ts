/** Of sessions of several tenants in one browser. */
export const otherTenantText = {
  title: 'Another tenant',
  what: 'Sign in with a key of it. Both sessions stay; each tab shows the tenant that is chosen in it.',
} as const;
