/** The work on tables that takes long, as pure functions: table-threads.ts says where each runs. */
import type { Finding } from '../../api/revisions/revisions.ts';
import type { Family } from '../../core/address.ts';
import { type PrefixSet, setOfRows } from '../../core/sets/prefix-set.ts';
import type { PrefixList } from '../../core/prefix.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import {
  type LabelledRows,
  groupByLabel,
  listsByLabel,
  tableOfLists,
} from '../../core/tables/rows-by-label.ts';
import {
  type StoredTable,
  contentHashOf,
  decodeStoredTable,
  encodeAfter,
} from '../../core/stored/stored-table.ts';
import { fitRoutes } from '../../core/fitting/fit-routes.ts';
import { buffersOf } from '../../core/tables/table-buffers.ts';
import type { EncodedTable } from '../../core/stored/table-codec.ts';
import type { TaskResult } from '../../concurrency/serve-tasks.ts';
import { type Contributed, type ModuleShare, buildRevision, contributedBy } from './build-revision.ts';
import { writeDifference } from './change-work.ts';
import { countedDiff, diffMemory } from './diff-work.ts';
import { leaveRoutes } from './left-work.ts';
import { drawMap } from './map-work.ts';
import { countByModule } from './count-by-module.ts';
import { countRows } from './count-rows.ts';
import { inspectCombined } from '../guards/guard-combined.ts';
import { unionOf } from '../guards/coverage.ts';
import { type Exempt, inspectTable } from '../guards/guard.ts';
import { type FamilyChange, measureChange, unchangedEntries } from '../guards/guard-change.ts';
import { type EntryParts, judgeModule } from '../guards/guard-module.ts';
import { makeFeed } from './feed-work.ts';
import type { EncodedContent, Snapshot } from './encoded-content.ts';
import { makeRanges, patchRanges } from './range-work.ts';
import { ruleSets, setDifference } from './rule-sets.ts';
import { withdraw } from './withdraw-work.ts';
import { writeRoutes, writeRoutesDelta, writeWhole } from './write-content.ts';
import type {
  GroupTask,
  SnapshotTask,
  RevisionTask,
  ModuleSnapshot,
  ContributeTask,
  JudgeTask,
  JudgedShare,
  BuiltContent,
  InspectTask,
  ReleasedContent,
  ChangeTask,
  TableTask,
  TableAnswers,
} from './table-tasks.ts';

/** In a thread: does the task, and says which memory goes with the answer. */
export function runInWorker(task: TableTask): TaskResult<TableAnswers[TableTask['kind']]> {
  switch (task.kind) {
    case 'group': {
      const value = group(task);
      return { value, transfer: buffersOf(...value.map(({ rows }) => rows)) };
    }
    case 'snapshot': {
      const value = makeSnapshot(task);
      return { value, transfer: [...tableMemoryOf(value), ...memoryOf(value)] };
    }
    case 'patch':
      return { value: patchRanges(task), transfer: [] };
    case 'contribute':
      return {
        value: contribute(task).map(({ contributions, rows }) => ({
          contributions: contributions.map(shared),
          rows,
        })),
        transfer: [],
      };
    case 'judge':
      return { value: judge(task), transfer: [] };
    case 'withdraw':
      return { value: withdraw(task), transfer: [] };
    case 'revision': {
      const built = makeRevision(task);
      const value = { ...built, contributions: built.contributions.map((some) => some.map(shared)) };
      return { value, transfer: memoryOf(value) };
    }
    case 'inspect':
      return { value: inspect(task), transfer: [] };
    case 'change':
      return { value: change(task), transfer: [] };
    case 'count':
      return { value: countRows(task), transfer: [] };
    case 'map': {
      const value = drawMap(task);
      return { value, transfer: value.map(({ buffer }) => buffer as ArrayBuffer) };
    }
    case 'difference':
      return { value: writeDifference(task), transfer: [] };
    case 'table_diff': {
      const value = countedDiff(task);
      return { value, transfer: diffMemory(value) };
    }
    case 'module_counts':
      return { value: countByModule(task), transfer: [] };
    case 'whole': {
      const value = writeWhole(task);
      return { value, transfer: blockMemoryOf(value) };
    }
    case 'routes': {
      const value = writeRoutes(task);
      return { value, transfer: [value.bytes.buffer as ArrayBuffer] };
    }
    case 'routes_delta':
      return { value: writeRoutesDelta(task), transfer: [] };
    case 'rule_sets':
      return { value: ruleSets(task), transfer: [] };
    case 'set_difference':
      return { value: setDifference(task), transfer: [] };
    case 'feed': {
      const value = makeFeed(task);
      return { value, transfer: value.ok ? [value.bytes.buffer] : [] };
    }
    case 'fit': {
      const value = fitRoutes(task);
      const tables = [value.fitted?.table, value.kept].flatMap((table) => table ?? []);
      return { value, transfer: buffersOf(...tables) };
    }
    case 'left': {
      const value = leaveRoutes(task);
      return { value, transfer: value === null ? [] : buffersOf(value) };
    }
  }
}

export function group({ stored }: GroupTask): LabelledRows[] {
  return groupByLabel(decodeStoredTable(stored));
}

export function makeSnapshot({ entries, parent }: SnapshotTask): Snapshot {
  if (typeof entries === 'string') return makeRanges(entries, parent);
  const table = tableOfLists(entries);
  return { table, ...encode(table, parent) };
}

export function contribute({ modules }: ContributeTask): Contributed[] {
  return modules.map(contributedBySnapshot);
}

function contributedBySnapshot({ policy, snapshot }: ModuleSnapshot): Contributed {
  return contributedBy(policy, 'whole' in snapshot ? decodeStoredTable(snapshot) : snapshot);
}

export function judge({ modules, exclusions, guardrails }: JudgeTask): Finding[][] {
  return modules.map(({ module, snapshot }) =>
    judgeModule(module, exclusions, guardrails, snapshot === null ? null : entryParts(snapshot)),
  );
}

function entryParts({ stored, entryIds }: NonNullable<JudgedShare['snapshot']>): EntryParts {
  const counted = new Set(entryIds);
  const lists = listsByLabel(groupByLabel(decodeStoredTable(stored)));
  return new Map([...lists].filter(([id]) => counted.has(id)));
}

export function makeRevision({ modules, communities, parent, guardrails }: RevisionTask): BuiltContent {
  const shares = modules.map((module): ModuleShare & { readonly released: readonly string[] } => {
    const { released = [] } = module;
    if ('contributions' in module) return { ...module, released };
    const { contributions } = contributedBySnapshot(module);
    return { purpose: module.policy.purpose, contributions, released };
  });
  const built = buildRevision(shares, communities);
  const contributions = shares.map((share) => share.contributions);
  const announced = shares.filter(({ purpose }) => purpose === 'announce');
  const findings = inspectCombined(built.table, announced, guardrails);
  const { table, ...counted } = built;
  return { ...encode(table, parent), ...counted, findings, contributions };
}

export function inspect({ stored, guardrails, released = [] }: InspectTask): Finding[] {
  return inspectTable(decodeStoredTable(stored), guardrails, exemptOf(released));
}

function exemptOf(released: readonly ReleasedContent[]): Exempt {
  const tables = released.map(({ stored, codes }) => ({ table: decodeStoredTable(stored), codes }));
  const codes = new Set(tables.flatMap((one) => one.codes));
  return new Map(
    Array.from(codes, (code) => {
      const sets = (family: Family): PrefixSet =>
        unionOf(
          family,
          tables.filter((one) => one.codes.includes(code)).map(({ table }) => setOfRows(table[family])),
        );
      return [code, { ipv4: sets('ipv4'), ipv6: sets('ipv6') }];
    }),
  );
}

export function change({ before, after, entries, families, limits }: ChangeTask): FamilyChange[] {
  const ids = unchangedEntries(entries.before, entries.after);
  if (ids.length === 0) return [];
  return measureChange(decodeStoredTable(before), decodeStoredTable(after), ids, families, limits);
}

function encode(table: PrefixTable, parent: StoredTable | null): EncodedContent {
  const prefixCount = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  const encoded = encodeAfter(table, parent);
  return 'whole' in encoded
    ? { contentHash: contentHashOf(encoded), prefixCount, encoded: null }
    : { contentHash: encoded.contentHash, prefixCount, encoded };
}

function tableMemoryOf({ table }: Snapshot): ArrayBuffer[] {
  return 'ids' in table ? [] : buffersOf(table);
}

function memoryOf({ encoded }: EncodedContent): ArrayBuffer[] {
  return encoded === null || !('blocks' in encoded) ? [] : blockMemoryOf(encoded);
}

/** The blocks of a whole table lie in one memory. */
function blockMemoryOf({ blocks }: EncodedTable): ArrayBuffer[] {
  return blocks.length === 0 ? [] : [blocks[0]!.bytes.buffer as ArrayBuffer];
}

/** In memory that every thread may read, so that what is kept between revisions is never copied. */
function shared({ community, set }: Contribution): Contribution {
  const words = new Uint32Array(new SharedArrayBuffer(set.size * wordBytes(set)));
  words.set(set.words.subarray(0, words.length));
  const lengths = new Uint8Array(new SharedArrayBuffer(set.size));
  lengths.set(set.lengths.subarray(0, set.size));
  return { community, set: { family: set.family, size: set.size, words, lengths } };
}

function wordBytes({ family }: PrefixList): number {
  return family === 'ipv4' ? 4 : 16;
}
