/** Builds a revision of what was read for it, and holds what breaks a guardrail. */
import type { Finding } from '../../api/revisions/revisions.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import { contentHashOf, storedAs } from '../../core/stored/stored-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { SnapshotCount } from '../../store/modules/modules.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';
import type { ModuleInput } from '../../store/revisions/revision-inputs.ts';
import type { StoredGroup } from '../../store/columns/column-shapes.ts';
import type { HeldWithdrawal, ReleasedWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import { type RevisionInput, listInputsOf } from '../../store/revisions/revision-history.ts';
import { namesOfRemoved } from '../../store/entries/removed-lists.ts';
import type { StandingRevision } from '../../store/revisions/standing-revisions.ts';
import { type Against, readEntries } from './guard-revision.ts';
import { type ModuleVerdict, judgeModules } from './judge-modules.ts';
import { Keeper } from './keep-modules.ts';
import { type Withdrawals, findWithdrawals } from './large-withdrawal.ts';
import { withTitles } from './titled-findings.ts';
import type { ShareDraft } from './draft-module.ts';
import { buildRevisionContent, inspectContent } from '../tables/table-threads.ts';
import type { BuiltContent } from '../tables/table-tasks.ts';
import type { EncodedContent } from '../tables/encoded-content.ts';
import type { DraftReader, ReadContent } from './draft-reader.ts';
import type { InTenant } from '../in-tenant.ts';
import type { RevisionDraft, RevisionInputs } from './revision-draft.ts';

export interface BuiltDraft {
  readonly inputs: RevisionInputs;
  /** The snapshots that went into it. */
  readonly used: readonly RevisionInput[];
  /** How many rows of their latest snapshots count, of modules with large ones. */
  readonly counted: readonly SnapshotCount[];
  readonly content: EncodedContent & Pick<BuiltContent, 'withoutCommunity'>;
  /** What the content was encoded after. */
  readonly parent: StoredContent | null;
  readonly latest: StandingRevision | null;
  /** The guardrails that it breaks as a whole, and what it was held against. */
  readonly findings: readonly Finding[];
  readonly against: Against;
  /** The modules that are held for what was collected. */
  readonly held: readonly JudgedModule[];
  /** Modules of which a rollback took something back, with what is left of it since entries have left by themselves. */
  readonly leftOvers: readonly Pick<RevisionInput, 'module_id' | 'content_hash'>[];
  /** Those that are held for what operators have made of them. */
  readonly withdrawals: readonly HeldWithdrawal[];
  /** Modules that take something away which somebody has let through. */
  readonly releasedIds: readonly string[];
  /** Of the module that is open. */
  readonly open: (Pick<HeldWithdrawal, 'hash' | 'state_hash'> & OpenModule) | null;
  /** By `policy_hash` of what was used, as far as it may not be stored yet. */
  readonly groups: ReadonlyMap<string, readonly StoredGroup[]>;
  readonly communities: BuiltContent['communities'];
}

/** What other modules are, while one is built as if it were let through. */
export interface OpenModule {
  /** What the module is in the latest ready revision with; null: nothing. */
  readonly before: ShareDraft | null;
  /** What each module is in the built revision with. */
  readonly shares: readonly UsedShare[];
}

interface UsedShare {
  readonly moduleId: string;
  readonly purpose: ModuleInput['purpose'];
  readonly contributions: readonly Contribution[];
}

/**
 * Judges the modules and builds the draft; large ones in a thread. Modules whose edits take too much away from a speaker stay as they were, and
 * the rest is built and judged again.
 * @param openId of the module that is built as if somebody had let it through, with all that it breaks among the findings; null: none
 */
export async function buildDraft(
  draft: RevisionDraft,
  reader: DraftReader,
  signal?: AbortSignal,
  openId: string | null = null,
): Promise<BuiltDraft> {
  const keeper = await keeperOf(draft, reader, openId);
  const building: Building = { draft, keeper, reader, signal };
  const isWhole = draft.against.guardrails.scope === 'revision';
  for (;;) {
    const built = await buildOnce(building);
    const { slips } = built.found;
    if (slips.length === 0 || isWhole) return conclude(building, await withOwnSlip(building, built));
    await keeper.keep(
      slips,
      draft.against.applied.map(({ inputs }) => inputs),
      built.used.map(({ input }) => input),
    );
  }
}

/** A draft on its way to a revision. */
interface Building {
  readonly draft: RevisionDraft;
  /** Decides which modules stay as they were. */
  readonly keeper: Keeper;
  readonly reader: DraftReader;
  readonly signal: AbortSignal | undefined;
}

async function keeperOf(
  { inputs, modules, names, latest, against }: RevisionDraft,
  { inTenant }: DraftReader,
  openId: string | null,
): Promise<Keeper> {
  const { held, released } = inputs.withdrawals;
  const past = {
    ...{ held, released, communities: inputs.communities, goneIds: inputs.staleIds },
    releasedInputs: await releasedInputsOf(released, inTenant),
    ...{ inputs: latest?.inputs ?? [], names },
    limit: against.guardrails.maxWithdrawPercent,
  };
  const keeper = new Keeper(modules, past, openId, inTenant);
  if (against.guardrails.scope === 'module') await keeper.keepBroughtBack();
  return keeper;
}

/** What revisions had of modules once they were let through. */
async function releasedInputsOf(
  released: readonly ReleasedWithdrawal[],
  inTenant: InTenant,
): Promise<ReadonlyMap<string, RevisionInput | null>> {
  if (released.length === 0) return new Map();
  const known = released.flatMap(({ module_id, revision_id }) =>
    revision_id === null ? [] : [{ module_id, revision_id }],
  );
  const revisionIds = [...new Set(known.map(({ revision_id }) => revision_id))];
  const moduleIds = known.map(({ module_id }) => module_id);
  const inputs = await inTenant((tx) => listInputsOf(tx, revisionIds, moduleIds));
  const inputOf = new Map(inputs.map((input) => [`${input.revision_id} ${input.module_id}`, input]));
  return new Map(
    known.map(({ module_id: id, revision_id }) => [id, inputOf.get(`${revision_id} ${id}`) ?? null]),
  );
}

/** A revision with what the keeper keeps so far. */
interface BuiltOnce {
  readonly verdicts: readonly ModuleVerdict[];
  readonly used: readonly ShareDraft[];
  readonly content: BuiltContent;
  readonly found: Withdrawals;
}

async function buildOnce(building: Building): Promise<BuiltOnce> {
  const { keeper, reader, signal } = building;
  const { inputs, modules, parent, against } = building.draft;
  const { guardrails } = against;
  const verdicts = await judgeModules(modules, keeper.decided, against, reader, signal);
  const shares = verdicts.flatMap(({ used, contributions }) =>
    used === null ? [] : [{ used, contributions }],
  );
  const content = await buildRevisionContent(
    {
      modules: shares.map(({ contributions, used: { input, policy } }) => ({
        ...{ purpose: policy.purpose, contributions, released: input.released },
      })),
      ...{ communities: inputs.communities, guardrails },
    },
    shares.reduce((sum, { used }) => sum + used.rows, 0),
    parent,
    signal,
  );
  const built = { verdicts, used: shares.map(({ used }) => used), content };
  return { ...built, found: await withdrawalsOf(building, built) };
}

/** The module that is open is not kept, but what it takes away is reported if it is too much. */
async function withOwnSlip(building: Building, built: BuiltOnce): Promise<BuiltOnce> {
  const { openId } = building.keeper.decided;
  if (openId === null) return built;
  const { slips } = await withdrawalsOf(building, built, true);
  const own = slips.filter(({ moduleId }) => moduleId === openId).map(({ finding }) => finding);
  return { ...built, found: { ...built.found, findings: [...built.found.findings, ...own] } };
}

async function conclude(
  { draft: { inputs, modules, parent, latest, against }, keeper, reader: { inTenant } }: Building,
  { verdicts, used, content, found }: BuiltOnce,
): Promise<BuiltDraft> {
  const { openId } = keeper.decided;
  const judged = {
    findings: [
      ...verdicts.flatMap(({ findings }) => findings),
      ...[...content.findings, ...found.findings, ...keeper.findings],
    ],
    held: verdicts.flatMap(({ held }) => held ?? []),
  };
  return {
    ...{ inputs, content, parent, latest, against, communities: content.communities },
    ...(await withTitles(judged, inTenant)),
    used: used.map(({ input }) => input),
    counted: verdicts.flatMap(({ counted }) => counted ?? []),
    leftOvers: modules.flatMap(({ module: { id, rolled_back_hash: taken }, takenBack }) =>
      takenBack === null || takenBack === taken ? [] : [{ module_id: id, content_hash: takenBack }],
    ),
    withdrawals: keeper.held,
    releasedIds: [...found.releasedIds],
    open:
      openId === null
        ? null
        : {
            ...keeper.hashesOf(openId),
            before: await keeper.shareOfOpen(),
            shares: verdicts.flatMap(({ used: share, contributions }) =>
              share === null
                ? []
                : [{ moduleId: share.input.module_id, purpose: share.policy.purpose, contributions }],
            ),
          },
    groups: new Map(
      used.flatMap(({ input, groups }) =>
        input.policy_hash === null || groups === null ? [] : [[input.policy_hash, groups] as const],
      ),
    ),
  };
}

/**
 * Contents that are at hand need no reading; one of them may not even be stored yet.
 * @param isOpenCounted whether the module that is open counts as any other
 */
async function withdrawalsOf(
  { draft: { inputs, names, parent, against }, keeper, reader: { read, inTenant }, signal }: Building,
  { verdicts, used, content: built }: Omit<BuiltOnce, 'found'>,
  isOpenCounted = false,
): Promise<Withdrawals> {
  // Whatever led to that one was judged then; a rollback is meant, however much it withdraws.
  if (parent !== null && built.contentHash === contentHashOf(parent.stored))
    return { slips: [], findings: [], releasedIds: new Set(keeper.releasedIds) };
  const stored = storedAs(built.encoded, parent?.stored ?? null);
  const known = new Map<string, StoredContent>();
  for (const { input, content } of used) if (content !== null) known.set(input.content_hash, content);
  if (parent !== null) known.set(contentHashOf(parent.stored), parent);
  const shares = new Map(used.map((share) => [share.input, share]));
  const ofModule = new Map(used.map(({ input }) => [input.module_id, input]));
  const next = {
    content: { stored, prefixCount: built.prefixCount },
    content_hash: built.contentHash,
    inputs: used.map(({ input }) => input),
  };
  const readContent: ReadContent = async (contentHash) => known.get(contentHash) ?? read(contentHash);
  const isLimited = verdicts.some((verdict) => verdict.isLimited === true);
  const { openId } = keeper.decided;
  const applied = isLimited ? await withinPolicy(against, readContent) : against.applied;
  if (applied.length === 0)
    return { slips: keeper.boundSlips, findings: [], releasedIds: new Set(keeper.releasedIds) };
  return findWithdrawals(
    next,
    { ...against, applied },
    {
      read: readContent,
      ...{ names: await withRemoved(names, applied, inTenant), staleIds: inputs.staleIds },
      entriesOf: (before, after) =>
        inTenant((tx) => readEntries(tx, before, after, shares.get(after)?.entries ?? null)),
      policyOf: async (input) => shares.get(input)?.policy ?? keeper.policyOf(input),
      wayOf: (id, running) =>
        id === openId && !isOpenCounted ? 'released' : keeper.wayOf(id, running, ofModule.get(id) ?? null),
      releasedOf: (id) => keeper.releasedOf(id),
    },
    keeper.isBound || keeper.releasedIds.length > 0,
    signal,
  );
}

/** With those of modules that are gone: what a revision calls them may be what they were called before they were renamed. */
async function withRemoved(
  names: ReadonlyMap<string, string>,
  applied: Against['applied'],
  inTenant: InTenant,
): Promise<ReadonlyMap<string, string>> {
  const ids = applied.flatMap(({ inputs }) => inputs.map(({ module_id: id }) => id));
  const gone = [...new Set(ids)].filter((id) => !names.has(id));
  if (gone.length === 0) return names;
  return new Map([...names, ...(await inTenant((tx) => namesOfRemoved(tx, gone)))]);
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
