/** A plan for people, as git shows differences, and for programs. */
import { createHash } from 'node:crypto';
import { diffLines, summaryText } from '../render/diff-lines.ts';
import { coloured } from '../render/terminal.ts';
import { sequelLines } from '../session/consequences.ts';
import { routesLines } from '../session/routes-lines.ts';
import type { EntriesChange } from './entry-changes.ts';
import type { CellChange } from './entry-rows.ts';
import type { SetPlan } from './plan.ts';
import type { PlannedObject } from './tried-writes.ts';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;
const COLOURS = { create: 'green', update: 'yellow', delete: 'red' } as const;
/** Entries of a module that are shown. */
const SHOWN_ENTRIES = 10;

export function planLines(plan: SetPlan): string[] {
  const { changes, settings, left, effect, untried } = plan;
  return [
    ...changes.flatMap((change) => [...objectLines(change), '']),
    ...(settings.length === 0 ? [] : [...settingLines(settings), '']),
    ...(effect === null ? [] : [...effectLines(effect, plan), '']),
    ...(untried > 0 ? [untriedLine(untried), ''] : []),
    ...leftLines(left),
    summaryOf(plan),
  ];
}

function objectLines(change: PlannedObject): string[] {
  const { action, kind, name, declared, members, secrets, byHand, live } = change;
  const renamed = action === 'update' && live!.name !== name ? ` (was ${live!.name})` : '';
  const where = declared === null ? '' : `  ${declared.at('')}`;
  const hand = !byHand
    ? ''
    : action === 'create'
      ? ', deleted by hand'
      : ', changed by hand since it was applied';
  return [
    `${coloured(`${SIGNS[action]} ${kind} ${name}`, COLOURS[action])}${renamed}${where}${hand}`,
    ...members
      .filter(({ name: member }) => action === 'create' || member !== declared?.kind.key)
      .map(({ name: member, before, after }) =>
        action === 'create'
          ? `    ${member}: ${textOf(after)}`
          : `    ${member}: ${textOf(before)} -> ${textOf(after)}`,
      ),
    ...secrets.map(
      (member) => `    ${member}: ${declared!.secrets[member] === null ? 'removed' : 'written, not shown'}`,
    ),
    ...(change.entries === null ? [] : entryLines(change.entries)),
  ];
}

/** What nobody has looked at must not pass for something that changes no routes. */
function untriedLine(writes: number): string {
  return `Routes: not known, since ${writes} writes are more than the service tries at once: apply a part of the files first`;
}

function entryLines({ file, byHand, ...change }: EntriesChange): string[] {
  const { created, updated, deleted, added, removed, changed, differences, ending } = change;
  const ends = [...ending].map(([key, end]) => `${key}  added for a while, until ${end}`);
  const others = removed.filter((key) => !ending.has(key));
  const going = (texts: readonly string[]): string[] =>
    deleted > 0 ? texts.map((text) => coloured(`      - ${text}`, 'red')) : [];
  const rows = [
    // First: what somebody added in a hurry may be all that holds an attack off.
    ...going(ends),
    ...(created > 0 ? added.map((key) => coloured(`      + ${key}`, 'green')) : []),
    ...going(others),
    ...(updated > 0
      ? changed.map((key) => coloured(`      ~ ${key}`, 'yellow') + cellsText(differences.get(key)))
      : []),
  ];
  const rest = rows.length - SHOWN_ENTRIES;
  return [
    `    entries: ${created} created, ${updated} updated, ${deleted} deleted  ${file}${byHand ? ', changed by hand since they were applied' : ''}`,
    ...rows.slice(0, SHOWN_ENTRIES),
    ...(rest > 0 ? [`      … and ${rest} more`] : []),
  ];
}

/** What a review has to see: which of its columns an entry changes. */
function cellsText(cells: readonly CellChange[] = []): string {
  const shown = (cell: string): string => (cell === '' ? 'none' : cell.replaceAll(/\s*\n\s*/g, ' '));
  const texts = cells.map(({ name, before, after }) => `${name}: ${shown(before)} -> ${shown(after)}`);
  return texts.length === 0 ? '' : `  ${texts.join(', ')}`;
}

function settingLines(settings: SetPlan['settings']): string[] {
  return [
    coloured('~ settings', 'yellow'),
    ...settings.map(({ key, before, after, at, byHand }) => {
      const now = after === null ? 'its default' : textOf(after);
      const where = at === null ? '' : `  ${at}`;
      return `    ${key}: ${textOf(before)} -> ${now}${where}${byHand ? ', changed by hand since it was applied' : ''}`;
    }),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s*\n\s*/g, ' ') : JSON.stringify(value ?? null);
}

function effectLines(
  effect: NonNullable<SetPlan['effect']>,
  { standing, down }: Pick<SetPlan, 'standing' | 'down'>,
): string[] {
  const { summary, items, has_more: more } = effect;
  const { announced, withdrawn, changed } = summary;
  const { head, bySpeaker } = routesLines(effect);
  return [
    head ?? `Routes: ${summaryText(summary)}`,
    ...communityLines(effect).map((line) => `  ${line}`),
    ...diffLines(items as never).map((line) => `  ${line}`),
    ...(more ? [`  … and ${announced + withdrawn + changed - items.length} more`] : []),
    ...bySpeaker,
    ...sequelLines(effect, standing, down),
  ];
}

/** Routes that get each community, and that lose it. */
function communitiesOf({
  by_community: all,
}: NonNullable<SetPlan['effect']>): Record<string, { announced: number; withdrawn: number }> {
  const counts = all.map(
    ({ community, announced, withdrawn }) => [community, { announced, withdrawn }] as const,
  );
  return Object.fromEntries(counts.filter(([, { announced, withdrawn }]) => announced + withdrawn > 0));
}

function communityLines(effect: NonNullable<SetPlan['effect']>): string[] {
  return Object.entries(communitiesOf(effect)).map(
    ([community, { announced, withdrawn }]) => `${community}: ${announced} announced, ${withdrawn} withdrawn`,
  );
}

function leftLines(left: SetPlan['left']): string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, SHOWN_ENTRIES).map(({ kind, name }) => `${kind.name} ${name}`);
  const rest = left.length > names.length ? ', …' : '';
  return [
    `${left.length} no longer in the files, and stay: ${names.join(', ')}${rest}. --prune deletes them`,
  ];
}

export function isEmptyPlan({ changes, settings }: Pick<SetPlan, 'changes' | 'settings'>): boolean {
  return changes.length + settings.length === 0;
}

export function summaryOf(plan: Pick<SetPlan, 'changes' | 'settings'>, did = 'to '): string {
  if (isEmptyPlan(plan)) return 'Nothing to change';
  const count = (action: PlannedObject['action']): number =>
    plan.changes.filter((change) => change.action === action).length;
  const verbs = did === '' ? ['created', 'changed', 'deleted'] : ['create', 'change', 'delete'];
  return [
    `${count('create')} ${did}${verbs[0]!}`,
    `${count('update') + (plan.settings.length > 0 ? 1 : 0)} ${did}${verbs[1]!}`,
    `${count('delete')} ${did}${verbs[2]!}`,
  ].join(', ');
}

/** For programs; also what a plan file keeps, and what an apply compares with it. */
export function planData({
  set,
  changes,
  settings,
  left,
  effect,
  untried,
}: SetPlan): Record<string, unknown> {
  return {
    set,
    changes: changes.map(({ action, kind, name, declared, live, members, secrets, entries, byHand }) => ({
      ...{ action, kind, name, file: declared?.at('') ?? null },
      ...(live !== null && live.name !== name ? { renamed_from: live.name } : {}),
      changed_by_hand: byHand,
      members: members.map((member) => ({ ...member, before: member.before ?? null })),
      secrets,
      entries:
        entries === null
          ? null
          : {
              ...{
                file: entries.file,
                created: entries.created,
                updated: entries.updated,
                deleted: entries.deleted,
                changed_by_hand: entries.byHand,
                changed: [...entries.differences]
                  .slice(0, SHOWN_ENTRIES)
                  .map(([key, members]) => ({ key, members })),
                ending: Object.fromEntries(entries.ending),
              },
              content: createHash('sha256').update(declared!.entries!.text).digest('hex'),
            },
    })),
    settings: settings.map(({ key, before, after, at, byHand }) => ({
      ...{ key, file: at, before, after, changed_by_hand: byHand },
    })),
    left: left.map(({ kind, name }) => ({ kind: kind.name, name })),
    routes: effect === null ? null : { ...effect.summary, communities: communitiesOf(effect) },
    tried: untried === 0,
    effect,
  };
}
