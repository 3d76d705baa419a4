import { Type, type Static } from 'typebox';
import { Strict, resourceMembers } from './page.ts';

export const TenantStatus = Type.Enum(['active', 'suspended']);

export const Tenant = Strict({
  ...resourceMembers,
  name: Type.String(),
  slug: Type.String(),
  status: TenantStatus,
});
export type Tenant = Static<typeof Tenant>;
