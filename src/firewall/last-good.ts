import type { DataDirectory, Staged } from '../agent/data-directory.ts';
import { parse, damaged } from '../agent/identity.ts';
import type { OpenedRuleset, Signed } from '../bundle/ruleset.ts';
import { formatLines } from '../core/prefix-format.ts';
import type { PrefixSet } from '../core/sets/prefix-set.ts';
import { REMEDY } from './identity.ts';

export const RULESET_FILE = 'ruleset.json';

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
export async function readLastGood(directory: DataDirectory): Promise<Signed | null> {
  const bytes = await directory.read(RULESET_FILE);
  if (bytes === null) return null;
  const value = parse(bytes) as Partial<Signed> | null | undefined;
  if (typeof value?.manifest === 'string' && typeof value.signature === 'string' && Array.isArray(value.sets))
    return value as Signed;
  throw damaged(directory, RULESET_FILE, REMEDY);
}

export async function removeLastGood(directory: DataDirectory): Promise<void> {
  await directory.remove(RULESET_FILE);
}
