import type { Module, ModuleCreate, ModulePatch, ModuleType } from '../api/modules.ts';
import { fieldProblem } from '../api/problem.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { getModule, insertModule, updateModule } from '../store/modules.ts';

export async function createModule(tx: TenantTx, body: ModuleCreate): Promise<Versioned<Module>> {
  return insertModule(tx, { ...body, ...dohMembers(body.type, body) });
}

export async function changeModule(
  tx: TenantTx,
  id: string,
  patch: ModulePatch,
  version: number | null,
): Promise<Versioned<Module>> {
  const { resource } = await getModule(tx, id);
  return updateModule(tx, id, { ...patch, ...dohMembers(resource.type, patch) }, version);
}

type DohMembers = Pick<ModulePatch, 'doh_profile_ids' | 'doh_profile_id' | 'doh_resolver_policy'>;

/** `doh_profile_id` is the older name for a list of one; whichever was given, both are written and agree. */
function dohMembers(type: ModuleType, body: DohMembers): DohMembers {
  for (const name of ['doh_profile_ids', 'doh_profile_id', 'doh_resolver_policy'] as const) {
    const value = body[name];
    const isSet = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
    if (isSet && type !== 'DOMAINS') {
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
