import { formatLines } from '../../core/prefix-format.ts';
import { FAMILIES } from '../../core/address.ts';
import type { RenderedFile, Renderer, RoutesModel } from '../speaker.ts';
import { refuseIdentity } from '../check.ts';
import { checkModel } from './check.ts';
import { render, type FrrPlace } from './render.ts';
import { linesOf } from './statements.ts';

/** Only the process that runs the builtin speaker knows where it listens. */
const UNKNOWN: FrrPlace = { feed: { address: '127.0.0.1', port: 1790 } };

/** The equivalent of FRR's own file, and the routes that the feed sends. */
export function frrRenderer(place: FrrPlace = UNKNOWN): Renderer {
  return {
    check: checkModel,
    render(model, routes) {
      if (refuseIdentity(model) !== null) return [];
      const { tag, statements } = render(model, routes, place);
      return [
        { path: `${tag}.conf`, content: `${linesOf(statements).join('\n')}\n`, isRoutes: false },
        feedFile(tag, routes),
      ];
    },
  };
}

function feedFile(tag: string, { table }: RoutesModel): RenderedFile {
  return {
    path: `${tag}.feed`,
    get content() {
      return FAMILIES.map((family) => Buffer.from(formatLines(table[family])).toString('latin1')).join('');
    },
    isRoutes: true,
  };
}
