import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { holdersQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { planText } from '../../strings/plan.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { Loaded } from '../page/Loaded.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import './cover.css';

type Costs = Pick<Schemas['PeerEffect'], 'fitted' | 'unfitted' | 'unfitted_cost'>;

/** What a cover for the peer costs, or why it is sent none and what that would cost. */
export function PeerCover({ of: { fitted, unfitted, unfitted_cost: refused } }: { of: Costs }) {
  // What is kept of a cover costs nothing that is not allowed already.
  const cost = unfitted === null ? fitted : refused;
  return (
    <>
      {unfitted !== null && <p>{planText.unfitted(inWordsOfThePages(unfitted))}</p>}
      {cost !== null && <Cover cost={cost} isExplained={unfitted !== null} />}
    </>
  );
}

interface CoverProps {
  readonly cost: NonNullable<Costs['fitted']>;
  /** How much it is stands there already. */
  readonly isExplained: boolean;
}

/** What fitting adds to a list, and on demand who holds the most of it. */
function Cover({ cost, isExplained }: CoverProps) {
  const [isAsked, setAsked] = useState(false);
  const families = (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const one = cost[family];
    return one === null ? [] : [{ family, ...one }];
  });
  const prefixes = families.flatMap(({ added_prefixes = [] }) => added_prefixes);
  if (families.length === 0) return null;
  return (
    <div className="cover">
      {!isExplained &&
        families
          .map(({ family, added_addresses: added, added_percent: percent }) =>
            planText.fitted(text.families[family], formatNumber(BigInt(added)), formatNumber(percent)),
          )
          .join('; ')}{' '}
      {prefixes.length > 0 && (
        <Button look="quiet" aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
          {planText.holders}
        </Button>
      )}
      {isAsked && <Holders prefixes={prefixes} />}
    </div>
  );
}

function Holders({ prefixes }: { prefixes: readonly string[] }) {
  return (
    <Loaded query={useQuery(holdersQuery(prefixes))} what={planText.asking}>
      {({ items, source }) => (
        <ul className="cover-holders">
          {items.map(({ prefix, origins }) => (
            <li key={prefix}>
              <Prefix prefix={prefix} />{' '}
              {origins.length === 0
                ? planText.nobody
                : origins.map(({ asn, name, range }) => planText.origin(asn, name, range)).join('; ')}
            </li>
          ))}
          <li>{planText.askedAt(source)}</li>
        </ul>
      )}
    </Loaded>
  );
}
