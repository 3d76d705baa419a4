/** What a firewall client stores about its identity. Whom it trusts is stored as on nodes. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DataDirectory } from '../agent/data-directory.ts';
import { StateFile } from '../agent/state-file.ts';
import { writeTrust, type Trust } from '../agent/trust-file.ts';

export const CLIENT_REMEDY = 'Enroll the client again with a new token: prefixcast firewall enroll.';

const Text = Type.String({ minLength: 1 });

/** Written once, when the client enrolls. */
const FirewallIdentity = Type.Object({
  control_url: Text,
  tenant_id: Text,
  client_id: Text,
  client_name: Text,
  api_key: Type.Object({ id: Text, secret: Text }),
});
export type FirewallIdentity = Readonly<Static<typeof FirewallIdentity>>;

const isIdentity = Compile(FirewallIdentity);
const FILE = new StateFile<FirewallIdentity>('identity.json', (value) => isIdentity.Check(value));
export const IDENTITY_FILE = FILE.name;

/** @returns null for a host that has not enrolled. @throws {AgentFault} `state_unreadable` */
export function readFirewallIdentity(directory: DataDirectory): Promise<FirewallIdentity | null> {
  return FILE.read(directory, CLIENT_REMEDY);
}

/** The identity last: if it exists, the rest does. */
export async function writeFirewallIdentity(
  directory: DataDirectory,
  identity: FirewallIdentity,
  trust: Trust,
): Promise<void> {
  await writeTrust(directory, trust);
  await FILE.write(directory, identity);
}
