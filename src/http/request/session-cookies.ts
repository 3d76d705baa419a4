/**
 * The cookies that browsers keep sessions in: one for each tenant, named by it, so that a browser may be signed in to several tenants, and
 * a new session of one takes the place of the former.
 */
import { UUID } from '../../api/shapes/uuid.ts';
import { isLoopbackName } from '../../core/loopback-name.ts';
import { isBrowserSessionText } from '../../store/keys/api-key-secret.ts';

/** Browsers take this name over HTTPS alone, for every path, and from no other host (RFC 6265bis, section 4.1.3.2). */
const SECURE_NAME = '__Host-prefixcast-';
/** On loopback, where no certificates are. */
const LOOPBACK_NAME = 'prefixcast-';
const TENANT_ID = new RegExp(`^${UUID}$`);
/** No browser has more of them by honest means; each may cost a look-up. */
const MAXIMUM_COOKIES = 32;

export interface SessionCookie {
  /** Whose session it is, as its name says. */
  readonly tenantId: string;
  readonly secret: string;
}

/** Where a request came to. */
export interface RequestedHost {
  readonly cookie: string | undefined;
  /** Of the header Host: `routes.example:8080`. */
  readonly host: string;
  readonly publicUrl: string | null;
  /** Of the headers Origin and X-Forwarded-Proto. */
  readonly origin: string | undefined;
  readonly forwardedProtocol: string | undefined;
}

export class SessionCookies {
  /**
   * Whether browsers are to send them over HTTPS only: everywhere but on loopback, and there behind a proxy of the same machine that ends
   * TLS. That the browser came over HTTPS may be claimed by anybody: it only makes the cookie stricter.
   */
  readonly isSecure: boolean;
  readonly sent: readonly SessionCookie[];

  constructor({ cookie, host, publicUrl, origin, forwardedProtocol }: RequestedHost) {
    const isLocal = isLoopbackName(host.replace(/:\d*$/, '').toLowerCase());
    const cameByTls = origin?.startsWith('https:') === true || forwardedProtocol === 'https';
    this.isSecure = !isLocal || cameByTls || publicUrl?.startsWith('https:') === true;
    this.sent = cookie === undefined ? [] : this.#read(cookie);
  }

  /** The session of the tenant that the browser has; null: none. */
  secretOf(tenantId: string): string | null {
    return this.sent.find((cookie) => cookie.tenantId === tenantId)?.secret ?? null;
  }

  /** The header Set-Cookie that gives the browser a session, until it is closed. */
  set(tenantId: string, secret: string): string {
    return `${this.#nameOf(tenantId)}=${secret}; ${this.#attributes()}`;
  }

  /** The header Set-Cookie that takes it away. */
  clear(tenantId: string): string {
    return `${this.#nameOf(tenantId)}=; Max-Age=0; ${this.#attributes()}`;
  }

  #read(header: string): SessionCookie[] {
    const pairs = header.split(';').map((pair) => pair.trim());
    const named = (name: string): string[] => pairs.filter((pair) => pair.startsWith(name));
    // A browser that has the strict ones came over HTTPS, although a read may not say so; the others may be planted there.
    const strict = named(SECURE_NAME);
    const name = this.isSecure || strict.length > 0 ? SECURE_NAME : LOOPBACK_NAME;
    // Others of the same host may have many.
    const ours = named(name).slice(0, MAXIMUM_COOKIES);
    return ours.flatMap((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) return [];
      const [tenantId, secret] = [pair.slice(name.length, at), pair.slice(at + 1)];
      return TENANT_ID.test(tenantId) && isBrowserSessionText(secret) ? [{ tenantId, secret }] : [];
    });
  }

  #nameOf(tenantId: string): string {
    return (this.isSecure ? SECURE_NAME : LOOPBACK_NAME) + tenantId;
  }

  #attributes(): string {
    return `${this.isSecure ? 'Path=/; Secure' : 'Path=/v1'}; HttpOnly; SameSite=Strict`;
  }
}
