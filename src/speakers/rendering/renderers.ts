/** The pure half of every daemon, to show a configuration without the daemon. */
import { birdRenderer } from '../bird/renderer.ts';
import { builtinRenderer } from '../builtin/renderer.ts';
import { frrRenderer } from '../frr/renderer.ts';
import { gobgpRenderer } from '../gobgp/renderer.ts';
import { openbgpdRenderer } from '../openbgpd/renderer.ts';
import type { Daemon } from '../../api/speakers/speakers.ts';
import type { Renderer } from '../speaker.ts';

/** Null: no speaker can use the daemon yet. */
export const renderers: Readonly<Record<Daemon, Renderer | null>> = {
  builtin: builtinRenderer,
  bird: birdRenderer(),
  frr: frrRenderer(),
  gobgp: gobgpRenderer,
  openbgpd: openbgpdRenderer,
};
