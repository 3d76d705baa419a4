import { Type, type Static } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { FamilyName, Nullable, Strict, listQuery, resourceMembers } from '../shapes/page.ts';
import { RequestHeaders, RequestHeadersPatch } from '../shapes/request-headers.ts';

const writable = {
  name: Name('Unique in the tenant, without case'),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'https, as the template of RFC 8484 (`https://dns.example/dns-query{?dns}`) or without its variable',
  }),
  method: Type.Enum(['GET', 'POST'], { description: 'Default: `POST`' }),
  bootstrap_addresses: Type.Array(
    Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })]),
    {
      maxItems: 8,
      uniqueItems: true,
      description:
        "Addresses to connect to, in this order, so that the URL's host need not be resolved. The certificate must still be that of the host",
    },
  ),
  client_subnet: Nullable(
    Type.String({ minLength: 1, maxLength: 50 }),
    'Network sent along, so that the answers are those that clients there get (RFC 7871), such as `198.51.100.0/24`; `0.0.0.0/0` asks resolvers to send none themselves',
  ),
  timeout_ms: Type.Integer({
    minimum: 100,
    maximum: 30_000,
    description: 'For a connection, and for a query over it; default: 5000',
  }),
  enabled: Type.Boolean({ description: 'Whether modules query it; default: true' }),
};

const HEADERS = 'Sent with every question, such as an Authorization; kept encrypted and never shown again';
const headers = RequestHeaders(HEADERS);

export const DohProfile = Strict({
  ...resourceMembers,
  ...writable,
  headers: Type.Record(Type.String(), Type.Null(), { description: 'Names only; values are never shown' }),
});
export type DohProfile = Static<typeof DohProfile>;

export const DohProfileCreate = Strict({
  name: Type.Optional(
    Name("Unique in the tenant; where nothing is said the URL's host, with a number if need be"),
  ),
  url: writable.url,
  method: Type.Optional(writable.method),
  bootstrap_addresses: Type.Optional(writable.bootstrap_addresses),
  client_subnet: Type.Optional(writable.client_subnet),
  timeout_ms: Type.Optional(writable.timeout_ms),
  headers: Type.Optional(headers),
  enabled: Type.Optional(writable.enabled),
});
export type DohProfileCreate = Static<typeof DohProfileCreate>;

export const DohProfilePatch = Type.Partial(Strict({ ...writable, headers: RequestHeadersPatch(HEADERS) }), {
  additionalProperties: false,
  minProperties: 1,
});
export type DohProfilePatch = Static<typeof DohProfilePatch>;

export const DohProfileQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  q: Type.Optional(SearchText),
});
export type DohProfileQuery = Static<typeof DohProfileQuery>;

export const DohTestRequest = Strict({
  domain: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'Default: `example.com`' }),
  ),
});
export type DohTestRequest = Static<typeof DohTestRequest>;

export const DohTest = Strict({
  domain: Type.String(),
  answers: Type.Array(
    Strict({
      family: FamilyName,
      addresses: Type.Array(
        Strict({ address: Type.String(), ttl: Type.Integer({ minimum: 0, description: 'Seconds' }) }),
      ),
      is_missing: Type.Boolean({ description: 'The answer is that there is no such name (NXDOMAIN)' }),
      error: Nullable(Type.String(), 'Why there is no answer, and what to do'),
      milliseconds: Type.Number({
        minimum: 0,
        description: 'The first query to end includes the time to connect',
      }),
    }),
    { description: 'One for each family' },
  ),
});
export type DohTest = Static<typeof DohTest>;
