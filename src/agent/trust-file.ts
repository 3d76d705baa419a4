/** Whom a node or a firewall client trusts, on disk. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DataDirectory } from './data-directory.ts';
import { StateFile } from './state-file.ts';

const Text = Type.String({ minLength: 1 });

/** Written whenever a bundle changes it. */
const Trust = Type.Object({
  keys: Type.Array(
    Type.Object({ key_id: Text, public_key: Text, not_after: Type.Union([Text, Type.Null()]) }),
  ),
  /** Of all bundles ever verified; null: there were none. */
  highest_sequence: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** When the bundle with that sequence was last issued; absent: unknown. */
  issued_at: Type.Optional(Text),
});
export type Trust = Readonly<Static<typeof Trust>>;

const isTrust = Compile(Trust);
const FILE = new StateFile<Trust>('trust.json', (value) => isTrust.Check(value));
export const TRUST_FILE = FILE.name;

/** @param remedy how to enroll again. @throws {AgentFault} `state_unreadable`, also when it is missing: without it nobody can be trusted */
export async function readTrust(directory: DataDirectory, remedy: string): Promise<Trust> {
  const trust = await FILE.read(directory, remedy);
  if (trust === null) throw FILE.unusable(directory, remedy);
  return trust;
}

export async function writeTrust(directory: DataDirectory, trust: Trust): Promise<void> {
  await FILE.write(directory, trust);
}
