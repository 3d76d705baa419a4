import { hash } from 'node:crypto';
import type { Finding } from '../../api/revisions.ts';
import { listAllCommunities } from '../../store/communities.ts';
import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  type EntryInput,
  type ModuleInput,
  type NextSnapshot,
  listEntryInputs,
  listModuleInputs,
} from '../../store/revision-inputs.ts';
import type { RevisionInput } from '../../store/revision-history.ts';
import { findLatestReadyRevision } from '../../store/revisions.ts';
import { getSetting, getSettings } from '../../store/settings.ts';
import { hashOfEntries } from '../../store/snapshots.ts';
import { type CommunityToBuild, type ModulePolicy, policyOf } from './build-revision.ts';
import { ContributionCache } from './contribution-cache.ts';
import {
  type Against,
  type ChangeToMeasure,
  type NextContent,
  draftChanges,
  judgeChanges,
  readAgainst,
} from '../guards/guard-revision.ts';
import { buildRevisionContent } from './table-threads.ts';
import type { EncodedContent, ModuleTask, Snapshot } from './table-work.ts';

/** All that the content of the tenant's next revision follows from. Equal inputs make equal content. */
export interface RevisionInputs {
  readonly modules: readonly ModuleInput[];
  readonly entries: readonly EntryInput[];
  readonly communities: readonly CommunityToBuild[];
  readonly defaultCommunityId: string | null;
}

/** A snapshot that is not stored yet. Its table is handed over to whoever builds with it. */
export interface UnstoredSnapshot extends Snapshot, NextContent {}

/** Inputs with the bytes that building needs of them. Nothing is built yet, so that no transaction waits for it. */
export interface RevisionDraft {
  readonly inputs: RevisionInputs;
  readonly modules: readonly DraftModule[];
  readonly against: Against;
  readonly changes: readonly ChangeToMeasure[];
  /** The content of the latest revision, of which most will stay. */
  readonly parent: StoredContent | null;
}

interface DraftModule {
  readonly key: string;
  readonly rows: number;
  readonly task: ModuleTask;
}

export interface BuiltDraft {
  readonly inputs: RevisionInputs;
  readonly content: EncodedContent;
  /** What the content was encoded after. */
  readonly parent: StoredContent | null;
  /** The rails that it breaks, and what it was held against. */
  readonly findings: readonly Finding[];
  readonly against: Against;
  readonly communities: Awaited<ReturnType<typeof buildRevisionContent>>['communities'];
}

/** About fifty million IPv4 prefixes. */
const contributions = new ContributionCache(256 * 1024 * 1024);

export async function readRevisionInputs(tx: TenantTx, next?: NextSnapshot): Promise<RevisionInputs> {
  const communities = await listAllCommunities(tx);
  const { guard_stale_action: action, guard_stale_max_hours: hours } = await getSettings(tx, [
    'guard_stale_action',
    'guard_stale_max_hours',
  ]);
  return {
    modules: await listModuleInputs(tx, next),
    entries: await listEntryInputs(tx, action === 'drop' ? hours : null),
    communities: communities.map(({ id, community, title }) => ({ id, community, title })),
    defaultCommunityId: await getSetting(tx, 'default_community_id'),
  };
}

/** Reads what the next revision is made of; with `own`, as it will be when that snapshot is stored. */
export async function draftRevision(tx: TenantTx, own: UnstoredSnapshot | null): Promise<RevisionDraft> {
  const next = own === null ? undefined : { ...own, entriesHash: hashOfEntries(own.entries) };
  const inputs = await readRevisionInputs(tx, next);
  const modules: DraftModule[] = [];
  for (const module of inputs.modules) {
    const entries = inputs.entries.filter(({ module_id }) => module_id === module.id);
    const policy = policyOf(module, entries, inputs.communities, inputs.defaultCommunityId);
    const key = keyOf(policy, module.content_hash);
    const known = contributions.get(key);
    const rows = module.prefix_count.ipv4 + module.prefix_count.ipv6;
    if (known !== undefined) {
      modules.push({ key, rows, task: { purpose: policy.purpose, contributions: known } });
      continue;
    }
    const isOwn = own?.moduleId === module.id;
    const snapshot = isOwn ? own.table : (await loadStored(tx, module.content_hash)).stored;
    modules.push({ key, rows, task: { policy, snapshot } });
  }
  const latest = await findLatestReadyRevision(tx);
  const parentHash = latest?.content_hash ?? null;
  const parent = parentHash === null ? null : await loadStored(tx, parentHash);
  const against = await readAgainst(tx);
  const changes = await draftChanges(tx, snapshotsOf(inputs), against.baseline, own);
  return { inputs, modules, parent, against, changes };
}

/** What a revision remembers of what it was built from. */
export function snapshotsOf({ modules }: Pick<RevisionInputs, 'modules'>): RevisionInput[] {
  return modules.map(({ id, families, content_hash, entries_hash }) => ({
    module_id: id,
    ...{ families, content_hash, entries_hash },
  }));
}

/** What a module contributes follows from these two. */
function keyOf(policy: ModulePolicy, contentHash: string): string {
  return `${contentHash} ${hash('sha256', JSON.stringify(policy))}`;
}

/** Builds the draft; large ones in a thread. */
export async function buildDraft(draft: RevisionDraft, signal?: AbortSignal): Promise<BuiltDraft> {
  const { inputs, modules, parent, against, changes } = draft;
  const rows = modules.reduce((sum, module) => sum + module.rows, 0);
  const tasks = modules.map(({ task }) => task);
  const built = await buildRevisionContent(
    { modules: tasks, communities: inputs.communities, rails: against.rails },
    rows,
    parent,
    signal,
  );
  modules.forEach(({ key }, i) => contributions.put(key, built.contributions[i]!));
  const findings = [...built.findings, ...(await judgeChanges(changes, against.rails, signal))];
  return { inputs, content: built, parent, communities: built.communities, findings, against };
}
