import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../../service/client.ts';
import {
  communitiesQuery,
  modulesQuery,
  peersQuery,
  removedModulesQuery,
  revisionQuery,
  speakersQuery,
} from '../../service/queries.ts';
import { formerNameQuery } from '../../service/former-names.ts';
import { policiesQuery } from '../../service/host.ts';
import { text } from '../../strings/english.ts';

export interface Resource {
  readonly type: string;
  readonly id: string;
}

interface ResourceNames {
  /** As links to it call it, once they have read that. */
  readonly nameOf: (resource: Resource | null) => string;
  /** Reads how all of these are called: of a long list, few links are in the page. */
  readonly readNames: (resources: readonly (Resource | null)[]) => Promise<void>;
}

/** Revisions of a page of their list. */
const PAGE = 500;

/** How things are called that are known by their ids: rows are filtered, sorted and saved by what they show. */
export function useResourceNames(): ResourceNames {
  const queries = useQueryClient();
  const { data: modules } = useQuery(modulesQuery);
  const { data: peers } = useQuery(peersQuery);
  const { data: speakers } = useQuery(speakersQuery);
  const { data: communities } = useQuery(communitiesQuery);
  const lists: Readonly<Record<string, readonly Named[] | undefined>> = {
    ...{ module: modules, peer: peers, speaker: speakers, community: communities?.map(byValue) },
  };
  const pruned = useRef(new Set<string>());
  const revisionOf = (id: string) => queries.getQueryData(revisionQuery(id).queryKey);

  const nameOf = (resource: Resource | null): string => {
    if (resource === null) return '';
    const { type, id } = resource;
    if (type === 'settings') return text.navigation.settings;
    if (type === 'revision') {
      const revision = revisionOf(id);
      if (revision === undefined) return pruned.current.has(id) ? text.revisions.pruned : id;
      return text.revisions.numbered(revision.number);
    }
    const listed = type === 'maintenance_policy' ? queries.getQueryData(policiesQuery.queryKey) : lists[type];
    const removed = type === 'module' ? (queries.getQueryData(removedModulesQuery.queryKey) ?? []) : [];
    const known = [...(listed ?? []), ...removed].find((one) => one.id === id);
    return known?.name ?? queries.getQueryData(formerNameQuery(id).queryKey) ?? id;
  };

  const readRevisions = async (ids: ReadonlySet<string>): Promise<void> => {
    const missing = new Set([...ids].filter((id) => revisionOf(id) === undefined));
    if (missing.size === 0) return;
    for await (const revision of client.list('/v1/revisions', { params: { query: { limit: PAGE } } })) {
      if (!missing.delete(revision.id)) continue;
      queries.setQueryData(revisionQuery(revision.id).queryKey, revision);
      if (missing.size === 0) return;
    }
    for (const id of missing) pruned.current.add(id);
  };

  const readNames = async (resources: readonly (Resource | null)[]): Promise<void> => {
    const ids = (type: string): ReadonlySet<string> =>
      new Set(resources.flatMap((one) => (one?.type === type ? [one.id] : [])));
    await readRevisions(ids('revision'));
    if (ids('maintenance_policy').size > 0) await queries.ensureQueryData(policiesQuery);
    const isUnknown = ({ type, id }: Resource): boolean =>
      Object.hasOwn(lists, type) && nameOf({ type, id }) === id;
    const unknown = () => resources.filter((one) => one !== null && isUnknown(one)) as readonly Resource[];
    if (unknown().some(({ type }) => type === 'module')) await queries.ensureQueryData(removedModulesQuery);
    for (const id of new Set(unknown().map((one) => one.id)))
      await queries.ensureQueryData(formerNameQuery(id));
  };

  return { nameOf, readNames };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function byValue({ id, community }: { readonly id: string; readonly community: string }): Named {
  return { id, name: community };
}
