import type { Renderer, RoutesModel, SpeakerModel } from '../speaker.ts';
import { checkModel, refuseIdentity } from './check.ts';
import { expectedRoutes } from '../exports/preview.ts';
import { RoutesVersion } from '../routes-version.ts';

/** The builtin speaker reads no file. Its settings and peers are shown as one, with the routes only counted. */
export const builtinRenderer: Renderer = {
  check: checkModel,
  render(model: SpeakerModel, routes: RoutesModel) {
    if (refuseIdentity(model) !== null) return [];
    const sent = expectedRoutes(model, new RoutesVersion(routes));
    const peers = model.peers.map((peer, index) => {
      const { routes: counts, limit } = sent[index]!;
      return { ...peer, routes: limit === null ? counts : null };
    });
    const shown = { ...model, peers };
    return [{ path: 'speaker.json', content: `${JSON.stringify(shown, null, 2)}\n`, isRoutes: false }];
  },
};
