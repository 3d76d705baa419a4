import type { RenderedFile, Renderer } from '../speaker.ts';
import { refuseRouterId } from '../check.ts';
import { checkModel } from './config/check.ts';
import { DEFAULT_FEED } from './config/render-feed.ts';
import { render, routesPath, type RenderOptions } from './config/render.ts';
import { renderRoutes, type RouteGroup } from './config/route-groups.ts';
import { seal } from './config/sealed-text.ts';

/** Only the process that drives BIRD knows its directory and ports. */
const UNKNOWN: RenderOptions = { directory: '.', port: 179, strictBind: false, feed: DEFAULT_FEED };

/** The files of the directory that is ours. */
export function birdRenderer(options: RenderOptions = UNKNOWN): Renderer {
  return {
    check: checkModel,
    render(model, routes) {
      if (refuseRouterId(model) !== null) return [];
      const { tag, head, groups } = render(model, routes, options);
      return [
        { path: `${tag}.conf`, content: head, isRoutes: false },
        ...groups.map((group) => routesFile(group)),
      ];
    },
  };
}

function routesFile(group: RouteGroup): RenderedFile {
  return {
    path: routesPath('.', group).slice(2),
    get content() {
      return seal(Buffer.from(renderRoutes(group)).toString('latin1'));
    },
    isRoutes: true,
  };
}
