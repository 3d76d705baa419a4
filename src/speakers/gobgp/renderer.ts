import { FAMILIES } from '../../core/address.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { RenderedFile, Renderer, RoutesModel } from '../speaker.ts';
import { refuseIdentity } from '../check.ts';
import { checkModel } from './check.ts';
import { wireTable } from './communities.ts';
import { configurationOf } from './configuration.ts';
import { renderToml } from './render-toml.ts';

/**
 * GoBGP is configured entirely over its API and reads no file of ours. The configuration is shown as the equivalent file, and the routes,
 * which GoBGP's files can't hold, as lines of a prefix and its communities.
 */
export const gobgpRenderer: Renderer = {
  check: checkModel,
  render(model, routes) {
    if (refuseIdentity(model) !== null) return [];
    const content = renderToml(model, configurationOf(model, routes));
    return [{ path: 'gobgpd.toml', content, isRoutes: false }, routesFile(routes)];
  },
};

function routesFile(routes: RoutesModel): RenderedFile {
  return {
    path: 'routes.txt',
    get content() {
      const table = wireTable(routes);
      const lines: string[] = [];
      for (const family of FAMILIES) {
        const rows = table[family];
        for (let row = 0; row < rows.size; row++)
          lines.push(`${[formatPrefixAt(rows, row), ...table.labelSets[rows.labels[row]!]!].join(' ')}\n`);
      }
      return lines.join('');
    },
    isRoutes: true,
  };
}
