import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { diffMapQuery } from '../../service/queries.ts';
import { mapText } from '../../strings/map.ts';
import { AddressMap } from '../../views/difference/AddressMap.tsx';
import { FamilySwitch } from '../../views/difference/FamilySwitch.tsx';
import { frameOf } from '../../views/difference/hilbert.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Section } from '../../views/page/Page.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';

const route = getRouteApi('/compare/$pair');

/** What the map is of where nobody has gone into a part. */
const WHOLE = '0.0.0.0/0';

interface CompareMapProps {
  readonly before: string;
  readonly after: string;
  /** The route that is selected in the rows. */
  readonly marked: string | undefined;
  readonly takesFocus: boolean;
}

/** The difference as a picture. What is chosen in it is what the rows show, and the row that is selected is marked in it. */
export function CompareMap({ before, after, marked, takesFocus }: CompareMapProps) {
  const { within } = route.useSearch();
  const navigate = useNavigate();
  const pair = `${before}...${after}`;
  return (
    <Section title={mapText.title} aside={<FamilySwitch within={within} />}>
      {within !== undefined && (
        <p>
          {mapText.only} <Prefix prefix={within} />{' '}
          <Link to="/compare/$pair" params={{ pair }} search={{ map: 'shown' }}>
            {mapText.all}
          </Link>
        </p>
      )}
      <Loaded query={useQuery(diffMapQuery(before, after, frameOf(within)))}>
        {(map) => (
          <AddressMap
            within={map.within}
            there={map.added}
            gone={map.removed}
            marked={marked}
            takesFocus={takesFocus}
            onOpen={(prefix) =>
              void navigate({
                to: '/compare/$pair',
                params: { pair },
                // Out of all that there is, nothing is left out, nor of the other family.
                search: prefix === WHOLE ? { map: 'shown' } : { map: 'shown', within: prefix },
              })
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
