import { formatNumber, formatShare } from './format.ts';

export const mapText = {
  title: 'Map',
  show: 'Map of the addresses',
  label: (within: string) => `Map of ${within}. Arrows walk over its parts.`,
  covered: (share: number) => `${formatShare(share)} announced`,
  changed: (come: number, gone: number) => `+${formatShare(come)} −${formatShare(gone)}`,
  come: 'announced',
  gone: 'withdrawn (chequered)',
  out: 'Zoom out',
  keys: 'Arrows walk, Home goes to the selected route, Enter goes in, Backspace out.',
  keysDeep:
    'Arrows walk, Home goes to the selected route, Enter shows the routes of a part, Backspace goes out.',
  family: 'Family',
  only: 'Only in',
  all: 'Show all',
  listed: (routes: number) =>
    `The first ${formatNumber(routes)} are listed. The map (m) leads to those of a part of the addresses.`,
} as const;
