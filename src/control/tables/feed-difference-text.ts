/** What changed between two contents of a feed, for the programs that can take that instead of all of it. Pure. */
import { type DifferenceFormat, type FeedFormat, isDifferenceFormat } from '../../api/feeds/feeds.ts';
import type { Family } from '../../core/address.ts';
import { plain, listName } from './feed-text.ts';

export interface ListChange {
  readonly family: Family;
  /** Lines of the list, as a whole content has them. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface FeedDifferenceText {
  readonly name: string;
  /** Of the revision, and of the one before. */
  readonly number: number;
  readonly since: number;
  readonly format: FeedFormat;
  readonly changes: readonly ListChange[];
}

/** @throws {TypeError} for a format that cannot say it */
export function writeFeedDifference(difference: FeedDifferenceText): string {
  const { format } = difference;
  if (!isDifferenceFormat(format)) throw new TypeError(`${format} cannot say what changed`);
  return WRITERS[format](difference);
}

/** Elements are taken out before others come in: what is split or joined overlaps what it was. */
const WRITERS: Readonly<Record<DifferenceFormat, (difference: FeedDifferenceText) => string>> = {
  json: ({ name, number, since, changes }) =>
    `${JSON.stringify({
      ...{ feed: name, revision: number, since },
      added: changes.flatMap(({ added }) => added),
      removed: changes.flatMap(({ removed }) => removed),
    })}\n`,
  nft: ({ name, number, since, changes }) =>
    [
      `# ${name}, revision ${number} since ${since}\n`,
      ...changes.flatMap(({ family, added, removed }) => {
        const set = `inet prefixcast_feeds ${plain(name, family)}`;
        const command = (verb: string, prefixes: readonly string[]): string[] =>
          prefixes.length === 0 ? [] : [`${verb} element ${set} { ${prefixes.join(', ')} }\n`];
        return [...command('delete', removed), ...command('add', added)];
      }),
    ].join(''),
  ipset: ({ name, changes }) =>
    linesOf(changes, ({ family }) => {
      const set = listName(name, family);
      return [(prefix) => `del ${set} ${prefix} -exist`, (prefix) => `add ${set} ${prefix} -exist`];
    }),
  routeros: ({ name, changes }) =>
    changes
      .flatMap((change) => {
        const { family, added, removed } = change;
        if (added.length + removed.length === 0) return [];
        const menu = `/${family === 'ipv4' ? 'ip' : 'ipv6'} firewall address-list\n`;
        return [
          menu,
          linesOf([change], () => [
            (prefix) => `remove [find list="${name}" address=${prefix}]`,
            (prefix) => `add list="${name}" address=${prefix}`,
          ]),
        ];
      })
      .join(''),
  junos: ({ name, changes }) =>
    linesOf(changes, ({ family }) => {
      const list = `policy-options prefix-list ${listName(name, family)}`;
      return [(prefix) => `delete ${list} ${prefix}`, (prefix) => `set ${list} ${prefix}`];
    }),
};

type Line = (prefix: string) => string;

/** @param write what takes a prefix out, and what puts one in */
function linesOf(
  changes: readonly ListChange[],
  write: (change: ListChange) => readonly [remove: Line, add: Line],
): string {
  return changes
    .flatMap((change) => {
      const [remove, add] = write(change);
      return [...change.removed.map(remove), ...change.added.map(add)];
    })
    .map((line) => `${line}\n`)
    .join('');
}
