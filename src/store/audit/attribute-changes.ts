/** Records of what routes are sent with beside their revision: what it was before they say, and nothing else does. */
import { type RawBuilder, sql } from 'kysely';

/** What a change of a community may give its routes. */
export const HOPS = ['next_hop_ipv4', 'next_hop_ipv6'] as const;

/** Whether a row of `audit_record`, called `record`, is of such a change. */
export const CHANGES_ATTRIBUTES: RawBuilder<boolean> = sql<boolean>`(
  record.resource_type IN ('community', 'settings')
  AND (record.changes_before ?| ${[...HOPS]} OR record.changes_before -> 'settings' ? 'guard_no_export'))`;
