/** What `prefixcast listen` prints: lines for people, or one JSON object a line for programs. */
import type { Writable } from 'node:stream';
import { grouped } from '../../api/shapes/grouped.ts';
import type { ReceivedRoutes, RouteChange, RouteText } from './received-routes.ts';
import type { Endpoint, ReceiverEvent } from './receiver.ts';

export interface ReportOptions {
  readonly out: Writable;
  /** Shows a line that counts while routes arrive. */
  readonly isTerminal: boolean;
  /** Leaves the single routes out. */
  readonly countOnly: boolean;
}

export interface Report {
  begun(endpoint: Endpoint, asn: number, called: boolean): void;
  event(event: ReceiverEvent): void;
  summary(tables: readonly ReceivedRoutes[]): void;
}

const FAMILY_NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;
/** Milliseconds between two states of the line that counts. */
const LIVE_INTERVAL = 200;

/** A route in one line: `10.0.0.0/8 next hop 192.0.2.1 path 64512 communities 65000:100 no-export`. */
export class TextReport implements Report {
  readonly #options: ReportOptions;
  #announced = 0;
  #withdrawn = 0;
  #shownAt = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  begun({ host, port }: Endpoint, asn: number, called: boolean): void {
    this.#line(
      called ? `calling ${host} port ${port} as AS ${asn}` : `listening on ${host} port ${port} as AS ${asn}`,
    );
  }

  event(event: ReceiverEvent): void {
    switch (event.type) {
      case 'up': {
        const { remoteAsn, families, holdTime } = event.negotiated;
        const names = families.map((family) => FAMILY_NAMES[family]).join(' and ');
        this.#line(`session with ${event.peer} up: AS ${remoteAsn}, ${names}, hold time ${holdTime} s`);
        break;
      }
      case 'down':
        this.#line(`session with ${event.peer} down: ${grouped(event.routes)} routes gone`);
        break;
      case 'error':
        this.#line(`${event.peer}: ${event.text}`);
        break;
      case 'end_of_rib':
        this.#line(
          `${FAMILY_NAMES[event.family]} of ${event.peer} complete: ${grouped(event.routes)} ${event.routes === 1 ? 'route' : 'routes'}`,
        );
        break;
      case 'routes':
        for (const { route } of event.changes) {
          if (route === null) this.#withdrawn++;
          else this.#announced++;
        }
        if (!this.#options.countOnly) this.#line(event.changes.map(changeText).join('\n'));
        this.#live();
        break;
    }
  }

  summary(tables: readonly ReceivedRoutes[]): void {
    for (const table of tables) {
      this.#line(
        `${grouped(table.size)} routes: ${grouped(table.count('ipv4'))} IPv4, ${grouped(table.count('ipv6'))} IPv6`,
      );
      const rows = table
        .byCommunity()
        .map(([name, count]) => [name === '' ? '(no community)' : name, grouped(count)] as const);
      const width = Math.max(0, ...rows.map(([name]) => name.length));
      const digits = Math.max(0, ...rows.map(([, count]) => count.length));
      for (const [name, count] of rows) this.#line(`  ${name.padEnd(width)}  ${count.padStart(digits)}`);
    }
    if (tables.length === 0) this.#line('no session, no routes');
  }

  #line(text: string): void {
    const { out, isTerminal } = this.#options;
    out.write(isTerminal ? `\r\x1b[K${text}\n` : `${text}\n`);
  }

  #live(): void {
    const { out, isTerminal } = this.#options;
    if (!isTerminal || performance.now() - this.#shownAt < LIVE_INTERVAL) return;
    this.#shownAt = performance.now();
    out.write(`\r\x1b[K${grouped(this.#announced)} announced, ${grouped(this.#withdrawn)} withdrawn …`);
  }
}

function changeText({ prefix, route }: RouteChange): string {
  return route === null ? `- ${prefix}` : `+ ${prefix} ${routeText(route)}`;
}

export function routeText({ nextHop, asPath, communities }: RouteText): string {
  const path = asPath === '' ? '' : ` path ${asPath}`;
  const tags = communities.length === 0 ? '' : ` communities ${communities.join(' ')}`;
  return `next hop ${nextHop}${path}${tags}`;
}

/** One JSON object a line; the field `event` says what it is. */
export class JsonReport implements Report {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  begun({ host, port }: Endpoint, asn: number, called: boolean): void {
    this.#write({ event: called ? 'calling' : 'listening', address: host, port, asn });
  }

  event(event: ReceiverEvent): void {
    const { peer } = event;
    switch (event.type) {
      case 'up': {
        const { remoteAsn, families, holdTime } = event.negotiated;
        this.#write({ event: 'session_up', peer, asn: remoteAsn, families, hold_time: holdTime });
        break;
      }
      case 'down':
        this.#write({ event: 'session_down', peer, routes: event.routes });
        break;
      case 'error':
        this.#write({ event: 'error', peer, message: event.text });
        break;
      case 'end_of_rib':
        this.#write({ event: 'end_of_rib', peer, family: event.family, routes: event.routes });
        break;
      case 'routes':
        if (this.#options.countOnly) break;
        this.#write(
          ...event.changes.map(({ prefix, route }) =>
            route === null
              ? { event: 'withdraw', peer, prefix }
              : { event: 'announce', peer, ...jsonRoute(prefix, route) },
          ),
        );
        break;
    }
  }

  summary(tables: readonly ReceivedRoutes[]): void {
    const communities: Record<string, number> = {};
    for (const [name, count] of tables.flatMap((table) => table.byCommunity())) {
      communities[name] = (communities[name] ?? 0) + count;
    }
    const total = (family: 'ipv4' | 'ipv6'): number =>
      tables.reduce((sum, table) => sum + table.count(family), 0);
    this.#write({
      event: 'summary',
      sessions: tables.length,
      ipv4: total('ipv4'),
      ipv6: total('ipv6'),
      communities,
    });
  }

  #write(...values: object[]): void {
    this.#options.out.write(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  }
}

export function jsonRoute(prefix: string, { nextHop, asPath, communities }: RouteText): object {
  return { prefix, next_hop: nextHop, as_path: asPath, communities };
}
