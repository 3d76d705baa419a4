import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import type {
  DohResolverPolicy,
  Module,
  ModuleCreate,
  ModulePatch,
  ModuleType,
} from '../../api/lists/modules.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { findUnknownDohProfiles } from '../../store/modules/doh-profiles.ts';
import { getModule, insertModule, updateModule } from '../../store/modules/modules.ts';
import { refuseFaults } from '../body-faults.ts';

export async function createModule(tx: TenantTx, body: ModuleCreate): Promise<Versioned<Module>> {
  const resolving = dohMembers(body.type, body);
  await checkProfiles(tx, body, resolving.doh_profile_ids ?? []);
  checkQuorum(resolving.doh_profile_ids ?? [], body.doh_resolver_policy);
  return insertModule(tx, { ...body, ...resolving });
}

export async function changeModule(
  tx: TenantTx,
  id: string,
  patch: ModulePatch,
  version: number | null,
): Promise<Versioned<Module>> {
  const { resource } = await getModule(tx, id);
  const resolving = dohMembers(resource.type, patch);
  const {
    doh_profile_ids: ids = resource.doh_profile_ids,
    doh_resolver_policy: policy = resource.doh_resolver_policy,
  } = { ...patch, ...resolving };
  await checkProfiles(tx, patch, resolving.doh_profile_ids ?? []);
  checkQuorum(ids, policy);
  return updateModule(tx, id, { ...patch, ...resolving }, version);
}

/** The profiles must exist, and stay until the transaction ends. @param ids as the body names them, in either way */
async function checkProfiles(tx: TenantTx, body: DohMembers, ids: readonly string[]): Promise<void> {
  const unknown = await findUnknownDohProfiles(tx, ids);
  refuseFaults(
    unknown.map((id) => ({
      pointer: body.doh_profile_ids === undefined ? '/doh_profile_id' : `/doh_profile_ids/${ids.indexOf(id)}`,
      detail: `No DoH profile has the id ${id}. List /v1/doh-profiles to see which exist.`,
    })),
  );
}

function checkQuorum(ids: readonly string[], policy: DohResolverPolicy | null | undefined): void {
  const { strategy, quorum } = policy ?? {};
  if (strategy === 'quorum' && quorum !== undefined && quorum > ids.length)
    throw fieldProblem(
      '/doh_resolver_policy/quorum',
      `${quorum} resolvers must agree, and doh_profile_ids names ${ids.length}. Name more of them, or lower the quorum.`,
    );
}

type DohMembers = Pick<ModulePatch, 'doh_profile_ids' | 'doh_profile_id' | 'doh_resolver_policy'>;

/** `doh_profile_id` is the older name for a list of one; whichever was given, both are written and agree. */
function dohMembers(type: ModuleType, body: DohMembers): DohMembers {
  for (const name of ['doh_profile_ids', 'doh_profile_id', 'doh_resolver_policy'] as const) {
    const value = body[name];
    const isSet = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
    if (isSet && !ENTRY_KINDS[type].isResolved) {
      throw fieldProblem(
        `/${name}`,
        `Only modules of type DOMAINS resolve names; this one is ${type}. Leave ${name} out.`,
      );
    }
  }
  const { doh_profile_ids: ids, doh_profile_id: legacy } = body;
  if (ids === undefined && legacy === undefined) return {};
  if (ids !== undefined && legacy !== undefined && legacy !== (ids[0] ?? null)) {
    throw fieldProblem(
      '/doh_profile_id',
      'It differs from the first of doh_profile_ids. Give doh_profile_ids only.',
    );
  }
  const agreed = ids ?? (typeof legacy === 'string' ? [legacy] : []);
  return { doh_profile_ids: agreed, doh_profile_id: agreed[0] ?? null };
}
