/** Lines of a list that cannot be read: a few are an oversight of the publisher, many are another page than the list. */
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import { SourceError } from '../../sources/source-error.ts';
import { shownUrl } from '../../sources/fetch/source-url.ts';

/** This many unreadable lines are no reason to reject a list, however short it is. */
const TOLERATED_LINES = 2;

/**
 * Refuses a list of which too much cannot be read, so that the last good one stays. Exactly the limit is good.
 * @param percent of all lines or values; comments and blank lines are none
 * @throws {SourceError} `source_unparseable`
 */
export function refuseNonsense(
  { url }: { readonly url: string },
  { accepted, rejectedCount, repeatedCount = 0, rejects }: CollectedPrefixes,
  percent: number,
): void {
  const all = accepted + rejectedCount;
  const unreadable = rejectedCount - repeatedCount;
  if (unreadable <= TOLERATED_LINES || unreadable * 100 <= percent * all) return;
  const measured = Math.ceil((unreadable * 10_000) / all) / 100;
  const [first] = rejects;
  throw new SourceError(
    'source_unparseable',
    `${shownUrl(new URL(url))}: ${unreadable} of ${all} lines (${measured} %) cannot be read, and guard_max_rejected_percent is ${percent}. The first, line ${first!.line}: ${first!.reason}. See what the URL serves, or raise the setting.`,
  );
}
