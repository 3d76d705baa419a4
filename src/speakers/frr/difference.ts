/** From what FRR runs to what it should: commands for the difference alone, so that sessions that stay the same stay up. Pure. */
import type { Configuration } from './render.ts';
import { keyOf, type Statement } from './statements.ts';

export interface Difference {
  /** Each may begin by `no`. */
  readonly statements: readonly Statement[];
  /** Neighbours whose session has to begin anew for what was said to hold. */
  readonly restarting: readonly string[];
}

/** Whatever it is, it has a name of the speaker's. */
interface Named {
  readonly name: string;
  /** What takes it away altogether. */
  readonly removal: Statement;
}

/** @param wanted null: nothing of the speaker's is to stay */
export function differenceTo(
  running: readonly Statement[],
  tag: string,
  wanted: Pick<Configuration, 'view' | 'statements'> | null,
): Difference {
  const ours = running.filter((statement) => nameOf(statement, tag) !== null || viewOf(statement, tag));
  const statements = wanted?.statements ?? [];
  const oldView = ours.find((statement) => viewOf(statement, tag))?.[0] ?? null;
  const replaced = oldView !== null && oldView !== wanted?.view;
  const before = replaced ? [] : ours.filter(([head]) => head === oldView);
  const after = statements.filter(([head]) => head === wanted?.view);
  const { changed, left } = compareNamed(ours, statements, tag);
  const view = compareView(before, after);
  return {
    statements: [
      ...(replaced ? [[`no ${oldView}`] as Statement] : []),
      ...changed,
      ...view.statements,
      // Last of all, when nobody refers to them any more.
      ...left,
    ],
    restarting: view.restarting,
  };
}

/** The addresses of neighbours that the view of the speaker has. */
export function neighborsOf(running: readonly Statement[], tag: string): Set<string> {
  const addresses = running
    .filter((statement) => viewOf(statement, tag))
    .flatMap((statement) => addressIn(statement) ?? []);
  return new Set(addresses);
}

/** The address of the neighbour that the statement is about. */
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

/** Lists and route maps are named by their content, so one that differs was begun and not ended, or somebody else changed it. */
function compareNamed(
  ours: readonly Statement[],
  wanted: readonly Statement[],
  tag: string,
): { changed: Statement[]; left: Statement[] } {
  const before = gather(ours, tag);
  const after = gather(wanted, tag);
  const changed: Statement[] = [];
  const left: Statement[] = [];
  for (const [name, statements] of after) {
    const old = before.get(name);
    if (old !== undefined && sameStatements(old.statements, statements.statements)) continue;
    if (old !== undefined) changed.push(old.removal);
    changed.push(...statements.statements);
  }
  // Route maps refer to lists: what refers goes first.
  const gone = [...before].filter(([name]) => !after.has(name)).map(([, { removal }]) => removal);
  const isMap = ([line]: Statement): boolean => line.startsWith('no route-map ');
  left.push(...gone.filter(isMap), ...gone.filter((removal) => !isMap(removal)));
  return { changed, left };
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

/** In any order: FRR has one of its own for the lines of an entry. */
function sameStatements(a: readonly Statement[], b: readonly Statement[]): boolean {
  const keys = new Set(a.map(keyOf));
  return a.length === b.length && b.every((statement) => keys.has(keyOf(statement)));
}

function compareView(before: readonly Statement[], after: readonly Statement[]): Difference {
  const had = new Set(before.map(keyOf));
  const has = new Set(after.map(keyOf));
  const staying = new Set(after.flatMap((statement) => addressIn(statement) ?? []));
  const known = new Set(before.flatMap((statement) => addressIn(statement) ?? []));
  const settings = new Set(after.map(settingOf));
  const removed: Statement[] = [];
  const restarting = new Set<string>();
  const gone = new Set<string>();
  for (const statement of before) {
    if (has.has(keyOf(statement)) || isHeading(statement)) continue;
    const address = addressIn(statement);
    if (address !== null && !staying.has(address)) gone.add(address);
    else {
      noteRestart(statement, restarting);
      // What is about to be said anew needs no taking back, which might cost the session.
      if (!settings.has(settingOf(statement))) removed.push(negated(statement));
    }
  }
  const added = after.filter((statement) => !had.has(keyOf(statement)));
  for (const statement of added)
    if (known.has(addressIn(statement) ?? '')) noteRestart(statement, restarting);
  const heading = (before[0] ?? after[0])?.[0];
  return {
    statements: [
      ...[...gone].map((address): Statement => [heading!, `no neighbor ${address}`]),
      ...removed,
      ...added,
    ],
    restarting: [...restarting],
  };
}

function isHeading(statement: Statement): boolean {
  return statement.length === 1 || statement.at(-1)!.startsWith('address-family ');
}

/** What of a neighbour holds for all families was agreed when the session began. */
function noteRestart(statement: Statement, restarting: Set<string>): void {
  const address = addressIn(statement);
  if (address !== null && statement.length === 2) restarting.add(address);
}

function negated(statement: Statement): Statement {
  const line = statement.at(-1)!;
  const opposite = line.startsWith('no ') ? line.slice(3) : `no ${line}`;
  return [...statement.slice(0, -1), opposite] as unknown as Statement;
}

/** Statements of one setting with whatever value: the later one counts. */
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
