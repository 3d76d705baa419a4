import { useQuery } from '@tanstack/react-query';
import { communitiesQuery, speakersQuery } from '../../service/queries.ts';
import { peerFields } from '../../views/forms/speaker-fields.ts';

/** The fields of a peer, with the speakers and communities that there are. */
export function usePeerFields() {
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  return peerFields(
    speakers.map(({ id, name }) => ({ value: id, label: name })),
    communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
  );
}
