/** Policies of the speaker in GoBGP: they are added as a whole, put in front of all others, and replaced in one step. */
import { SpeakerError } from '../speaker.ts';
import type { GobgpApi } from './api.ts';
import type { Configuration, Policies } from './configuration.ts';
import type { AssignmentMessage, DefinedSetMessage, PolicyDirection, PolicyMessage } from './messages.ts';
import { ownerName, speakerNamed, tagOf } from './names.ts';

/** GoBGP's name for the policies of its one table. */
const GLOBAL = 'global';
const DIRECTIONS: readonly PolicyDirection[] = ['IMPORT', 'EXPORT'];

export type Assignments = Readonly<Record<PolicyDirection, AssignmentMessage>>;

const OWNER_TYPE = 'LARGE_COMMUNITY';

/** The configuration with a set that names the owner of the speaker. */
export function owned(configuration: Configuration, serviceId: string, speakerId: string): Configuration {
  const name = ownerName(serviceId, speakerId);
  const owner: DefinedSetMessage = { definedType: OWNER_TYPE, name, list: [`^${configuration.mark}$`] };
  return { ...configuration, sets: [...configuration.sets, owner] };
}

/** The assignments of a GoBGP without policies. */
export const noAssignments: Assignments = {
  IMPORT: { name: GLOBAL, direction: 'IMPORT', policies: [], defaultAction: 'ACCEPT' },
  EXPORT: { name: GLOBAL, direction: 'EXPORT', policies: [], defaultAction: 'ACCEPT' },
};

export async function readAssignments(api: GobgpApi): Promise<Assignments> {
  const read = async (direction: PolicyDirection): Promise<AssignmentMessage> => {
    const answers = await api.listAll<{ assignment: AssignmentMessage }>('ListPolicyAssignment', {
      name: GLOBAL,
      direction,
    });
    return answers[0]?.assignment ?? noAssignments[direction];
  };
  return { IMPORT: await read('IMPORT'), EXPORT: await read('EXPORT') };
}

/** The speakers whose policies GoBGP follows, by their tags. */
function speakersOf(assignments: Assignments): string[] {
  const names = DIRECTIONS.flatMap((direction) => assignments[direction].policies.map(({ name }) => name));
  return [...new Set(names.flatMap((name) => tagOf(name) ?? []))];
}

/** The speaker's policies that GoBGP follows and whose sets exist; null: it follows none, or not both. */
export function policiesOf(assignments: Assignments, tag: string): Policies | null {
  const [importPolicy, exportPolicy] = DIRECTIONS.map((direction) =>
    assignments[direction].policies.find(({ name }) => tagOf(name) === tag),
  );
  if (importPolicy === undefined || exportPolicy === undefined) return null;
  return { sets: [], importPolicy, exportPolicy };
}

/** Whether GoBGP follows exactly these policies of the speaker. */
export function isAssigned(assignments: Assignments, configuration: Configuration): boolean {
  return DIRECTIONS.every(
    (direction) => assignments[direction].policies[0]?.name === inDirection(configuration, direction).name,
  );
}

/** Makes GoBGP follow the policies. Other policies keep their order behind ours and their default action. */
export async function assignPolicies(
  api: GobgpApi,
  assignments: Assignments,
  configuration: Configuration,
): Promise<void> {
  const known = await definedNames(api, configuration.tag);
  for (const set of configuration.sets) {
    if (!known.sets.some(({ name }) => name === set.name))
      await api.call('AddDefinedSet', { definedSet: set });
  }
  for (const direction of DIRECTIONS) {
    const policy = inDirection(configuration, direction);
    if (!known.policies.includes(policy.name)) await api.call('AddPolicy', { policy });
    await assign(api, assignments[direction], configuration.tag, [policy.name]);
  }
}

/** Removes the speaker's objects that are not in this configuration; null: all of them. */
export async function sweepPolicies(
  api: GobgpApi,
  tag: string,
  configuration: Configuration | null,
): Promise<void> {
  const known = await definedNames(api, tag);
  const keptPolicies = DIRECTIONS.map((direction) =>
    configuration === null ? null : inDirection(configuration, direction).name,
  );
  const keptSets = configuration?.sets.map(({ name }) => name) ?? [];
  for (const name of known.policies) {
    if (!keptPolicies.includes(name)) await api.call('DeletePolicy', { policy: { name }, all: true });
  }
  for (const set of known.sets) {
    if (!keptSets.includes(set.name)) await api.call('DeleteDefinedSet', { definedSet: set, all: true });
  }
}

/** Whether policies that this configuration replaced are left: then the steps after the replacement may not have happened. */
export async function hasReplaced(api: GobgpApi, configuration: Configuration): Promise<boolean> {
  const known = await definedNames(api, configuration.tag);
  const wanted = DIRECTIONS.map((direction) => inDirection(configuration, direction).name);
  return known.policies.some((name) => !wanted.includes(name));
}

export async function unassignPolicies(api: GobgpApi, assignments: Assignments, tag: string): Promise<void> {
  for (const direction of DIRECTIONS) {
    const assignment = assignments[direction];
    if (assignment.policies.some(({ name }) => tagOf(name) === tag)) await assign(api, assignment, tag, []);
  }
}

async function assign(
  api: GobgpApi,
  { direction, policies, defaultAction }: AssignmentMessage,
  tag: string,
  ours: readonly string[],
): Promise<void> {
  const others = policies.map(({ name }) => name).filter((name) => tagOf(name) !== tag);
  await api.call('SetPolicyAssignment', {
    assignment: {
      ...{ name: GLOBAL, direction, defaultAction },
      policies: [...ours, ...others].map((name) => ({ name })),
    },
  });
}

function inDirection({ importPolicy, exportPolicy }: Policies, direction: PolicyDirection): PolicyMessage {
  return direction === 'IMPORT' ? importPolicy : exportPolicy;
}

async function definedNames(
  api: GobgpApi,
  tag: string,
): Promise<{ sets: DefinedSetMessage[]; policies: string[] }> {
  const sets: DefinedSetMessage[] = [];
  for (const definedType of ['NEIGHBOR', 'COMMUNITY', 'LARGE_COMMUNITY'] as const) {
    const answers = await api.listAll<{ definedSet: DefinedSetMessage }>('ListDefinedSet', { definedType });
    sets.push(...answers.map(({ definedSet }) => definedSet).filter(({ name }) => tagOf(name) === tag));
  }
  const answers = await api.listAll<{ policy: PolicyMessage }>('ListPolicy', {});
  const policies = answers.map(({ policy: { name } }) => name).filter((name) => tagOf(name) === tag);
  return { sets, policies };
}

/** Ids of the speakers in GoBGP that belong to the service. */
export async function speakersLeft(api: GobgpApi, serviceId: string): Promise<string[]> {
  const answers = await api.listAll<{ definedSet: DefinedSetMessage }>('ListDefinedSet', {
    definedType: OWNER_TYPE,
  });
  return answers.flatMap(({ definedSet: { name } }) => speakerNamed(name, serviceId) ?? []);
}

/** @throws {SpeakerError} when GoBGP holds another speaker: it has one table, whose best routes all peers are sent */
export function refuseOthers(assignments: Assignments, tag: string): void {
  const other = speakersOf(assignments).find((one) => one !== tag);
  if (other !== undefined)
    throw new SpeakerError(
      'daemon_taken',
      `this GoBGP holds another speaker already (its policies begin with ${other}), and has one table for all: give this speaker a GoBGP of its own, or delete the other one; what a deleted speaker left behind goes when gobgpd is restarted`,
    );
}
