import type { Schemas } from '@prefixcast/client';
import type { DiffSummary } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import './counts.css';

/** Prefixes by family. */
export function FamilyCounts({ counts }: { counts: Schemas['PrefixCount'] }) {
  return (
    <span className="counts number">
      <span>
        {formatNumber(counts.ipv4)} <abbr className="ipv4">v4</abbr>
      </span>
      <span>
        {formatNumber(counts.ipv6)} <abbr className="ipv6">v6</abbr>
      </span>
    </span>
  );
}

/** Routes that are new, gone, and changed. */
export function ChangeCounts({ summary }: { summary: DiffSummary }) {
  return (
    <span className="counts number">
      {(['announced', 'withdrawn', 'changed'] as const).map((change) => (
        <span key={change} className={summary[change] === 0 ? 'muted' : `change-${change}`}>
          {text.changeSigns[change]}
          {formatNumber(summary[change])} <span className="change-word">{text.changes[change]}</span>
        </span>
      ))}
    </span>
  );
}
