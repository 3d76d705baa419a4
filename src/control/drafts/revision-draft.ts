/** What the tenant's next revision is made of: read in one transaction, and built of without one (build-draft.ts). */
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  type ModuleInput,
  type NextSnapshot,
  listEntryInputs,
  listModuleInputs,
  listStaleEntries,
} from '../../store/revisions/revision-inputs.ts';
import type { HeldRow, ReleasedWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import type { EntryInput } from '../../store/revisions/range-inputs.ts';
import type { GuardrailFacts } from '../../store/revisions/guardrail-facts.ts';
import type { StandingRevision } from '../../store/revisions/standing-revisions.ts';
import { readTenantInputs } from '../../store/revisions/tenant-inputs.ts';
import { SETTINGS_OF_TENANT, getSettings, noteSettings } from '../../store/tenants/settings.ts';
import { hashOfEntries } from '../../store/modules/snapshots.ts';
import { type Against, readStanding } from './guard-revision.ts';
import { groupsOf } from './kept-policy.ts';
import { storedCache } from '../tables/stored-cache.ts';
import { type CommunityToBuild, policyOf } from '../tables/build-revision.ts';
import { type ModuleDraft, type UnstoredSnapshot, draftModule } from './draft-module.ts';

/** All that the content of the tenant's next revision follows from. Equal inputs make equal content. */
export interface RevisionInputs {
  readonly modules: readonly ModuleInput[];
  readonly entries: readonly EntryInput[];
  /** Entries that have left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly staleIds: readonly string[];
  readonly communities: readonly CommunityToBuild[];
  readonly defaultCommunityId: string | null;
  /** Modules that are held for what was collected: the content of each. */
  readonly heldSnapshots: readonly { readonly module_id: string; readonly hash: string }[];
  /** Modules that stay as they were, and those that need not although they take much away. */
  readonly withdrawals: {
    readonly held: readonly HeldRow[];
    readonly released: readonly ReleasedWithdrawal[];
  };
}

/** Inputs with the bytes that building needs of them. Nothing is built yet, so that no transaction waits for it. */
export interface RevisionDraft {
  readonly inputs: RevisionInputs;
  readonly modules: readonly ModuleDraft[];
  readonly against: Against;
  /** Of every module, enabled or not. */
  readonly names: ReadonlyMap<string, string>;
  /** The latest revision that is ready. */
  readonly latest: StandingRevision | null;
  /** Its content, of which most will stay. */
  readonly parent: StoredContent | null;
}

/** As many as a tenant may have entries. */
const MAXIMUM_STALE = 1_000_000;

/** What was read in one transaction for a draft. */
interface RevisionFacts extends Pick<RevisionDraft, 'inputs' | 'names'> {
  /** What guardrails depend on beside settings. */
  readonly facts: GuardrailFacts;
}

/** What the next revision is made of, with what every module is called, enabled or not. What was committed before this counts. */
export async function readRevisionFacts(tx: TenantTx, next?: NextSnapshot): Promise<RevisionFacts> {
  const read = await readTenantInputs(tx, SETTINGS_OF_TENANT);
  const { communities, expiredIds, names, heldSnapshots, facts, settings, ...withdrawals } = read;
  noteSettings(tx, settings);
  const {
    guard_stale_action: action,
    guard_stale_max_hours: hours,
    default_community_id: defaultCommunityId,
  } = await getSettings(tx, ['guard_stale_action', 'guard_stale_max_hours', 'default_community_id']);
  const stale = action === 'drop' ? await listStaleEntries(tx, hours, MAXIMUM_STALE) : [];
  const inputs = {
    ...{ communities, defaultCommunityId, heldSnapshots },
    modules: await listModuleInputs(tx, next),
    entries: await listEntryInputs(tx, action === 'drop' ? hours : null),
    staleIds: [...stale.map(({ id }) => id), ...expiredIds].sort(),
    withdrawals: { held: withdrawals.heldWithdrawals, released: withdrawals.releasedWithdrawals },
  };
  return { inputs, names, facts };
}

/** Reads what the next revision is made of; with `own`, as it will be when that snapshot is stored. */
export async function draftRevision(tx: TenantTx, own: UnstoredSnapshot | null): Promise<RevisionDraft> {
  const next = own === null ? undefined : { ...own, entriesHash: hashOfEntries(own.entries) };
  const { inputs, names, facts } = await readRevisionFacts(tx, next);
  const { against, latest } = await readStanding(tx, facts);
  const entriesOf = Map.groupBy(inputs.entries, ({ module_id }) => module_id);
  const modules: ModuleDraft[] = [];
  for (const module of inputs.modules) {
    const entries = entriesOf.get(module.id) ?? [];
    const configured = {
      policy: policyOf(module, entries, inputs.communities, inputs.defaultCommunityId),
      groups: groupsOf(module, entries, inputs.defaultCommunityId),
    };
    const drafting = {
      own: own?.moduleId === module.id ? own : null,
      maxChangePercent: against.guardrails.maxChangePercent,
      goneIds: inputs.staleIds,
    };
    modules.push(await draftModule(tx, module, configured, drafting));
  }
  const parentHash = latest?.content_hash ?? null;
  const parent = parentHash === null ? null : await storedCache.load(tx, parentHash);
  return { inputs, modules, names, parent, latest, against };
}
