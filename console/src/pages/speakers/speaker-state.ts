import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import type { Tone } from '../../design/shown/Badge.tsx';
import type { Speaker } from '../../service/queries.ts';
import { speakersText } from '../../strings/speakers.ts';

export function speakerState(speaker: Speaker): { word: string; tone: Tone } {
  const { enabled, live } = speaker;
  if (!enabled) return { word: speakersText.off, tone: 'plain' };
  if (hasNoNode(speaker)) return { word: speakersText.notEnrolled, tone: 'warning' };
  return live?.reachable === true
    ? { word: speakersText.reachable, tone: 'good' }
    : { word: speakersText.unreachable, tone: 'bad' };
}
