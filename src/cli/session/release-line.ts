/** How what guardrails hold is let through, for whoever reads it: a command that the key may not use is no remedy. */
import { roleHas, type Role } from '../../api/access/permissions.ts';
import { SUPER_GUARDRAILS } from '../../api/revisions/guardrail-codes.ts';
import type { Session } from './run-remote.ts';

interface Release {
  /** What the command does, as it begins a line: `Release it`. */
  readonly title: string;
  /** Without the name of the program. */
  readonly command: string;
  readonly codes: readonly string[];
}

/** The command, or who may. */
export async function releaseLine(session: Session, { title, command, codes }: Release): Promise<string> {
  const role = await roleOf(session);
  const reserved = codes.filter((code) => SUPER_GUARDRAILS.includes(code));
  if (role !== null && !roleHas(role, 'bgp:deploy:write'))
    return `${title}: that takes a key of the role operator, and this one is of ${role}`;
  if (role !== null && reserved.length > 0 && !roleHas(role, 'tenants:write'))
    return `${title}: only the operator of the service may, with a key of the role super_admin (${reserved.join(', ')}). Correct the list, or ask there`;
  return `${title}: prefixcast${session.contextWords} ${command}`;
}

const roles = new WeakMap<Session, Promise<Role | null>>();

/** Null: nobody knows. */
function roleOf(session: Session): Promise<Role | null> {
  let role = roles.get(session);
  if (role === undefined) {
    role = session.client.get('/v1/auth/session').then(
      (own) => own.role,
      () => null,
    );
    roles.set(session, role);
  }
  return role;
}
