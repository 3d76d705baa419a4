import { Type, type Static } from 'typebox';
import { ROLES } from './permissions.ts';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';

export const RoleName = Type.Enum(ROLES, {
  description:
    '`viewer` reads, `operator` also changes, `node` and `firewall` can use only their own routes; `super_viewer` and ' +
    '`super_admin` are viewer and operator that also manage tenants',
});

const writable = {
  name: Name('For people; shown as `key:<name>` where the key did something'),
  expires_at: Nullable(Timestamp, 'The key stops working then; null: never'),
};

export const ApiKey = Strict({
  ...resourceMembers,
  ...writable,
  role: RoleName,
  prefix: Type.String({ description: 'The public beginning of the secret, to recognise it' }),
  last_used_at: Nullable(Timestamp, 'To the minute; null: never'),
  previous_valid_until: Nullable(
    Timestamp,
    'Until when the secret before the last rotation also works; null: the key was never rotated',
  ),
  revoked_at: Nullable(Timestamp, 'When it was taken back; null: it was not'),
  created_by: Nullable(Type.String(), 'Who made it, such as `key:ops` or `cli`'),
  speaker_id: Nullable(Id, 'Whose node it is of, for a key that a node enrolled with; null: of no node'),
  firewall_client_id: Nullable(
    Id,
    'Whose key it is, for a key that a firewall client enrolled with; null: of no firewall client',
  ),
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

export const MAXIMUM_GRACE_SECONDS = 30 * 86_400;
export const ApiKeyRotate = Strict({
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAXIMUM_GRACE_SECONDS,
      default: 0,
      description: 'How long the old secret works beside the new one; 0: it stops at once',
    }),
  ),
});
export type ApiKeyRotate = Static<typeof ApiKeyRotate>;

/** The answer to creation and rotation: the only times the secret is shown. */
export const ApiKeyCreated = Strict({
  ...ApiKey.properties,
  secret: Type.String({ description: 'The key itself, shown only in this answer' }),
});
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

export const ApiKeyQuery = listQuery({
  role: Type.Optional(RoleName),
  q: Type.Optional(SearchText),
});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
