import type { Role } from '../../api/access/permissions.ts';
import { Problem } from '../../api/problems/problem.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';

/** Who asks for what belongs to the machine or to the whole database. */
export interface Asker {
  readonly tenant: { readonly slug: string };
  readonly role: Role;
}

/** The home tenant runs the installation; super roles look after all tenants. */
export function ownsMachine({ tenant, role }: Asker): boolean {
  return tenant.slug === DEFAULT_TENANT || role.startsWith('super_');
}

/**
 * @param doing what it is, as in "clean log files"
 * @throws {Problem} `home_tenant_only`
 */
export function requireHomeTenant(asker: Asker, doing: string): void {
  if (ownsMachine(asker)) return;
  throw new Problem(
    'home_tenant_only',
    `Only keys of the tenant ${DEFAULT_TENANT} and of super roles may ${doing}. Ask the operator of the service.`,
  );
}
