import type { PrefixCount } from '../api/shapes/page.ts';
import type { ApplyState } from './apply-state.ts';
import type { DataDirectory } from './data-directory.ts';
import type { SpeakerStatus } from '../speakers/speaker.ts';

const STATUS_FILE = 'status.json';

/** What `prefixcast agent status` shows: the agent's own view, which needs no control plane to be read. */
export interface AgentStatus {
  readonly pid: number;
  readonly version: string;
  readonly updated_at: string;
  readonly speaker: { readonly id: string; readonly name: string };
  readonly control: {
    readonly url: string;
    /** Why it cannot be followed; null: it can. */
    readonly error: string | null;
    /** Seconds that this machine's clock is ahead of it; null: it has not answered yet. */
    readonly clock_skew_seconds: number | null;
    /** False while another agent with the same identity, started later, is. */
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
}

/** Puts the status beside the rest. A disk that is full is told by others; here it only means an old status. */
export async function writeStatus(directory: DataDirectory, status: AgentStatus): Promise<void> {
  await directory.write(STATUS_FILE, `${JSON.stringify(status, null, 2)}\n`).catch(() => undefined);
}

/** @returns null when no agent has run in this directory */
export async function readStatus(directory: DataDirectory): Promise<AgentStatus | null> {
  const bytes = await directory.read(STATUS_FILE);
  return bytes === null ? null : (JSON.parse(bytes.toString()) as AgentStatus);
}
