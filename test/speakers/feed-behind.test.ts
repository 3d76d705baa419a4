import { afterEach, expect, it } from 'vitest';
import { FeedSession, feedSpeakerId } from '../../src/speakers/feed-session.ts';
import { loopbackAddress } from '../daemons/machine/ports.ts';
import { waitFor } from '../daemons/wait.ts';
import { bigTable, never, routesModel, startEngine } from './builtin/models.ts';
import { listenRaw, rawOpen } from './builtin/raw-peer.ts';

const ASN = 64_512;

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

it('a daemon that stopped reading has not been sent as many routes of other communities', async () => {
  const address = loopbackAddress();
  const raw = await listenRaw(address);
  stops.push(() => raw.close());
  const engine = await startEngine({ timeout: 100 });
  stops.push(() => engine.close(false));
  const feed = new FeedSession({
    ...{ driver: engine.driver(feedSpeakerId('one')), speakerId: 'one' },
    daemon: { address, port: raw.port },
    holdTime: 0,
  });
  await feed.configure(ASN);
  const size = 100_000;
  const loud = [1, 2].map((label) => routesModel(bigTable(size, [`65000:${label}`])));
  const first = feed.apply(loud[1]!, never);
  await waitFor(() => raw.calls.length === 1, { what: 'the call of the speaker' });
  const daemon = raw.calls[0]!;
  const capabilities = { ...rawOpen.capabilities, fourOctetAs: ASN };
  await daemon.establish({ asn: ASN, holdTime: 0, capabilities });
  await first;
  daemon.socket.pause();
  const becomesSlow = async (): Promise<string> => {
    await waitFor(async () => (await feed.status())!.lastError !== null, { what: 'the socket to be full' });
    return 'sent';
  };

  // Every route changes each time, until no socket's buffer takes any more. A busy machine looks like a full socket at times.
  let end: unknown = 'sent';
  for (let i = 0; i < 60 && end === 'sent'; i++) {
    const isFull = (await feed.status())!.lastError?.includes('reads slowly') === true;
    const signal = AbortSignal.timeout(isFull ? 1_000 : 20_000);
    const apply = feed.apply(loud[i % 2]!, signal).then(
      () => 'sent',
      (error: unknown) => error,
    );
    end = isFull ? await apply : await Promise.race([apply, becomesSlow()]);
  }
  expect(end).toMatchObject({ name: 'AbortError' });

  daemon.socket.resume();
  await feed.apply(loud[0]!, never);
  expect(await feed.status()).toMatchObject({ routesExported: size, lastError: null });
});
