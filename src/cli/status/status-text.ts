/** How a tenant is, as text. */
import { counted } from '../render/counted.ts';
import { coloured } from '../render/terminal.ts';
import { wrapped } from '../render/wrapped.ts';
import type { Line } from './attention-lines.ts';
import { EMPTY } from './empty-lines.ts';

/** Of more in one state, a number. */
const LINES_OF_STATE = 20;

export interface Status {
  readonly tenant: string;
  readonly revision: { readonly number: number; readonly created_at: string } | null;
  /** Those of the revision: peers with filters are sent a part of them. */
  readonly routes: number;
  readonly speakers: { readonly enabled: number; readonly announcing: number };
  /** `unknown`: of speakers that nobody reports; they are among all. */
  readonly sessions: { readonly up: number; readonly unknown: number; readonly total: number };
  readonly modules: number;
  /** False: no peer is there that the lists are announced to. Of a speaker that nobody reports, that is not known. */
  readonly has_router: boolean;
  readonly items: readonly Line[];
}

export function textOf(status: Status, contextWords = ''): string {
  const { tenant, revision, routes, speakers, sessions, modules, items } = status;
  const faults = items.filter((one) => one.needs_somebody);
  const empty = items.filter(({ state }) => state === EMPTY);
  const others = items.filter((one) => !one.needs_somebody && one.state !== EMPTY);
  const width = Math.max(...items.map(({ state }) => state.length));
  const needs = `${faults.length} ${faults.length === 1 ? 'thing needs' : 'things need'} you:`;
  const revisionText =
    revision === null
      ? 'no revision'
      : `revision ${revision.number} (${revision.created_at}), ${counted(routes, 'route')}`;
  return [
    wrapped(
      '',
      `${tenant}: ${revisionText}, ${counted(modules, 'module')}; speakers ${speakers.announcing} of ${speakers.enabled} announcing, sessions ${sessions.up} of ${sessions.total} up${sessions.unknown === 0 ? '' : `, ${sessions.unknown} unknown`}`,
      '  ',
    ),
    ...(faults.length > 0 ? ['', needs, ...linesText(faults, width, 'yellow')] : []),
    ...(others.length > 0 ? ['', 'Under way:', ...linesText(others, width, 'bold')] : []),
    ...(items.length === empty.length ? [restText(status, contextWords)] : []),
    ...(empty.length > 0
      ? ['', 'Read, and without anything to announce:', ...linesText(empty, width, 'bold')]
      : []),
    '',
  ].join('\n');
}

/** Of what needs nobody. */
function restText(
  { speakers, revision, modules, has_router: hasRouter }: Status,
  contextWords: string,
): string {
  if (modules === 0)
    return `There is no list yet. Begin with one: prefixcast${contextWords} module create NAME --type IP_RANGES`;
  if (revision === null)
    return `There is no revision yet. Build one: prefixcast${contextWords} revision build --wait`;
  if (!hasRouter)
    return `Nothing is wrong, and no router has these lists: there is no peer. Add one: prefixcast${contextWords} peer create NAME --address ADDRESS --asn ASN`;
  return speakers.announcing > 0 ? 'Nothing needs you.' : 'No speaker announces anything.';
}

function linesText(lines: readonly Line[], width: number, colour: Parameters<typeof coloured>[1]): string[] {
  const margin = ' '.repeat(width + 4);
  const written = new Map<string, number>();
  for (const { state } of lines) written.set(state, (written.get(state) ?? 0) + 1);
  const texts: string[] = [];
  for (const [state, count] of written) {
    const alike = lines.filter((one) => one.state === state);
    for (const { what, since, by, detail, command } of alike.slice(0, LINES_OF_STATE)) {
      const begun = [...(since === null ? [] : [`since ${since}`]), ...(by === null ? [] : [`by ${by}`])];
      const about = [...(begun.length === 0 ? [] : [begun.join(', ')]), ...(detail === null ? [] : [detail])];
      const text = about.length === 0 ? what : `${what}: ${about.join(': ')}`;
      texts.push(wrapped(`  ${coloured(state.padEnd(width), colour)}  `, text, margin));
      if (command !== null) texts.push(`${margin}→ ${command}`);
    }
    if (count > LINES_OF_STATE) texts.push(`${margin}and ${count - LINES_OF_STATE} more`);
  }
  return texts;
}
