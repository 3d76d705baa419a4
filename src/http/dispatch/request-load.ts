/** How much work a request may be, by what it says. */
import type { FastifyRequest } from 'fastify';
import type { TenantRoute } from '../route.ts';

/** A body with more items than this, or bytes that are no JSON, is large: it keeps a session of the database busy for long. */
const MANY_ITEMS = 200;
const MANY_BYTES = 32 * 1024;
/** So is a page of more than these; most lists have none. */
const LONG_PAGE = 1_000;

/** Speakers and peers that come, go or change start and end sessions, which takes the process and its database about so long. */
const SESSIONS_MS = 100;
const OF_SESSIONS: ReadonlySet<TenantRoute['permission']> = new Set([
  'bgp:speakers:write',
  'bgp:peers:write',
]);

/** Filters that no index may serve. */
const SEARCHING = ['q', 'contains'] as const;

/** Whether it takes long whatever it finds: it goes through all that a list has, or is of thousands. */
export function isLong(request: FastifyRequest): boolean {
  const { method, query } = request;
  const given = query as Readonly<Partial<Record<(typeof SEARCHING)[number], unknown>>>;
  return isOfMany(request) || (method === 'GET' && SEARCHING.some((name) => given[name] !== undefined));
}

/** Milliseconds that what follows from it takes when it is answered already. */
export function aftermathOf({ permission }: TenantRoute): number {
  return OF_SESSIONS.has(permission) ? SESSIONS_MS : 0;
}

/** Whether it may be much work: of many items, or of whatever a filter or a trial leads to. */
export function isLarge(route: TenantRoute, request: FastifyRequest): boolean {
  if (isOfMany(request)) return true;
  const { body, query } = request;
  if (body instanceof Uint8Array) return false;
  return (
    route.isTakenBack === true ||
    route.isLarge === true ||
    route.isSeries === true ||
    (query as { dry_run?: unknown }).dry_run !== undefined ||
    (route.isOfList === true && (body as { filter?: unknown } | undefined)?.filter !== undefined)
  );
}

function isOfMany({ body, query }: FastifyRequest): boolean {
  if (body instanceof Uint8Array) return body.length > MANY_BYTES;
  if (Number((query as { limit?: unknown }).limit) > LONG_PAGE) return true;
  // Whatever list it is: items, ids, networks of a firewall rule.
  return Object.values((body ?? {}) as Readonly<Record<string, unknown>>).some(
    (list) => Array.isArray(list) && list.length > MANY_ITEMS,
  );
}
