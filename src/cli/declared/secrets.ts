/** Where files say that secrets come from. They are asked for when they are written, and printed nowhere. */
import { execFileSync } from 'node:child_process';
import type { FileFault } from './documents.ts';

/** What stands in a plan where the secret will be. */
const PLACEHOLDER = 'planned';

export type SecretSourceText = string | { readonly command: string };
/** @returns null where the source has none: a fault was reported */
export type ReadSecret = (source: SecretSourceText, at: string) => string | null;

/** A plan needs no secret, and runs no command of its files. */
export const planned: ReadSecret = () => PLACEHOLDER;

export function secretReader(report: (fault: FileFault) => void): ReadSecret {
  const known = new Map<string, string | null>();
  return (source, at) => {
    const key = JSON.stringify(source);
    let secret = known.get(key);
    if (secret === undefined) known.set(key, (secret = read(source, at, report)));
    return secret;
  };
}

function read(source: SecretSourceText, at: string, report: (fault: FileFault) => void): string | null {
  if (typeof source === 'string') {
    const name = source.slice(2, -1);
    const value = process.env[name];
    if (value !== undefined && value !== '') return value;
    report({ at, detail: `the environment variable ${name} is not set: set it, and apply again` });
    return null;
  }
  try {
    return execFileSync('/bin/sh', ['-c', source.command], {
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'inherit'],
    }).trimEnd();
  } catch {
    report({ at, detail: `the command failed: ${source.command}` });
    return null;
  }
}

/** The name of the variable that an export gives a secret. */
export function variableFor(kind: string, name: string, member: string): string {
  const word = `${kind} ${name} ${member}`.normalize('NFKD').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return word.replaceAll(/^_+|_+$/g, '').toUpperCase();
}
