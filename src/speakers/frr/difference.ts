/** Commands for the difference between what FRR runs and what it should run, so that unchanged sessions stay up. Pure. */
import type { Configuration } from './render.ts';
import { ownerName } from './names.ts';
import { keyOf, type Statement } from './statements.ts';

export interface Difference {
  /** Each may begin with `no`. */
  readonly statements: readonly Statement[];
  /** Neighbours whose session must restart for the new settings to take effect. */
  readonly restarting: readonly string[];
}

/** An object with a name of the speaker's. */
interface Named {
  readonly name: string;
  /** Removes it completely. */
  readonly removal: Statement;
}

/** @param wanted null: remove everything of the speaker */
export function differenceTo(
  running: readonly Statement[],
  tag: string,
  wanted: Pick<Configuration, 'view' | 'statements'> | null,
): Difference {
  const ours = running.filter((statement) => nameOf(statement, tag) !== null || viewOf(statement, tag));
  const statements = wanted?.statements ?? [];
  const oldView = ours.find((statement) => viewOf(statement, tag))?.[0] ?? null;
  const isReplaced = oldView !== null && oldView !== wanted?.view;
  const before = isReplaced ? [] : ours.filter(([head]) => head === oldView);
  const after = statements.filter(([head]) => head === wanted?.view);
  const { changed, left } = compareNamed(ours, statements, tag);
  const view = compareView(before, after);
  return {
    statements: [
      ...(isReplaced ? removeView(oldView, neighborsOf(ours, tag)) : []),
      ...changed,
      ...view.statements,
      // Last, when nothing refers to them any more.
      ...left,
    ],
    restarting: view.restarting,
  };
}

/**
 * FRR sends a NOTIFICATION to neighbours only when they are removed themselves; if only the view is removed, they assume that it restarts.
 */
function removeView(view: string, neighbors: ReadonlySet<string>): Statement[] {
  return [...[...neighbors].map((address): Statement => [view, `no neighbor ${address}`]), [`no ${view}`]];
}

/** The addresses of the neighbours in the speaker's view. */
export function neighborsOf(running: readonly Statement[], tag: string): Set<string> {
  return addressesIn(running.filter((statement) => viewOf(statement, tag)));
}

/** The address of the neighbour that the statement configures. */
export function addressIn(statement: Statement): string | null {
  return /^(?:no )?neighbor (\S+) /.exec(statement.at(-1)!)?.[1] ?? null;
}

function viewOf([head]: Statement, tag: string): boolean {
  return head.startsWith('router bgp ') && head.endsWith(` view ${tag}`);
}

function nameOf([head]: Statement, tag: string): Named | null {
  const [, kind, name] =
    /^(route-map|bgp (?:large-)?community-list (?:standard|expanded)) (\S+)/.exec(head) ?? [];
  return name?.startsWith(`${tag}_`) === true ? { name, removal: [`no ${kind} ${name}`] } : null;
}

/** Lists and route maps are named by their content, so one that differs is incomplete or was changed by others. */
function compareNamed(
  ours: readonly Statement[],
  wanted: readonly Statement[],
  tag: string,
): { changed: Statement[]; left: Statement[] } {
  const before = gather(ours, tag);
  const after = gather(wanted, tag);
  const changed: Statement[] = [];
  for (const [name, statements] of after) {
    const old = before.get(name);
    if (old !== undefined && sameStatements(old.statements, statements.statements)) continue;
    if (old !== undefined) changed.push(old.removal);
    changed.push(...statements.statements);
  }
  const gone = [...before].filter(([name]) => !after.has(name));
  // Route maps refer to lists, so they are removed first. The owner is removed last.
  const rank = (name: string, [line]: Statement): number =>
    name === ownerName(tag) ? 2 : line.startsWith('no route-map ') ? 0 : 1;
  const left = gone.map(([name, { removal }]) => ({ removal, rank: rank(name, removal) }));
  left.sort((a, b) => a.rank - b.rank);
  return { changed, left: left.map(({ removal }) => removal) };
}

function gather(
  statements: readonly Statement[],
  tag: string,
): Map<string, { removal: Statement; statements: Statement[] }> {
  const byName = new Map<string, { removal: Statement; statements: Statement[] }>();
  for (const statement of statements) {
    const named = nameOf(statement, tag);
    if (named === null) continue;
    const known = byName.get(named.name) ?? { removal: named.removal, statements: [] };
    byName.set(named.name, known);
    known.statements.push(statement);
  }
  return byName;
}

/** In any order: FRR orders the lines of an entry itself. */
function sameStatements(a: readonly Statement[], b: readonly Statement[]): boolean {
  const keys = new Set(a.map(keyOf));
  return a.length === b.length && b.every((statement) => keys.has(keyOf(statement)));
}

function compareView(before: readonly Statement[], after: readonly Statement[]): Difference {
  const had = new Set(before.map(keyOf));
  const has = new Set(after.map(keyOf));
  const known = addressesIn(before);
  const wanted = addressesIn(after);
  const settings = new Set(after.map(settingOf));
  const gone = before.filter((statement) => !has.has(keyOf(statement)) && !isHeading(statement));
  const surplus = gone.filter(
    (statement) => wanted.has(addressIn(statement) ?? '') || addressIn(statement) === null,
  );
  const added = after.filter((statement) => !had.has(keyOf(statement)));
  const view = after[0]?.[0] ?? '';
  return {
    statements: [
      ...[...known].flatMap((address): Statement[] =>
        wanted.has(address) ? [] : [[view, `no neighbor ${address}`]],
      ),
      // A setting that is about to be replaced is not removed first, because that might reset the session.
      ...surplus.filter((statement) => !settings.has(settingOf(statement))).map(negated),
      ...begunLast(added, known),
    ],
    restarting: [...addressesIn([...surplus, ...added].filter(isOfSession))].filter((address) =>
      known.has(address),
    ),
  };
}

/** A new neighbour is activated after all its settings, so that FRR does not open a session with half of them. */
function begunLast(added: readonly Statement[], known: ReadonlySet<string>): Statement[] {
  const starts: Statement[] = [];
  const held = added.flatMap((statement): Statement[] => {
    const address = addressIn(statement);
    if (address === null || known.has(address) || !/ remote-as \d+$/.test(statement.at(-1)!))
      return [statement];
    starts.push([statement[0], `no neighbor ${address} shutdown`]);
    return [statement, [statement[0], `neighbor ${address} shutdown`]];
  });
  return [...held, ...starts];
}

function addressesIn(statements: readonly Statement[]): Set<string> {
  return new Set(statements.flatMap((statement) => addressIn(statement) ?? []));
}

function isHeading(statement: Statement): boolean {
  return statement.length === 1 || statement.at(-1)!.startsWith('address-family ');
}

/** Settings of a neighbour for all families are negotiated when the session opens. */
function isOfSession(statement: Statement): boolean {
  return statement.length === 2;
}

function negated(statement: Statement): Statement {
  const line = statement.at(-1)!;
  const opposite = line.startsWith('no ') ? line.slice(3) : `no ${line}`;
  return [...statement.slice(0, -1), opposite] as unknown as Statement;
}

/** The setting of a statement, without its value: the last value counts. */
function settingOf(statement: Statement): string {
  const words = statement.at(-1)!.replace(/^no /, '').split(' ');
  const [first, second, third, fourth] = words;
  const setting =
    first !== 'neighbor'
      ? words.slice(0, second === 'router-id' ? 2 : 3)
      : third === 'route-map'
        ? [first, second, third, words.at(-1)]
        : third === 'timers' && fourth === 'connect'
          ? [first, second, third, fourth]
          : [first, second, third?.replace(/^graceful-restart.*/, 'graceful-restart')];
  return [...statement.slice(0, -1), setting.join(' ')].join('\n');
}
