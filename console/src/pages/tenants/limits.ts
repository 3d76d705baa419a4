/** What a tenant may do and how much it may have, as fields of a form: lists are lines, and one that allows everything says so. */
import type { Schemas } from '@prefixcast/client';
import type { Members } from '../../service/writes.ts';
import { tenantsText } from '../../strings/tenants.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';

export type Limits = Pick<Schemas['Tenant'], 'policy' | 'quotas'>;

const LISTS = [
  'allowed_prefixes',
  'allowed_communities',
  'allowed_local_asns',
  'allowed_peer_networks',
  'allowed_source_addresses',
] as const satisfies (keyof Limits['policy'])[];

/** Where in the body a field is, which is where the service says that something is wrong. */
const inPolicy = (name: string): string => `policy/${name}`;
const inQuotas = (name: string): string => `quotas/${name}`;
const everything = (name: string): string => `${inPolicy(name)}/everything`;

export function draftOf({ policy, quotas }: Limits): Members {
  return Object.fromEntries([
    ...LISTS.flatMap((name) => [
      [inPolicy(name), (policy[name] ?? []).map(String)],
      [everything(name), policy[name] === null],
    ]),
    [inPolicy('may_loosen_guards'), policy.may_loosen_guards],
    ...Object.entries(quotas).map(([name, most]) => [inQuotas(name), most]),
  ]) as Members;
}

/** A list that allows everything has no lines to fill in. */
export function policyFields(draft: Members): FormField[] {
  return [
    ...LISTS.flatMap((name): FormField[] => [
      {
        ...{ name: everything(name), kind: 'toggle' },
        label: tenantsText.everything(tenantsText.policies[name]),
      },
      ...(draft[everything(name)] === true
        ? []
        : [
            {
              ...({ name: inPolicy(name), kind: 'lines', isMono: true } as const),
              ...{ label: tenantsText.policies[name], hint: tenantsText.policyHints[name] },
            },
          ]),
    ]),
    {
      ...{ name: inPolicy('may_loosen_guards'), kind: 'toggle' },
      label: tenantsText.policies.may_loosen_guards,
    },
  ];
}

export function quotaFields({ quotas }: Limits): FormField[] {
  return Object.keys(quotas).map((name) => ({
    ...{ name: inQuotas(name), label: tenantsText.quotas[name] ?? name, kind: 'number' },
    isRequired: true,
  }));
}

/** One member that a form changes. */
export interface Change {
  readonly path: string;
  readonly label: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function changesIn({ policy, quotas }: Limits, draft: Members): Change[] {
  const policies = [...LISTS, 'may_loosen_guards' as const].map((name): Change => ({
    ...{ path: inPolicy(name), label: tenantsText.policies[name] },
    ...{ before: policy[name], after: policyIn(draft, name) },
  }));
  const numbers = Object.entries(quotas).map(([name, before]): Change => ({
    ...{ path: inQuotas(name), label: tenantsText.quotas[name] ?? name },
    ...{ before, after: draft[inQuotas(name)] },
  }));
  return [...policies, ...numbers].filter(
    ({ before, after }) => JSON.stringify(before) !== JSON.stringify(after),
  );
}

function policyIn(draft: Members, name: (typeof LISTS)[number] | 'may_loosen_guards'): unknown {
  if (name === 'may_loosen_guards') return draft[inPolicy(name)];
  if (draft[everything(name)] === true) return null;
  const lines = (draft[inPolicy(name)] as readonly string[])
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // What is no number is the service's to refuse, in its words.
  return name === 'allowed_local_asns'
    ? lines.map((line) => (/^\d+$/.test(line) ? Number(line) : line))
    : lines;
}

/** The draft on top of what somebody else has stored meanwhile: fields that were not touched follow that. */
export function rebased(draft: Members, before: Limits, now: Limits): Members {
  const touched = changesIn(before, draft).flatMap(({ path }) => [path, `${path}/everything`]);
  const own = Object.entries(draft).filter(([path]) => touched.includes(path));
  return { ...draftOf(now), ...Object.fromEntries(own) };
}

/** The body of a PATCH: what is not named stays. */
export function bodyOfChanges(changes: readonly Change[]): Members {
  const body: Record<string, Record<string, unknown>> = {};
  for (const { path, after } of changes) {
    const [part, name] = path.split('/') as [string, string];
    (body[part] ??= {})[name] = after;
  }
  return body;
}
