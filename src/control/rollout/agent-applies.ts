import { noteApplied, noteFailed } from '../../store/rollout/agent-applies.ts';
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { partialReason } from '../../speakers/verification/peer-results.ts';

/** What a node reports of the bundle that it tried last. Counts are routes. */
export interface AppliedReport {
  /** Null: it has tried none yet. */
  readonly sequence: number | null;
  /** `unchanged`: it ran that already. */
  readonly status: 'applied' | 'failed' | 'unchanged';
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
  readonly error: string | null;
  /** What became of its peers; absent: all have what it runs, or nobody reports them. */
  readonly peers?: readonly PeerApplyResult[];
}

/**
 * Takes the word of a speaker's node for how its applies ended. What it says of another bundle than the one that was issued last changes
 * nothing: it is late, or the node will report that one soon. The same report again does nothing.
 */
export async function reportApplied(
  tx: TenantTx,
  speakerId: string,
  { sequence, status, error, peers = [], ...counts }: AppliedReport,
): Promise<void> {
  if (sequence === null) return;
  if (status === 'failed')
    await noteFailed(
      tx,
      speakerId,
      sequence,
      error ?? 'The node did not say why. Look at the log of its agent.',
      peers,
    );
  else await noteApplied(tx, speakerId, sequence, { ...counts, peers, partial: partialReason(peers) });
}
