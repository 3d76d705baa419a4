import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Peer } from '../../../src/speakers/builtin/peer.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import { ReadingTurns } from '../../../src/speakers/builtin/reading-turns.ts';
import { Scheduler } from '../../../src/speakers/builtin/scheduler.ts';
import { SoleSessions } from '../../../src/speakers/builtin/sole-sessions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, peerModel, routesModel, speakerModel } from './models.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('a peer that was waited for in vain keeps none of these routes in memory', async () => {
  const model = peerModel({ address: '127.0.0.1' });
  const version = (): RoutesVersion => new RoutesVersion(routesModel(bigTable(1_000, ['65000:1'])));
  const peer = new Peer({
    ...{ speaker: speakerModel([model]), model, routes: version(), restarting: false },
    ...{
      scheduler: new Scheduler(),
      reading: new ReadingTurns(),
      soleSessions: new SoleSessions(),
      onChange: () => undefined,
    },
  });
  const waitInVain = (): WeakRef<RoutesVersion> => {
    const routes = version();
    peer.noteWaiting(routes.number);
    return new WeakRef(routes);
  };
  const routes = waitInVain();
  const isGone = async (): Promise<boolean> => {
    await turn();
    collect();
    return routes.deref() === undefined;
  };
  await waitFor(isGone, { what: 'the routes to be let go', timeoutMs: 10_000 });
  expect(peer.versions).toEqual([]);
});
