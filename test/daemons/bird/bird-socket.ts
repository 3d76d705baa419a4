import { connect } from 'node:net';
import { PATIENCE_MS } from '../wait.ts';

/** One line of BIRD's answer: its code, and the text behind it. */
export interface ReplyLine {
  code: number;
  text: string;
}

/**
 * Asks BIRD over its control socket and reads the whole answer. A code of 8000 or more is an error and rejects with
 * BIRD's words. Lines: `NNNN-text` when more follow, `NNNN text` for the last; a leading blank repeats the code.
 */
export function askBird(socketPath: string, command: string, timeoutMs = PATIENCE_MS): Promise<ReplyLine[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const lines: ReplyLine[] = [];
    let rest = '';
    let code = 0;
    let greeted = false;
    const finish = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve(lines);
      else reject(error);
    };
    const takeLine = (line: string): void => {
      if (line.startsWith('+')) return;
      const repeats = line.startsWith(' ');
      if (!repeats) code = Number(line.slice(0, 4));
      const isLast = !repeats && line.charAt(4) === ' ';
      const text = repeats ? line.slice(1) : line.slice(5);
      if (!greeted) {
        greeted = true;
        socket.write(`${command}\n`);
      } else if (code >= 8000 && isLast) {
        finish(new Error(`BIRD answers "${command}" with ${code} ${text}`));
      } else {
        lines.push({ code, text });
        if (isLast) finish();
      }
    };
    socket.setEncoding('latin1');
    socket.setTimeout(timeoutMs, () => {
      finish(new Error(`BIRD did not answer "${command}" within ${timeoutMs} ms`));
    });
    socket.on('error', finish);
    socket.on('close', () => {
      finish(new Error(`BIRD closed its socket before the answer to "${command}" was complete`));
    });
    socket.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop()!;
      for (const line of parts) takeLine(line);
    });
  });
}
