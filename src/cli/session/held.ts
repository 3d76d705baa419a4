/** Ends commands whose change a guardrail holds: nothing of it was announced, so they must not look as if it was. */
import type { Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import type { Session } from './run-remote.ts';

type Findings = readonly Pick<Schemas['Revision']['findings'][number], 'detail'>[];

/** The same may be found of the module and of the revision. */
function reasonsOf(findings: Findings): string {
  return [...new Set(findings.map(({ detail }) => `\n  ${detail}`))].join('');
}

export function requireReady({
  number,
  state,
  findings,
}: Pick<Schemas['Revision'], 'number' | 'state' | 'findings'>): void {
  if (state === 'held')
    throw new CommandError(
      `Revision ${number} is held, and not announced:${reasonsOf(findings)}\nAnnounce it all the same: prefixcast revision apply ${number} --override GUARDRAIL --reason TEXT`,
      EXIT.held,
    );
}

/** @throws {CommandError} where one of the modules is held now */
export async function requireNoneHeld({ client }: Session, moduleIds: readonly string[]): Promise<void> {
  const told: string[] = [];
  for (const id of moduleIds) {
    const answer = await client.request('GET', `${NOUNS.module.path}/${id}`);
    const { name, held } = (await answer.json()) as Schemas['Module'];
    if (held === null) continue;
    told.push(
      `The module ${name} is held, its last accepted content stays:${reasonsOf(held.findings)}\nRelease it: prefixcast module release ${name} --reason TEXT`,
    );
  }
  if (told.length > 0) throw new CommandError(told.join('\n'), EXIT.held);
}
