import type { RenderedFile, Renderer } from '../speaker.ts';
import { checkModel } from './check.ts';
import { changesBetween, linesOf, type NetworkList } from './networks.ts';
import { emptyTable } from '../../core/tables/prefix-table.ts';
import { render } from './render.ts';

/** The file of OpenBGPD's configuration that is ours, and its networks, with a file for each mark. */
export const openbgpdRenderer: Renderer = {
  check: checkModel,
  render(model, routes) {
    return [
      { path: 'prefixcast.conf', content: render(model, routes).text, isRoutes: false },
      ...changesBetween(emptyTable(), routes).add.map(networksFile),
    ];
  },
};

function networksFile({ mark, lists }: NetworkList): RenderedFile {
  return {
    path: `networks/${mark.replaceAll(':', '-')}.txt`,
    get content() {
      return Buffer.concat([...linesOf(lists)]).toString('latin1');
    },
    isRoutes: true,
  };
}
