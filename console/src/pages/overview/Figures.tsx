import type { Module, Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { largestSent } from './AttentionList.tsx';
import './figures.css';

export function Figures({ modules, speakers }: { modules: readonly Module[]; speakers: readonly Speaker[] }) {
  const enabled = speakers.filter((speaker) => speaker.enabled);
  const sessions = enabled.flatMap(({ live }) => live?.sessions ?? []);
  const figures = [
    [text.overview.announced, formatNumber(largestSent(speakers))],
    [
      text.overview.sessions,
      text.overview.ofAll(sessions.filter(({ state }) => state === 'established').length, sessions.length),
    ],
    [
      text.overview.speakers,
      text.overview.ofAll(enabled.filter(({ live }) => live?.reachable === true).length, enabled.length),
    ],
    [
      text.overview.modules,
      text.overview.ofAll(modules.filter((module) => module.enabled).length, modules.length),
    ],
  ] as const;
  return (
    <dl className="figures" aria-label={text.overview.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="muted">{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
