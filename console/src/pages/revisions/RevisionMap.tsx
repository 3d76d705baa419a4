import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { revisionMapQuery, type Revision } from '../../service/queries.ts';
import { mapText } from '../../strings/map.ts';
import { AddressMap } from '../../views/difference/AddressMap.tsx';
import { FamilySwitch } from '../../views/difference/FamilySwitch.tsx';
import { frameOf } from '../../views/difference/hilbert.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Section } from '../../views/page/Page.tsx';

const route = getRouteApi('/revisions/$revision');

interface RevisionMapProps {
  readonly revision: Revision;
  readonly takesFocus: boolean;
}

/** What a revision announces, as a picture. What is zoomed into is in the address. */
export function RevisionMap({ revision: { id }, takesFocus }: RevisionMapProps) {
  const { within } = route.useSearch();
  const { revision: name } = route.useParams();
  const navigate = useNavigate();
  return (
    <Section title={mapText.title} aside={<FamilySwitch within={within} />}>
      <Loaded query={useQuery(revisionMapQuery(id, frameOf(within)))}>
        {(map) => (
          <AddressMap
            within={map.within}
            there={map.covered}
            marked={undefined}
            takesFocus={takesFocus}
            onOpen={(prefix) =>
              void navigate({
                to: '/revisions/$revision',
                params: { revision: name },
                search: { map: 'shown', within: prefix },
              })
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
