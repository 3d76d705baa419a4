/** What a firewall client stores about its identity. Whom it trusts is stored as on nodes. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DataDirectory } from '../agent/data-directory.ts';
import { damaged, parse, writeTrust, type Trust } from '../agent/identity.ts';

export const IDENTITY_FILE = 'identity.json';
export const REMEDY = 'Enroll the client again with a new token: prefixcast firewall enroll.';

const Text = Type.String({ minLength: 1 });

/** Written once, when the client enrolls. */
export const FirewallIdentity = Type.Object({
  control_url: Text,
  tenant_id: Text,
  client_id: Text,
  client_name: Text,
  api_key: Type.Object({ id: Text, secret: Text }),
});
export type FirewallIdentity = Readonly<Static<typeof FirewallIdentity>>;

const isIdentity = Compile(FirewallIdentity);

/** @returns null for a host that has not enrolled. @throws {AgentFault} `state_unreadable` */
export async function readFirewallIdentity(directory: DataDirectory): Promise<FirewallIdentity | null> {
  const found = await directory.read(IDENTITY_FILE);
  if (found === null) return null;
  const value = parse(found);
  if (!isIdentity.Check(value)) throw damaged(directory, IDENTITY_FILE, REMEDY);
  return value;
}

/** The identity last: if it exists, the rest does. */
export async function writeFirewallIdentity(
  directory: DataDirectory,
  identity: FirewallIdentity,
  trust: Trust,
): Promise<void> {
  await writeTrust(directory, trust);
  await directory.write(IDENTITY_FILE, `${JSON.stringify(identity, null, 2)}\n`);
}
