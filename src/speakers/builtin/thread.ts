/** Entry of the speaker thread: requests in, answers and reports out. */
import { parentPort, workerData } from 'node:worker_threads';
import { SpeakerError } from '../speaker.ts';
import { Hub } from './hub.ts';
import type { Report, Request, ThreadOptions } from './protocol.ts';

const port = parentPort;
if (port === null) throw new Error('thread.ts is the entry of a worker thread; start it with new Worker(…)');

const report = (message: Report): void => port.postMessage(message);
const hub = new Hub(workerData as ThreadOptions, report);

port.on('message', ({ id, command }: Request) => {
  hub.execute(command).then(
    (value) => report({ type: 'answer', id, value }),
    (error: unknown) => {
      const code = error instanceof SpeakerError ? error.code : 'speaker_failed';
      report({ type: 'failure', id, code, message: error instanceof Error ? error.message : String(error) });
    },
  );
});
report({ type: 'ready' });
