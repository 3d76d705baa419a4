/** Settings whose values are ids of a noun: its names are taken, shown and completed. */
import type { NounName } from './noun.ts';

export const NAMED_BY_SETTINGS: ReadonlyMap<string, NounName> = new Map([
  ['deploy_canary_speaker_ids', 'speaker'],
  ['default_community_id', 'community'],
]);
