/** Every daemon's pure half, for whoever wants to see what it would be told without having it at hand. */
import { birdRenderer } from '../bird/renderer.ts';
import { builtinRenderer } from '../builtin/renderer.ts';
import { frrRenderer } from '../frr/renderer.ts';
import { gobgpRenderer } from '../gobgp/renderer.ts';
import { openbgpdRenderer } from '../openbgpd/renderer.ts';
import type { Daemon } from '../../api/speakers/speakers.ts';
import type { Renderer } from '../speaker.ts';

/** Null: no speaker can have the daemon yet. */
export const renderers: Readonly<Record<Daemon, Renderer | null>> = {
  builtin: builtinRenderer,
  bird: birdRenderer(),
  frr: frrRenderer(),
  gobgp: gobgpRenderer,
  openbgpd: openbgpdRenderer,
};
