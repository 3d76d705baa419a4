/** What follows from what a route says of itself: the server, the description and the tests ask the same. */
import type { Permission } from '../api/access/permissions.ts';
import { RUNTIME_LOG_NAME_PATTERN, RUNTIME_LOG_NOUN } from '../api/operation/runtime-logs.ts';
import type { Route, TenantRoute } from './route.ts';

/** Of RFC 7396: what is null is removed, objects are merged, everything else is replaced. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** The media types of bodies that the route takes; none where it takes no body. */
export function bodyTypesOf(route: Route): readonly string[] {
  if (route.permission === 'public') return [];
  if (route.consumes !== undefined) return [route.consumes];
  // What changes many at once says which, and is no patch of the list.
  const isPatch = route.method === 'PATCH' && route.isOfList !== true;
  return isPatch ? ['application/json', MERGE_PATCH] : ['application/json'];
}

/** What enrollment tokens are good for. */
export const ENROLLING: readonly Permission[] = ['bgp:node:enroll', 'bgp:firewall:enroll'];

/** Whether nodes and firewall clients use it, which come all at once when there is something new. */
export function isOfMachines(permission: Permission): boolean {
  return (
    permission.startsWith('bgp:node:') ||
    permission === 'bgp:firewall:pull' ||
    permission === 'bgp:firewall:report'
  );
}

/** Whether the answer to an Idempotency-Key is kept and repeated. An enrollment token works once, so nothing can be repeated with it. */
export function keepsAnswers(route: Route): boolean {
  if (route.permission === 'public' || ENROLLING.includes(route.permission)) return false;
  if (route.isOfBrowser === true) return false;
  return route.method !== 'GET' && route.asksOutside !== true && route.isTakenBack !== true;
}

/** For the answer to a dry run: it must not be taken for that of a write. */
export const DRY_RUN_MEDIA_TYPE = 'application/vnd.prefixcast.dry-run+json';

/** Whether it is a write of people's, which can be carried out and taken back. */
export function isPlannable(route: Route): boolean {
  return keepsAnswers(route) && route.permission !== 'public' && !isOfMachines(route.permission);
}

/** Whether all that it does ends with its transaction, so that it can be one of several writes. */
export function isTransactional(route: TenantRoute): boolean {
  return isPlannable(route) && route.permission !== 'bgp:logs:write';
}

/** Whether `dry_run=true` is a parameter of the route's that needs no code of its own. */
export function takesDryRun(route: Route): boolean {
  return isPlannable(route) && route.permission !== 'public' && !hasOwnDryRun(route);
}

/** Whether its query knows `dry_run` by itself. */
function hasOwnDryRun({ query }: TenantRoute): boolean {
  return query?.properties.dry_run !== undefined;
}

/** Whether a path parameter may name a revision by more than its id. Nodes receive ids, and ask by these. */
export function isNamable({ permission }: Pick<TenantRoute, 'permission'>, noun: string): boolean {
  return noun === 'revision' && !permission.startsWith('bgp:node:');
}

/** Whether it answers with pages. */
export function isPaged(route: Route): boolean {
  return route.permission !== 'public' && route.query?.properties.cursor !== undefined;
}

/** What a path parameter of this noun looks like where it is no id. */
export function namePatternOf(noun: string): string | null {
  return noun === RUNTIME_LOG_NOUN ? RUNTIME_LOG_NAME_PATTERN : null;
}
