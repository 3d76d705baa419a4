import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { chainText } from '../../strings/lookup.ts';
import { Chain } from './Chain.tsx';
import { History } from './History.tsx';
import { useKnown, verdictOf } from './verdict.ts';
import { WhyNot } from './WhyNot.tsx';

export function LookupAnswer({ lookup }: { lookup: Lookup }) {
  const known = useKnown()(lookup);
  const { word, tone } = verdictOf(lookup, known);
  return (
    <article className="lookup-answer">
      <header>
        <h2>
          <code>{lookup.normalized}</code> <Copy value={lookup.normalized} />
        </h2>
        <Badge tone={tone}>{word}</Badge>
      </header>
      {word === text.lookup.unknown && (
        <p className="muted">
          {text.lookup.unknownDetail} {chainText.addTo} <Link to="/modules">{text.navigation.modules}</Link>
        </p>
      )}
      <Chain lookup={lookup} />
      {lookup.not_announced.length > 0 && <WhyNot reasons={lookup.not_announced} besides={known.besides} />}
      {lookup.kind !== 'fqdn' && <History prefix={lookup.normalized} />}
    </article>
  );
}
