import type { Module, Speaker } from '../../service/queries.ts';
import { largestSent } from '../../../../src/api/activity/attention.ts';
import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { Figures } from '../../design/shown/Figures.tsx';

export function CurrentFigures({
  modules,
  speakers,
}: {
  modules: readonly Module[];
  speakers: readonly Speaker[];
}) {
  const enabled = speakers.filter((speaker) => speaker.enabled);
  const sessions = enabled.flatMap(({ live }) => live?.sessions ?? []);
  const up = text.overview.ofAll(
    sessions.filter(({ state }) => state === 'established').length,
    sessions.length,
  );
  const silent = enabled.filter(({ live }) => live?.reachable !== true);
  const unknown = silent.filter((speaker) => !hasNoNode(speaker)).length;
  const on = text.overview.onOfAll(modules.filter((module) => module.enabled).length, modules.length);
  const held = modules.filter((module) => module.held !== null).length;
  const figures = [
    [text.overview.announced, formatNumber(largestSent(speakers))],
    [text.overview.sessions, unknown === 0 ? up : text.overview.unknownSessions(up, unknown)],
    [text.overview.speakers, text.overview.inReach(enabled.length - silent.length, enabled.length)],
    [text.overview.modules, held === 0 ? on : text.overview.heldModules(on, held)],
  ] as const;
  return <Figures label={text.overview.figures} figures={figures} />;
}
