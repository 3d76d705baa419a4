/** What the node stores about its identity. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Daemon } from '../api/speakers/speakers.ts';
import type { DataDirectory } from './data-directory.ts';
import { StateFile } from './state-file.ts';
import { writeTrust, type Trust } from './trust-file.ts';

export const NODE_REMEDY = 'Enroll the node again with a new token: prefixcast agent enroll.';

const Text = Type.String({ minLength: 1 });

/** Written once, at enrollment. */
const Identity = Type.Object({
  control_url: Text,
  tenant_id: Text,
  speaker_id: Text,
  speaker_name: Text,
  daemon: Daemon,
  api_key: Type.Object({ id: Text, secret: Text }),
});
export type Identity = Readonly<Static<typeof Identity>>;

const isIdentity = Compile(Identity);
const FILE = new StateFile<Identity>('identity.json', (value) => isIdentity.Check(value));

/** @returns null for a node that has not enrolled. @throws {AgentFault} `state_unreadable` */
export function readIdentity(directory: DataDirectory): Promise<Identity | null> {
  return FILE.read(directory, NODE_REMEDY);
}

/** The identity last: if it exists, the rest does. */
export async function writeIdentity(
  directory: DataDirectory,
  identity: Identity,
  trust: Trust,
): Promise<void> {
  await writeTrust(directory, trust);
  await FILE.write(directory, identity);
}
