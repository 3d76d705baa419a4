/** Ends commands whose change a guardrail holds: nothing of it was announced, so they must not look as if it was. */
import type { Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from './run-remote.ts';

type Findings = readonly Pick<Schemas['Revision']['findings'][number], 'code' | 'detail'>[];
type HeldModule = Pick<Schemas['Module'], 'name'> & { readonly held: NonNullable<Schemas['Module']['held']> };

/** The same may be found of the module and of the revision. */
export function reasonsOf(findings: Findings): string {
  return [...new Set(findings.map(({ code, detail }) => `\n  ${code}: ${detail}`))].join('');
}

export function codesOf(findings: Findings): string[] {
  return [...new Set(findings.map(({ code }) => code))];
}

export function requireReady({
  number,
  state,
  findings,
}: Pick<Schemas['Revision'], 'number' | 'state' | 'findings'>): void {
  if (state === 'held')
    throw new CommandError(
      `Revision ${number} is held, and not announced:${reasonsOf(findings)}\nAnnounce it all the same: prefixcast revision apply ${number} --override ${codesOf(findings).join(',')} --reason TEXT`,
      EXIT.held,
    );
}

/** What stands in this text, and nothing else, the command in its last line releases. */
export function heldText({ contextWords }: Session, { name, held }: HeldModule): string {
  const { snapshot, findings } = held;
  const word = shellWord(name);
  return [
    `The module ${name} is held, its last accepted content stays:${reasonsOf(findings)}`,
    `See the routes: prefixcast${contextWords} module held ${word}`,
    `Release it: prefixcast${contextWords} module release ${word} --override ${codesOf(findings).join(',')} --snapshot ${snapshot} --reason TEXT`,
  ].join('\n');
}

/** @throws {CommandError} where one of the modules is held now */
export async function requireNoneHeld(session: Session, moduleIds: readonly string[]): Promise<void> {
  const texts: string[] = [];
  for (const id of moduleIds) {
    const answer = await session.client.request('GET', `${NOUNS.module.path}/${id}`);
    const { name, held } = (await answer.json()) as Schemas['Module'];
    if (held !== null) texts.push(heldText(session, { name, held }));
  }
  if (texts.length > 0) throw new CommandError(texts.join('\n'), EXIT.held);
}
