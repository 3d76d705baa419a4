import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { useMay } from '../../service/permissions.ts';
import { lookupQuery, type Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { chainText, excludeText } from '../../strings/lookup.ts';
import { Chain } from './Chain.tsx';
import { History } from './History.tsx';
import { useKnown, verdictOf } from './verdict.ts';
import { WhyNot } from './WhyNot.tsx';

/** Seldom needed. */
const ExcludeDialog = lazy(async () => ({ default: (await import('./ExcludeDialog.tsx')).ExcludeDialog }));

export function LookupAnswer({ lookup }: { lookup: Lookup }) {
  const knownOf = useKnown();
  const known = knownOf(lookup);
  const { word, tone } = verdictOf(lookup, known);
  const { missing = null, address = null } = lookup.coverage ?? {};
  // An answer about a prefix has the reasons of its first address, which may be announced.
  const ofGap = useQuery({ ...lookupQuery(address ?? ''), enabled: address !== null });
  const explained = address === null ? lookup : ofGap.isPlaceholderData ? undefined : ofGap.data;
  const reasons = explained?.not_announced ?? [];
  const besides = explained === undefined ? [] : knownOf(explained).besides;
  return (
    <article className="lookup-answer">
      <header>
        <h2>
          <code>{lookup.normalized}</code> <Copy value={lookup.normalized} />
        </h2>
        <Badge tone={tone}>{word}</Badge>
        {lookup.kind !== 'fqdn' && lookup.announced.length > 0 && <Exclude prefix={lookup.normalized} />}
      </header>
      {word === text.lookup.unknown && (
        <p className="muted">
          {lookup.kind === 'fqdn' ? chainText.nameGone : text.lookup.unknownDetail} {chainText.addTo}{' '}
          <Link to="/modules">{text.navigation.modules}</Link>
        </p>
      )}
      {missing !== null && lookup.coverage?.state === 'part' && (
        <p>
          {chainText.missing(missing)}{' '}
          {address !== null && reasons.length > 0 && chainText.reasonsOf(address)}
        </p>
      )}
      <Chain lookup={lookup} />
      {reasons.length > 0 && <WhyNot reasons={reasons} besides={besides} isOfName={lookup.kind === 'fqdn'} />}
      {lookup.kind !== 'fqdn' && <History prefix={lookup.normalized} />}
    </article>
  );
}

/** The way to have it announced no more, whichever lists have it. */
function Exclude({ prefix }: { prefix: string }) {
  const [isAsking, setAsking] = useState(false);
  const may = useMay();
  const ask = may('bgp:lists:write') && may('bgp:revisions:write') ? () => setAsking(true) : null;
  useShortcut('x', excludeText.action, ask);
  if (ask === null) return null;
  return (
    <>
      <Button onClick={ask}>{excludeText.action}</Button>
      {isAsking && (
        <Suspense>
          <ExcludeDialog prefix={prefix} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
