/** An agent in this process, with the builtin speaker, and a control plane whose every answer the test gives. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgent } from '../../src/agent/agent.ts';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { ControlPlane } from '../../src/agent/control-plane.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { writeIdentity, type Identity } from '../../src/agent/identity.ts';
import type { ApplyStatus } from '../../src/api/nodes/nodes.ts';
import type { OperatorEvent } from '../../src/api/activity/operator-events.ts';
import type { ManifestClaims } from '../../src/bundle/manifest.ts';
import type { SpeakerDocument } from '../../src/bundle/speaker-document.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import type { SpeakerDriver } from '../../src/speakers/speaker.ts';
import { bundleOf, document, SPEAKER, TENANT, trusted } from '../bundle/sample.ts';
import { bigTable } from '../speakers/builtin/models.ts';

const DAY = 86_400_000;
export const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A speaker without peers. */
export const alone: SpeakerDocument = { ...document, speaker: { ...document.speaker, peers: [] } };

export const identity: Identity = {
  ...{ control_url: 'http://127.0.0.1', tenant_id: TENANT, speaker_id: SPEAKER },
  ...{ speaker_name: 'edge', daemon: 'builtin', api_key: { id: 'k', secret: 'pc_n_1' } },
};

export interface Question {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When it came, by performance.now(). */
  readonly at: number;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface PlayedPlane {
  readonly url: string;
  /** In order. */
  readonly asked: readonly Question[];
  answer: (question: Question) => Reply | Promise<Reply>;
  /** What becomes of a report. */
  take: () => Reply;
  close(): Promise<void>;
}

export async function playPlane(answer: PlayedPlane['answer']): Promise<PlayedPlane> {
  const asked: Question[] = [];
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const question = { path: request.url!, headers: request.headers, body, at };
      asked.push(question);
      void Promise.resolve(plane.answer(question)).then(
        ({ status = 200, headers = {}, body: bytes = '' }) => response.writeHead(status, headers).end(bytes),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const plane: PlayedPlane = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, answer },
    take: () => ({ body: '{"accepted":true}' }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return plane;
}

/** A bundle that is good now, of a table with this many routes. */
export function goodBundle(
  claims: Partial<ManifestClaims> = {},
  routes = 1,
  sample: Parameters<typeof bundleOf>[2] = { speaker: alone },
): { readonly bytes: Buffer; readonly latest: string } {
  const given: Partial<ManifestClaims> = {
    ...{ sequence: 7, issued_at: new Date().toISOString() },
    expires_at: new Date(Date.now() + DAY).toISOString(),
    ...claims,
  };
  const bytes = bundleOf(bigTable(routes, ['65000:100']), given, sample);
  const { sequence, expires_at } = given;
  const url = `/v1/speakers/${SPEAKER}/bundle/r?sequence=${sequence}&issued=${given.issued_at}`;
  const latest = { sequence, revision_id: SPEAKER, expires_at, bundle: { url } };
  return { bytes, latest: JSON.stringify(latest) };
}

export interface PlayedNode {
  readonly plane: PlayedPlane;
  readonly agent: NodeAgent;
  readonly directory: DataDirectory;
  readonly driver: SpeakerDriver;
  /** What the log says, in order. */
  readonly said: readonly string[];
  /** Questions for what is the latest, or for a bundle. */
  of(kind: 'latest' | 'bundle'): readonly Question[];
  reports(): ApplyStatus[];
  close(): Promise<void>;
}

/** Answers of the plane; a report is taken where nothing is said. */
export async function playNode(
  answer: PlayedPlane['answer'],
  prepare: (path: string) => void = () => undefined,
): Promise<PlayedNode> {
  const path = mkdtempSync(join(tmpdir(), 'prefixcast-played-'));
  prepare(path);
  const directory = new DataDirectory(path);
  await writeIdentity(directory, identity, { keys: [trusted()], highest_sequence: null });
  const plane: PlayedPlane = await playPlane((question) =>
    question.path.endsWith('/apply-status') ? plane.take() : answer(question),
  );
  const clock = new ControlClock();
  const control = new ControlPlane({ url: plane.url, ca: null, clock });
  const engine = new BuiltinEngine({
    listen: { host: '127.0.0.1', port: 0 },
    ...{ log: quiet, version: 'test' },
  });
  await engine.start();
  const driver = engine.driver(SPEAKER);
  const said: string[] = [];
  const say = (_: object, text: string): void => void said.push(text);
  const log = { info: say, warn: say, error: say };
  const tell = ({ text }: OperatorEvent): void => void said.push(text);
  const agent = await NodeAgent.open({
    ...{ directory, identity, control, clock, driver, log, emit: tell },
    version: 'test',
  });
  agent.start();
  return {
    ...{ plane, agent, directory, driver, said },
    of: (kind) =>
      plane.asked.filter(({ path: asked }) => asked.includes(kind === 'latest' ? '/latest' : '/bundle/')),
    reports: () =>
      plane.asked
        .filter(({ path: asked }) => asked.endsWith('/apply-status'))
        .map(({ body }) => JSON.parse(body) as ApplyStatus),
    async close() {
      await agent.close();
      await control.close();
      await engine.close(false);
      await plane.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
