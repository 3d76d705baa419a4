import type { Finding } from '../../api/revisions/revisions.ts';
import { contentHashOf, storedAs } from '../../core/tables/stored-table.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';
import {
  type EntryInput,
  type ModuleInput,
  type NextSnapshot,
  listEntryInputs,
  listModuleInputs,
  listStaleEntries,
} from '../../store/revisions/revision-inputs.ts';
import { listExpiredIds } from '../../store/entries/expiries.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { findLatestReadyRevision } from '../../store/revisions/revisions.ts';
import { getSetting, getSettings } from '../../store/tenants/settings.ts';
import { listModuleNames } from '../../store/modules/modules.ts';
import { hashOfEntries } from '../../store/modules/snapshots.ts';
import { type Against, readAgainst, readEntries } from './guard-revision.ts';
import { type ModuleVerdict, type ReadContent, judgeModules } from './judge-modules.ts';
import { findWithdrawals } from './large-withdrawal.ts';
import { type CommunityToBuild, policyOf } from '../tables/build-revision.ts';
import { type ModuleDraft, type UnstoredSnapshot, draftModule } from './draft-module.ts';
import { buildRevisionContent, inspectContent } from '../tables/table-threads.ts';
import type { EncodedContent } from '../tables/table-work.ts';

/** All that the content of the tenant's next revision follows from. Equal inputs make equal content. */
export interface RevisionInputs {
  readonly modules: readonly ModuleInput[];
  readonly entries: readonly EntryInput[];
  /** Entries that have left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly staleIds: readonly string[];
  readonly communities: readonly CommunityToBuild[];
  readonly defaultCommunityId: string | null;
}

/** Inputs with the bytes that building needs of them. Nothing is built yet, so that no transaction waits for it. */
export interface RevisionDraft {
  readonly inputs: RevisionInputs;
  readonly modules: readonly ModuleDraft[];
  readonly against: Against;
  /** Of every module, enabled or not. */
  readonly names: ReadonlyMap<string, string>;
  /** The content of the latest revision, of which most will stay. */
  readonly parent: StoredContent | null;
}

export interface BuiltDraft {
  readonly inputs: RevisionInputs;
  /** The snapshots that went into it. */
  readonly used: readonly RevisionInput[];
  readonly content: EncodedContent;
  /** What the content was encoded after. */
  readonly parent: StoredContent | null;
  /** The guardrails that it breaks as a whole, and what it was held against. */
  readonly findings: readonly Finding[];
  readonly against: Against;
  /** The modules that are held. */
  readonly held: readonly JudgedModule[];
  readonly communities: Awaited<ReturnType<typeof buildRevisionContent>>['communities'];
}

/** As many as a tenant may have entries. */
const MAXIMUM_STALE = 1_000_000;

/** What building may need beside the draft, and finds seldom: bytes that were not foreseen. */
export interface DraftReader {
  readonly read: ReadContent;
  readonly inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;
}

/** Reads in transactions of their own. */
export function draftReader(db: Database, tenantId: string): DraftReader {
  const inTenant: DraftReader['inTenant'] = (work) => db.inTenant(tenantId, work);
  return { inTenant, read: (contentHash) => inTenant((tx) => loadStored(tx, contentHash)) };
}

/** Reads in this transaction. */
export function draftReaderIn(tx: TenantTx): DraftReader {
  return { inTenant: (work) => work(tx), read: (contentHash) => loadStored(tx, contentHash) };
}

export async function readRevisionInputs(tx: TenantTx, next?: NextSnapshot): Promise<RevisionInputs> {
  const communities = await listAllCommunities(tx);
  const { guard_stale_action: action, guard_stale_max_hours: hours } = await getSettings(tx, [
    'guard_stale_action',
    'guard_stale_max_hours',
  ]);
  const stale = action === 'drop' ? await listStaleEntries(tx, hours, MAXIMUM_STALE) : [];
  return {
    modules: await listModuleInputs(tx, next),
    entries: await listEntryInputs(tx, action === 'drop' ? hours : null),
    staleIds: [...stale.map(({ id }) => id), ...(await listExpiredIds(tx))].sort(),
    communities: communities.map(({ id, community, title }) => ({ id, community, title })),
    defaultCommunityId: await getSetting(tx, 'default_community_id'),
  };
}

/** Reads what the next revision is made of; with `own`, as it will be when that snapshot is stored. */
export async function draftRevision(tx: TenantTx, own: UnstoredSnapshot | null): Promise<RevisionDraft> {
  const next = own === null ? undefined : { ...own, entriesHash: hashOfEntries(own.entries) };
  const inputs = await readRevisionInputs(tx, next);
  const against = await readAgainst(tx);
  const modules: ModuleDraft[] = [];
  for (const module of inputs.modules) {
    const entries = inputs.entries.filter(({ module_id }) => module_id === module.id);
    const policy = policyOf(module, entries, inputs.communities, inputs.defaultCommunityId);
    const isOwn = own?.moduleId === module.id;
    modules.push(
      await draftModule(tx, module, policy, isOwn ? own : null, against.guardrails.maxChangePercent),
    );
  }
  const latest = await findLatestReadyRevision(tx);
  const parentHash = latest?.content_hash ?? null;
  const parent = parentHash === null ? null : await loadStored(tx, parentHash);
  return { inputs, modules, names: await listModuleNames(tx), parent, against };
}

/** Judges the modules and builds the draft; large ones in a thread. */
export async function buildDraft(
  draft: RevisionDraft,
  reader: DraftReader,
  signal?: AbortSignal,
): Promise<BuiltDraft> {
  const { inputs, modules, parent, against } = draft;
  const verdicts = await judgeModules(modules, against.guardrails, reader.read, signal);
  const used = verdicts.flatMap((verdict) =>
    verdict.used === null ? [] : [{ ...verdict, used: verdict.used }],
  );
  const built = await buildRevisionContent(
    {
      modules: used.map(({ draft: { module }, contributions, used: { input } }) => ({
        ...{ purpose: module.purpose, contributions, released: input.released },
      })),
      communities: inputs.communities,
      guardrails: against.guardrails,
    },
    used.reduce((sum, share) => sum + share.used.rows, 0),
    parent,
    signal,
  );
  const findings = [
    ...verdicts.flatMap((verdict) => verdict.findings),
    ...built.findings,
    ...(await withdrawalsOf(draft, verdicts, built, reader, signal)),
  ];
  return {
    ...{ inputs, content: built, parent, communities: built.communities, findings, against },
    used: used.map((share) => share.used.input),
    held: verdicts.flatMap(({ held }) => held ?? []),
  };
}

/** Contents that are at hand need no reading; one of them may not even be stored yet. */
async function withdrawalsOf(
  { inputs, names, parent, against }: RevisionDraft,
  verdicts: readonly ModuleVerdict[],
  built: EncodedContent,
  { read, inTenant }: DraftReader,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  // Whatever led to that one was judged then; a rollback is meant, however much it withdraws.
  if (parent !== null && built.contentHash === contentHashOf(parent.stored)) return [];
  const stored = storedAs(built.encoded, parent?.stored ?? null);
  const used = verdicts.flatMap((verdict) => verdict.used ?? []);
  const known = new Map<string, StoredContent>();
  for (const { input, content } of used) if (content !== null) known.set(input.content_hash, content);
  if (parent !== null) known.set(contentHashOf(parent.stored), parent);
  const entries = new Map(used.map(({ input, entries }) => [input.module_id, entries]));
  const next = {
    content: { stored, prefixCount: built.prefixCount },
    content_hash: built.contentHash,
    inputs: used.map(({ input }) => input),
  };
  const readContent: ReadContent = async (contentHash) => known.get(contentHash) ?? read(contentHash);
  return findWithdrawals(
    next,
    verdicts.some(({ isLimited }) => isLimited === true)
      ? { ...against, applied: await withinPolicy(against, readContent) }
      : against,
    {
      read: readContent,
      purposes: new Map(inputs.modules.map(({ id, purpose }) => [id, purpose])),
      names,
      staleIds: inputs.staleIds,
      entriesOf: (before, after) =>
        inTenant((tx) => readEntries(tx, before, after, entries.get(after.module_id) ?? null)),
    },
    signal,
  );
}

/** Of what speakers run, the contents that the policy allows: what a tightened policy takes away is no slip of an operator. */
async function withinPolicy(
  { applied, guardrails }: Against,
  read: ReadContent,
): Promise<Against['applied']> {
  const contents: Against['applied'][number][] = [];
  for (const running of applied) {
    const findings = await inspectContent(await read(running.content_hash), guardrails);
    if (!findings.some(({ code }) => code === 'tenant_policy')) contents.push(running);
  }
  return contents;
}
