import { execFile, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { daemonDirectory, spawnDaemon, tail } from './process.ts';
import { programPath, requireDaemon, unavailable } from './programs.ts';
import { waitFor } from './wait.ts';

/** A packet that tshark finds fault with. */
export interface MalformedPacket {
  frame: number;
  /** `address:port` of the sender. */
  from: string;
  /** tshark's own words. */
  message: string;
}

export interface CaptureResult {
  /** Packets whose BGP is malformed, or that tshark reports an error for. */
  malformed: MalformedPacket[];
  /** How many BGP messages were seen, so that "none is malformed" says something. */
  messages: { open: number; update: number; notification: number; keepalive: number; routeRefresh: number };
  /** Packets the kernel could not hand over in time; the rest of the result is about what was left. */
  dropped: number;
}

export interface Capture {
  /** The pcap file; gone after `stop`. */
  readonly path: string;
  /** Ends the capture and has tshark read it. */
  stop(): Promise<CaptureResult>;
}

export interface CaptureOptions {
  /** TCP ports of BGP; whichever end has one, the packet is captured and read as BGP. */
  ports: readonly number[];
  /** Default `lo`. */
  interface?: string;
  netns?: string;
}

const run = promisify(execFile);

/** The path of tshark, or null (loudly; in CI an error) where packets can't be captured: that takes root. */
export function requireTshark(): string | null {
  const path = requireDaemon('tshark');
  if (path === null) return null;
  // Listing the link types opens the interface, which is what takes the right.
  const mayCapture = spawnSync(programPath('dumpcap'), ['-i', 'lo', '-L']).status === 0;
  return mayCapture
    ? path
    : unavailable('tshark', 'capturing packets takes root (or dumpcap with CAP_NET_RAW)');
}

/** Starts to capture; returns once every packet from now on is caught. */
export async function startCapture(options: CaptureOptions): Promise<Capture> {
  const directory = daemonDirectory('tshark');
  const path = join(directory, 'capture.pcap');
  const filter = options.ports.map((port) => `tcp port ${port}`).join(' or ');
  // 64 MB of kernel buffer: a table of routes comes in a burst, and a dropped packet would hide a fault.
  const args = ['-i', options.interface ?? 'lo', '-f', filter, '-B', '64', '-P', '-w', path];
  const dumpcap = spawnDaemon(programPath('dumpcap'), args, { directory, netns: options.netns });
  const details = (): string => tail(dumpcap.log());
  try {
    await waitFor(() => dumpcap.exited || dumpcap.log().includes('File: '), {
      what: 'dumpcap to start',
      details,
    });
    if (dumpcap.exited) throw new Error(`dumpcap did not start:\n${details()}`);
  } catch (error) {
    await dumpcap.stop();
    throw error;
  }

  return {
    path,
    async stop() {
      try {
        await settled(path);
        dumpcap.kill('SIGINT');
        await waitFor(() => dumpcap.exited, { what: 'dumpcap to end', details });
        const dropped = Number(
          /received\/dropped on interface .*?: \d+\/(\d+)/.exec(dumpcap.log())?.[1] ?? 0,
        );
        return { ...(await readCapture(path, options.ports)), dropped };
      } finally {
        await dumpcap.stop();
      }
    },
  };
}

/** Has tshark read a pcap file as BGP on these ports. */
async function readCapture(path: string, ports: readonly number[]): Promise<Omit<CaptureResult, 'dropped'>> {
  const asBgp = ports.flatMap((port) => ['-d', `tcp.port==${port},bgp`]);
  const read = async (...args: string[]): Promise<string[][]> => {
    const line = [
      '-n',
      '-r',
      path,
      ...asBgp,
      '-T',
      'fields',
      '-E',
      'separator=/t',
      '-E',
      'occurrence=a',
      ...args,
    ];
    const { stdout } = await run(programPath('tshark'), line, { maxBuffer: 1 << 30, timeout: 300_000 });
    return stdout
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.split('\t'));
  };
  // 0x07000000 is the group "malformed", 0x00800000 the severity "error"; TCP's own notes stay below that.
  const faults =
    '_ws.malformed || _ws.expert.group == 0x07000000 || (bgp && _ws.expert.severity == 0x00800000)';
  const source = ['-e', 'ip.src', '-e', 'ipv6.src', '-e', 'tcp.srcport'];
  const found = await read('-Y', faults, '-e', 'frame.number', ...source, '-e', '_ws.expert.message');
  const malformed = found.map(([frame, ipv4, ipv6, port, message]) => ({
    frame: Number(frame),
    from: `${ipv4 || `[${ipv6 ?? ''}]`}:${port ?? ''}`,
    message: message || 'malformed packet',
  }));

  const messages = { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };
  const kinds = ['open', 'update', 'notification', 'keepalive', 'routeRefresh'] as const;
  for (const [types = ''] of await read('-Y', 'bgp', '-e', 'bgp.type')) {
    for (const type of types.split(',')) {
      const kind = kinds[Number(type) - 1];
      if (kind !== undefined) messages[kind] += 1;
    }
  }
  return { malformed, messages };
}

/** The kernel hands packets over in batches: waits until the file stopped growing for half a second. */
async function settled(path: string): Promise<void> {
  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  for (let before = -1; before !== size();) {
    before = size();
    await sleep(500); // how long the file has to stay the same
  }
}
