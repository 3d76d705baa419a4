/** What the parameters of a path name. */
import { notFound } from '../../api/problems/problem.ts';
import { isUuid } from '../../api/shapes/uuid.ts';
import { revisionOfPath } from '../../control/revisions/named-revision.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { TenantRoute } from '../route.ts';
import { isNamable, namePatternOf } from '../route-rules.ts';

/**
 * Ids as the database writes them: secrets are sealed for them, and locks and references are compared with them. What is not shaped
 * like an id cannot be the id of anything: the same 404 as for an unknown one.
 */
export function readIds(
  route: TenantRoute,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries<string>(route.params ?? {}).map(([name, noun]) => {
      const id = params[name]!;
      if (isNamable(route, noun)) return [name, id];
      const pattern = namePatternOf(noun);
      if (pattern !== null) {
        if (!new RegExp(pattern).test(id)) throw notFound(noun, id);
        return [name, id];
      }
      if (!isUuid(id)) throw notFound(noun, id);
      return [name, id.toLowerCase()];
    }),
  );
}

/** The ids of what the path names by something else. @throws {Problem} `not_found` */
export async function namedIds(
  tx: TenantTx,
  route: TenantRoute,
  params: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const ids = { ...params };
  for (const [name, noun] of Object.entries<string>(route.params ?? {}))
    if (isNamable(route, noun)) ids[name] = (await revisionOfPath(tx, params[name]!)).id;
  return ids;
}
