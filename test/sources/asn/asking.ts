import type { AsnAnswer, AsnQuestion, AsnSource } from '../../../src/sources/asn/source.ts';
import type { SourceError } from '../../../src/sources/fetch/fetch.ts';
import { textsOf } from '../lists/prefix-texts.ts';

export interface Asking {
  readonly bogons?: 'drop' | 'allow';
  readonly signal?: AbortSignal;
}

/** Asks the source, and fails when it answers for an AS more than once. */
export async function askFor(
  source: AsnSource,
  asns: readonly (number | AsnQuestion)[],
  options: Asking = {},
): Promise<Map<number, AsnAnswer>> {
  const answers = new Map<number, AsnAnswer>();
  const questions = asns.map((asn) =>
    typeof asn === 'number' ? { asn, etag: null, lastModified: null } : asn,
  );
  const onAnswer = (asn: number, answer: AsnAnswer): void => {
    if (answers.has(asn)) throw new Error(`AS${asn} is answered twice`);
    answers.set(asn, answer);
  };
  await source.ask(questions, { bogons: 'drop', ...options, onAnswer });
  return answers;
}

export function prefixesOf(answer: AsnAnswer | undefined): string[] {
  if (answer?.kind !== 'found') throw new Error(`No prefixes: ${JSON.stringify(answer)}`);
  return textsOf(answer.prefixes);
}

export function errorOf(answer: AsnAnswer | undefined): SourceError {
  if (answer?.kind !== 'failed') throw new Error(`No failure: ${JSON.stringify(answer)}`);
  return answer.error;
}
