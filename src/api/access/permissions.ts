/** Who may do what: the one table that maps roles to permissions. Every route names the permission it needs. */

const READ = [
  'bgp:session:read',
  'bgp:session:browse',
  'bgp:lists:read',
  'bgp:communities:read',
  'bgp:speakers:read',
  'bgp:peers:read',
  'bgp:revisions:read',
  'bgp:jobs:read',
  'bgp:settings:read',
  'bgp:monitoring:read',
  'bgp:events:read',
  'bgp:logs:read',
  'bgp:firewall:read',
  'bgp:firewall:pull',
  'bgp:feeds:read',
  'bgp:maintenance:read',
  'bgp:postgres:read',
] as const;

const WRITE = [
  'bgp:lists:write',
  'bgp:communities:write',
  'bgp:speakers:write',
  'bgp:peers:write',
  'bgp:revisions:write',
  'bgp:jobs:write',
  'bgp:settings:write',
  'bgp:deploy:write',
  'bgp:keys:read',
  'bgp:keys:write',
  'bgp:logs:write',
  'bgp:firewall:write',
  'bgp:feeds:write',
  'bgp:webhooks:read',
  'bgp:webhooks:write',
  'bgp:maintenance:write',
  'bgp:postgres:write',
] as const;

const NODE = ['bgp:node:pull', 'bgp:node:report'] as const;
/** Of whoever holds an enrollment token; no key has them. */
type Enrollment = 'bgp:node:enroll' | 'bgp:firewall:enroll';
const FIREWALL = ['bgp:firewall:pull', 'bgp:firewall:report'] as const;
const TENANTS_READ = ['tenants:read'] as const;
const TENANTS_WRITE = ['tenants:write'] as const;

export type Permission =
  | (typeof READ)[number]
  | (typeof WRITE)[number]
  | (typeof NODE)[number]
  | Enrollment
  | (typeof FIREWALL)[number]
  | (typeof TENANTS_READ)[number]
  | (typeof TENANTS_WRITE)[number];

export const ROLES = ['viewer', 'operator', 'node', 'firewall', 'super_viewer', 'super_admin'] as const;
export type Role = (typeof ROLES)[number];

/** `GET /v1/auth/session` is open to every role, so each holds `bgp:session:read`; `bgp:session:browse`, to have a browser's session, only roles of people. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: READ,
  operator: [...READ, ...WRITE],
  node: ['bgp:session:read', ...NODE],
  firewall: ['bgp:session:read', ...FIREWALL],
  super_viewer: [...READ, ...TENANTS_READ],
  super_admin: [...READ, ...WRITE, ...TENANTS_READ, ...TENANTS_WRITE],
};

/** Of a node or a firewall client, and of no person. */
export function isMachine(role: Role): boolean {
  return role === 'node' || role === 'firewall';
}

export function roleHas(role: Role, permission: Permission): boolean {
  return ROLE_PERMISSIONS[role].includes(permission);
}

/** A key may create keys whose every permission it holds itself; node and firewall keys are weaker than operator by definition. */
export function mayGrant(maker: Role, granted: Role): boolean {
  if (isMachine(granted)) return roleHas(maker, 'bgp:keys:write');
  return ROLE_PERMISSIONS[granted].every((permission) => roleHas(maker, permission));
}

/** The roles that have it, the least powerful first, for a sentence. */
export function rolesWith(permission: Permission): string {
  return ROLES.filter((role) => roleHas(role, permission)).join(', ');
}
