import { useQuery, useQueryClient } from '@tanstack/react-query';
import { modulesQuery, peersQuery, revisionQuery, speakersQuery } from '../../service/queries.ts';
import { formerNameQuery } from '../../service/former-names.ts';
import { text } from '../../strings/english.ts';

type NameOf = (resource: { readonly type: string; readonly id: string } | null) => string;

/** How things are called that are known by their ids: rows are filtered, sorted and saved by what they show. */
export function useResourceNames(): NameOf {
  const queries = useQueryClient();
  const { data: modules } = useQuery(modulesQuery);
  const { data: peers } = useQuery(peersQuery);
  const { data: speakers } = useQuery(speakersQuery);
  const lists: Readonly<
    Record<string, readonly { readonly id: string; readonly name: string }[] | undefined>
  > = {
    ...{ module: modules, peer: peers, speaker: speakers },
  };
  return (resource) => {
    if (resource === null) return '';
    const { type, id } = resource;
    // As the links to them have read it.
    if (type !== 'revision')
      return (
        lists[type]?.find((one) => one.id === id)?.name ??
        queries.getQueryData(formerNameQuery(id).queryKey) ??
        id
      );
    const revision = queries.getQueryData(revisionQuery(id).queryKey);
    return revision === undefined ? id : text.revisions.numbered(revision.number);
  };
}
