import type { FirewallApplyStatus } from '../api/firewall/firewall-clients.ts';
import type { DataDirectory } from '../agent/data-directory.ts';
import { StateFile } from '../agent/state-file.ts';

/** What `prefixcast firewall status` shows: the client's own view, which can be read without the control plane. */
export interface FirewallStatus extends Omit<FirewallApplyStatus, 'hostname'> {
  readonly pid: number;
  readonly updated_at: string;
  readonly client: { readonly id: string; readonly name: string };
  readonly control: {
    readonly url: string;
    /** Why it cannot be followed; null: it can. */
    readonly error: string | null;
  };
  /** Null: nothing is in force. */
  readonly ruleset: {
    readonly sequence: number;
    readonly policy: string;
    readonly rules: number;
    readonly prefixes: number;
    /** Of its rules, by their ids; a client of before wrote none. */
    readonly names?: Readonly<Record<string, string>>;
  } | null;
}

/** Nobody but this program writes it, and each version reads its own: only whether it is JSON is looked at. */
const FILE = new StateFile<FirewallStatus>(
  'status.json',
  (value): value is FirewallStatus => typeof value === 'object' && value !== null,
);
export const STATUS_FILE = FILE.name;

/** A full disk is reported elsewhere; here it only means an old status. */
export async function writeFirewallStatus(directory: DataDirectory, status: FirewallStatus): Promise<void> {
  await FILE.write(directory, status).catch(() => undefined);
}

/** @returns null when no client has run in this directory */
export function readFirewallStatus(directory: DataDirectory): Promise<FirewallStatus | null> {
  return FILE.readIfGood(directory);
}
