import type { FirewallApplyStatus } from '../api/firewall/firewall-clients.ts';
import type { DataDirectory } from '../agent/data-directory.ts';
import { parse } from '../agent/identity.ts';

export const STATUS_FILE = 'status.json';

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
  } | null;
}

/** A full disk is reported elsewhere; here it only means an old status. */
export async function writeFirewallStatus(directory: DataDirectory, status: FirewallStatus): Promise<void> {
  await directory.write(STATUS_FILE, `${JSON.stringify(status, null, 2)}\n`).catch(() => undefined);
}

/** @returns null when no client has run in this directory */
export async function readFirewallStatus(directory: DataDirectory): Promise<FirewallStatus | null> {
  const bytes = await directory.read(STATUS_FILE);
  return bytes === null ? null : ((parse(bytes) ?? null) as FirewallStatus | null);
}
