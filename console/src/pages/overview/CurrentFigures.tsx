import type { Module, Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { Figures } from '../../views/Figures.tsx';
import { largestSent } from './AttentionList.tsx';

export function CurrentFigures({
  modules,
  speakers,
}: {
  modules: readonly Module[];
  speakers: readonly Speaker[];
}) {
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
  return <Figures label={text.overview.figures} figures={figures} />;
}
