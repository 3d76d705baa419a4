import { Type, type Static } from 'typebox';
import { ROLES } from './permissions.ts';
import { Nullable, Strict, Timestamp, listQuery, resourceMembers } from './page.ts';

export const RoleName = Type.Enum(ROLES);

const writable = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  expires_at: Nullable(Timestamp),
};

export const ApiKey = Strict({
  ...resourceMembers,
  ...writable,
  role: RoleName,
  prefix: Type.String({ description: 'The public start of the secret, by which a person recognises it' }),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  created_by: Nullable(Type.String()),
});
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyCreate = Strict({
  name: writable.name,
  role: RoleName,
  expires_at: Type.Optional(writable.expires_at),
});
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

export const ApiKeyPatch = Type.Partial(Strict(writable), { additionalProperties: false, minProperties: 1 });
export type ApiKeyPatch = Static<typeof ApiKeyPatch>;

/** The answer to creation: the only time the secret is shown. */
export const ApiKeyCreated = Strict({ ...ApiKey.properties, secret: Type.String() });
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

export const ApiKeyQuery = listQuery({
  role: Type.Optional(RoleName),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
