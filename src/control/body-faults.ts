import { Problem, type FieldFault } from '../api/problems/problem.ts';
import { lazily } from '../core/lazily.ts';
import { listAllCommunities } from '../store/tenants/communities.ts';
import type { TenantTx } from '../store/database/database.ts';

/** Most faults in an answer. */
const MAXIMUM_FAULTS = 100;

/** `/items/2` before `/items/10`. */
const places = lazily(() => new Intl.Collator('en', { numeric: true }));

/**
 * Refuses a body for faults that its schema cannot express; does nothing if there are none.
 * @throws {Problem} `validation_failed` with the first hundred
 */
export function refuseFaults(faults: readonly FieldFault[]): void {
  const [first, ...others] = [...faults].sort((a, b) => places().compare(a.pointer, b.pointer));
  if (first === undefined) return;
  const rest = others.length > 0 ? ` (and ${others.length} more, see errors)` : '';
  throw new Problem('validation_failed', `${first.pointer}: ${first.detail}${rest}`, {
    errors: [first, ...others].slice(0, MAXIMUM_FAULTS),
  });
}

/** Bodies that repeat what an earlier one has, where each may have it once. A key of null is at fault anyway. */
export function findRepeats(
  keys: readonly (string | null)[],
  pointerOf: (index: number) => string,
): FieldFault[] {
  const firstAt = new Map<string, number>();
  return keys.flatMap((key, index) => {
    if (key === null) return [];
    const earlier = firstAt.get(key);
    if (earlier === undefined) firstAt.set(key, index);
    return earlier === undefined
      ? []
      : [
          {
            pointer: pointerOf(index),
            detail: `${key} stands at ${pointerOf(earlier)} already. Leave one out.`,
          },
        ];
  });
}

/** Bodies whose community does not exist. */
export async function findUnknownCommunities(
  tx: TenantTx,
  bodies: readonly NamesCommunities[],
  pointerOf: (index: number) => string,
): Promise<FieldFault[]> {
  const named = (body: NamesCommunities): readonly (readonly [string, string])[] => [
    ...(typeof body.community_id === 'string' ? [['community_id', body.community_id] as const] : []),
    ...(body.community_ids ?? []).map((id, index) => [`community_ids/${index}`, id] as const),
  ];
  if (bodies.every((body) => named(body).length === 0)) return [];
  const known = new Set((await listAllCommunities(tx)).map(({ id }) => id));
  return bodies.flatMap((body, index) =>
    named(body).flatMap(([field, id]) =>
      known.has(id.toLowerCase())
        ? []
        : [
            {
              pointer: `${pointerOf(index)}/${field}`,
              detail: `No community has the id ${id}. List /v1/communities to see which exist.`,
            },
          ],
    ),
  );
}

interface NamesCommunities {
  readonly community_id?: string | null | undefined;
  readonly community_ids?: readonly string[] | undefined;
}
