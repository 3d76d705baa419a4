// Models that use all that BIRD's configuration can say, and BIRD's own parser for what is rendered of them.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_FEED } from '../../../src/speakers/bird/config/render-feed.ts';
import { render, routesPath, type Configuration } from '../../../src/speakers/bird/config/render.ts';
import { renderRoutes } from '../../../src/speakers/bird/config/route-groups.ts';
import { seal } from '../../../src/speakers/bird/config/sealed-text.ts';
import type { RoutesModel, SpeakerModel } from '../../../src/speakers/speaker.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath } from '../../daemons/programs.ts';
import { peerModel, routesModel, speakerModel, tableOf } from '../builtin/models.ts';

export const OPTIONS = {
  directory: '/etc/bird/prefixcast',
  port: 179,
  strictBind: false,
  feed: DEFAULT_FEED,
};

/** One peer of default settings, two communities. */
export const plain = {
  model: speakerModel([peerModel({ address: '192.0.2.1', id: 'edge-1', localAddress: null })]),
  routes: routesModel(
    tableOf({ '11.0.0.0/8': ['65000:1'], '12.0.0.0/9': ['65000:1'], '12.128.0.0/9': ['65000:2'] }),
  ),
};

/** Both families, every kind of community, next hops at every place, and each setting of a peer in turn. */
export const everything = {
  model: speakerModel(
    [
      peerModel({ address: '192.0.2.1', id: 'all', families: ['ipv4', 'ipv6'], nextHopIpv4: '203.0.113.9' }),
      peerModel({
        ...{ address: '2001:db8::1', id: 'some', localAddress: '2001:db8::2', families: ['ipv4', 'ipv6'] },
        ...{ labels: ['65000:1', '65000:1:2', 'blackhole'], maxPrefixesOut: 100, multihop: 3 },
      }),
      peerModel({
        ...{ address: '192.0.2.3', id: 'internal', remoteAsn: 64512, passive: true, port: 1790 },
        ...{ password: `#it's; } a secret \\`, bfd: true, gracefulRestart: false, holdTime: 0 },
      }),
      peerModel({ address: '192.0.2.4', id: 'nothing', labels: [], localAsn: 64999, holdTime: 9 }),
    ],
    { localIpv4: '192.0.2.100' },
  ),
  routes: {
    ...routesModel(
      tableOf({
        '11.0.0.0/8': [],
        '12.0.0.0/9': ['65000:1'],
        '12.128.0.0/9': ['65000:1', '65000:2'],
        '13.0.0.0/8': ['65000:1:2', '4200000000:7:8'],
        '2001:db8:1::/48': ['65000:1', '65000:1:2'],
        '2001:db8:2::/48': ['blackhole', 'no-export'],
      }),
      { noExport: true },
    ),
    labels: {
      '65000:1': { community: '65000:1', nextHopIpv4: '203.0.113.1', nextHopIpv6: '2001:db8:ff::1' },
      '65000:1:2': { community: '65000:1:2', nextHopIpv4: '203.0.113.2', nextHopIpv6: null },
      '65000:2': { community: '65000:2', nextHopIpv4: null, nextHopIpv6: null },
    },
  } satisfies RoutesModel,
};

/** Every file of a configuration, by its path. */
export function filesOf({ tag, head, groups }: Configuration, directory: string): Map<string, string> {
  const files = new Map([[`${directory}/${tag}.conf`, head]]);
  for (const group of groups)
    files.set(routesPath(directory, group), seal(Buffer.from(renderRoutes(group)).toString('latin1')));
  return files;
}

export interface Parser {
  readonly directory: string;
  /** Has `bird -p` read what is rendered of the models. Rejects with BIRD's words. */
  accept(model: SpeakerModel, routes: RoutesModel): Promise<void>;
  /** Has `bird -p` read a configuration that is written already. */
  parse(text: string): Promise<void>;
}

/** The real BIRD, in a directory of its own. */
export function startParser(): Parser {
  const home = daemonDirectory('parse');
  const main = join(home, 'bird.conf');
  const directory = join(home, 'ours');
  const parse = async (text: string): Promise<void> => {
    writeFileSync(main, `router id 192.0.2.2;\nprotocol device {}\n${text}\n`);
    await promisify(execFile)(programPath('bird'), ['-p', '-c', main]).catch((error: unknown) => {
      throw new Error(String((error as { stderr?: string }).stderr ?? error));
    });
  };
  return {
    directory,
    parse,
    async accept(model, routes) {
      mkdirSync(join(directory, 'routes'), { recursive: true });
      const configuration = render(model, routes, { ...OPTIONS, directory });
      for (const [path, text] of filesOf(configuration, directory)) writeFileSync(path, text);
      await parse(`include "${directory}/${configuration.tag}.conf";`);
    },
  };
}
