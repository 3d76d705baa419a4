/** What the node stores about its identity and whom it trusts. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Daemon } from '../api/speakers/speakers.ts';
import { AgentFault } from './agent-fault.ts';
import type { DataDirectory } from './data-directory.ts';

const IDENTITY_FILE = 'identity.json';
export const TRUST_FILE = 'trust.json';
const REMEDY = 'Enroll the node again with a new token: prefixcast agent enroll.';

const Text = Type.String({ minLength: 1 });

/** Written once, at enrollment. */
export const Identity = Type.Object({
  control_url: Text,
  tenant_id: Text,
  speaker_id: Text,
  speaker_name: Text,
  daemon: Daemon,
  api_key: Type.Object({ id: Text, secret: Text }),
});
export type Identity = Readonly<Static<typeof Identity>>;

/** Written whenever a bundle changes it. */
export const Trust = Type.Object({
  keys: Type.Array(
    Type.Object({ key_id: Text, public_key: Text, not_after: Type.Union([Text, Type.Null()]) }),
  ),
  /** Of all bundles ever verified; null: there were none. */
  highest_sequence: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** When the bundle with that sequence was last issued; absent: unknown. */
  issued_at: Type.Optional(Text),
});
export type Trust = Readonly<Static<typeof Trust>>;

const isIdentity = Compile(Identity);
const isTrust = Compile(Trust);

/** @returns null for a node that has not enrolled. @throws {AgentFault} `state_unreadable` */
export async function readIdentity(directory: DataDirectory): Promise<Identity | null> {
  const found = await directory.read(IDENTITY_FILE);
  if (found === null) return null;
  const value = parse(found);
  if (!isIdentity.Check(value)) throw damaged(directory, IDENTITY_FILE);
  return value;
}

/** @throws {AgentFault} `state_unreadable`, also when it is missing: without it nobody can be trusted */
export async function readTrust(directory: DataDirectory, remedy = REMEDY): Promise<Trust> {
  const value = parse((await directory.read(TRUST_FILE)) ?? Buffer.from(''));
  if (!isTrust.Check(value)) throw damaged(directory, TRUST_FILE, remedy);
  return value;
}

export async function writeTrust(directory: DataDirectory, trust: Trust): Promise<void> {
  await directory.write(TRUST_FILE, `${JSON.stringify(trust, null, 2)}\n`);
}

/** The identity last: if it exists, the rest does. */
export async function writeIdentity(
  directory: DataDirectory,
  identity: Identity,
  trust: Trust,
): Promise<void> {
  await writeTrust(directory, trust);
  await directory.write(IDENTITY_FILE, `${JSON.stringify(identity, null, 2)}\n`);
}

export function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** The stored file is unusable. */
export function damaged({ path }: DataDirectory, name: string, remedy = REMEDY): AgentFault {
  return new AgentFault('state_unreadable', `${path}/${name} is missing or damaged. ${remedy}`);
}
