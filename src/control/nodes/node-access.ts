import { notFound } from '../../api/problems/problem.ts';
import type { ControlContext } from '../context.ts';

/**
 * The id of the speaker, when the caller is its node.
 * @throws {Problem} `not_found` for every other one, in the words for one that does not exist
 */
export function ownSpeaker({ speakerId }: Pick<ControlContext, 'speakerId'>, asked: string): string {
  if (speakerId === null || speakerId !== asked.toLowerCase()) throw notFound('speaker', asked);
  return speakerId;
}
