import { Type, type Static } from 'typebox';
import { RoleName } from './api-keys.ts';
import { PendingChanges } from '../shapes/members.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { TenantPolicy } from './tenant-policy.ts';

export const Session = Strict({
  tenant: Strict({ id: Id, slug: Type.String(), name: Type.String() }),
  role: RoleName,
  permissions: Type.Array(Type.String()),
  policy: TenantPolicy,
  key: Strict({ id: Id, name: Type.String(), prefix: Type.String(), expires_at: Nullable(Timestamp) }),
  pending_changes: PendingChanges,
});
export type Session = Static<typeof Session>;
