import type { DataDirectory, Staged } from '../agent/data-directory.ts';
import { StateFile } from '../agent/state-file.ts';
import type { OpenedRuleset, Signed } from '../bundle/ruleset.ts';
import { formatLines } from '../core/prefix-format.ts';
import type { PrefixSet } from '../core/sets/prefix-set.ts';
import { CLIENT_REMEDY } from './identity.ts';

const FILE = new StateFile<Signed>('ruleset.json', isSigned);
export const RULESET_FILE = FILE.name;

/** Writes the ruleset beside the stored one, complete and with its signature, so that it is verified again before it is trusted. */
export function stageRuleset(
  directory: DataDirectory,
  { manifest, signature }: Pick<Signed, 'manifest' | 'signature'>,
  { sets }: OpenedRuleset,
): Promise<Staged> {
  const pieces = [
    Buffer.from(`{"manifest":${JSON.stringify(manifest)},"signature":${JSON.stringify(signature)},"sets":[`),
  ];
  let separator = '';
  for (const [hash, set] of sets) {
    pieces.push(
      Buffer.from(`${separator}{"hash":"${hash}","base":null,"added":[${quoted(set)}],"removed":[]}`),
    );
    separator = ',\n';
  }
  pieces.push(Buffer.from(']}\n'));
  return directory.stage(RULESET_FILE, pieces);
}

function quoted(set: PrefixSet): string {
  const lines = Buffer.from(formatLines(set)).toString().trimEnd();
  return lines === '' ? '' : `"${lines.replaceAll('\n', '","')}"`;
}

/** @returns null when none was ever kept. @throws {AgentFault} `state_unreadable` */
export function readLastGood(directory: DataDirectory): Promise<Signed | null> {
  return FILE.read(directory, CLIENT_REMEDY);
}

function isSigned(value: unknown): value is Signed {
  const { manifest, signature, sets } = (value ?? {}) as Partial<Signed>;
  return typeof manifest === 'string' && typeof signature === 'string' && Array.isArray(sets);
}

export async function removeLastGood(directory: DataDirectory): Promise<void> {
  await directory.remove(RULESET_FILE);
}
