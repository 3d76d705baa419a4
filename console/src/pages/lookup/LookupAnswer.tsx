import { Badge, type Tone } from '../../design/Badge.tsx';
import { Copy } from '../../design/Copy.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Chain } from './Chain.tsx';
import { WhyNot } from './WhyNot.tsx';

export function LookupAnswer({ lookup }: { lookup: Lookup }) {
  const { word, tone } = verdict(lookup);
  return (
    <article className="lookup-answer">
      <header>
        <h2>
          <code>{lookup.normalized}</code> <Copy value={lookup.normalized} />
        </h2>
        <Badge tone={tone}>{word}</Badge>
      </header>
      {word === text.lookup.unknown && <p className="muted">{text.lookup.unknownDetail}</p>}
      <Chain lookup={lookup} />
      {lookup.not_announced.length > 0 && <WhyNot reasons={lookup.not_announced} />}
    </article>
  );
}

function verdict({ announced, not_announced, matches }: Lookup): { word: string; tone: Tone } {
  if (announced.length > 0)
    return not_announced.length > 0
      ? { word: text.lookup.partly, tone: 'warning' }
      : { word: text.lookup.announced, tone: 'good' };
  return matches.length > 0 || not_announced.length > 0
    ? { word: text.lookup.notAnnounced, tone: 'bad' }
    : { word: text.lookup.unknown, tone: 'plain' };
}
