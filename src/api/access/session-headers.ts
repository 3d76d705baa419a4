/** Headers of browsers that are signed in. */

/** In which a page sends the session's CSRF token with every write. */
export const CSRF_HEADER = 'X-CSRF-Token';
/** Says by the tenant's id which session a request is of, where a browser has sessions of several tenants. */
export const SESSION_TENANT_HEADER = 'X-Session-Tenant';
