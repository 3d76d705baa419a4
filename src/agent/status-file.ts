import type { PrefixCount } from '../api/shapes/page.ts';
import type { Daemon } from '../api/speakers/speakers.ts';
import type { ApplyState } from './apply-state.ts';
import type { DataDirectory } from './data-directory.ts';
import { StateFile } from './state-file.ts';
import type { SpeakerStatus } from '../speakers/speaker.ts';

/** What `prefixcast agent status` shows: the agent's own view, which can be read without the control plane. */
export interface AgentStatus {
  readonly pid: number;
  readonly version: string;
  readonly updated_at: string;
  /** Older agents have not written the daemon. */
  readonly speaker: { readonly id: string; readonly name: string; readonly daemon?: Daemon };
  readonly control: {
    readonly url: string;
    /** Why it cannot be followed; null: it can. */
    readonly error: string | null;
    /** Seconds by which this machine's clock is ahead of it; null: it has not answered yet. */
    readonly clock_skew_seconds: number | null;
    /** False while another agent with the same identity, started later, counts instead. */
    readonly believed: boolean;
  };
  /** Null: nothing yet. */
  readonly running: {
    readonly sequence: number;
    readonly revision_number: number;
    readonly content_hash: string;
    readonly prefix_count: PrefixCount;
    readonly expires_at: string;
  } | null;
  readonly last_apply: ApplyState;
  readonly daemon: SpeakerStatus | null;
  /** What its peers are called; older agents have not written it. */
  readonly peers?: readonly { readonly id: string; readonly name: string }[];
}

/** Nobody but this program writes it, and each version reads its own: only whether it is JSON is looked at. */
const FILE = new StateFile<AgentStatus>(
  'status.json',
  (value): value is AgentStatus => typeof value === 'object' && value !== null,
);

/** Writes the status to disk. A full disk is reported elsewhere; here it only means an old status. */
export async function writeStatus(directory: DataDirectory, status: AgentStatus): Promise<void> {
  await FILE.write(directory, status).catch(() => undefined);
}

/** @returns null when no agent has run in this directory */
export function readStatus(directory: DataDirectory): Promise<AgentStatus | null> {
  return FILE.readIfGood(directory);
}
