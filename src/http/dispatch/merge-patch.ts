/** Bodies of `application/merge-patch+json` (RFC 7396). */
import type { FastifyRequest } from 'fastify';
import { lockSubject } from './auditing.ts';
import type { TenantRequest, TenantRoute } from '../route.ts';
import { MERGE_PATCH } from '../route-rules.ts';

type Members = Readonly<Record<string, unknown>>;

export function isMergePatch({ headers }: FastifyRequest): boolean {
  const type = headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase();
  return type === MERGE_PATCH;
}

/**
 * The change that a merge patch means, as a body of JSON says it: that replaces a member as a whole, where a merge patch goes into objects.
 * Whoever else changes the resource waits, so that what is merged with is what is changed.
 */
export async function mergedBody(
  route: TenantRoute,
  { tx, params }: Pick<TenantRequest, 'tx' | 'params'>,
  patch: unknown,
): Promise<unknown> {
  if (!isObject(patch) || typeof route.read !== 'function') return patch;
  if (!Object.values(patch).some(isObject)) return patch;
  await lockSubject(route, { tx, params, body: patch });
  const { resource } = await route.read({ tx, params });
  const target = resource as Members;
  const isMerged = (name: string, value: unknown): boolean => isObject(value) && !isWriteOnly(route, name);
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => [
      name,
      isMerged(name, value) ? merge(target[name], value) : value,
    ]),
  );
}

/** The function MergePatch of RFC 7396, section 2. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What nobody can read, as headers with secrets, a route merges by itself, whatever the media type. */
function isWriteOnly({ body }: TenantRoute, name: string): boolean {
  const { properties = {} } = body as { readonly properties?: Readonly<Record<string, unknown>> };
  return JSON.stringify(properties[name] ?? null).includes('"writeOnly":true');
}
