import { text } from '../strings/english.ts';

/** Pages of the navigation, with the second key that goes there after `g`. */
export const PLACES = [
  { to: '/', name: text.navigation.overview, key: 'o' },
  { to: '/lookup', name: text.navigation.lookup, key: 'l' },
  { to: '/modules', name: text.navigation.modules, key: 'm' },
  { to: '/revisions', name: text.navigation.revisions, key: 'r' },
  { to: '/applies', name: text.navigation.applies, key: 'a' },
  { to: '/sessions', name: text.navigation.sessions, key: 's' },
] as const;
