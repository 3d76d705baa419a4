/**
 * Configuration: reads the environment once, at start, into a frozen value. Every variable is one row of the table below: its name, its
 * default, its allowed values.
 */
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { readAgent, type AgentConfig } from './agent-config.ts';
import { defaultDataDirectory } from './default-data-directory.ts';
import { parsePrefix, type Prefix } from '../core/prefix.ts';
import {
  ConfigError,
  choice,
  readEndpoint,
  readPort,
  variable,
  type Endpoint,
  type Environment,
} from './environment.ts';
import { unknownVariables } from './known-variables.ts';
import { readRouter, type RouterConfig } from './router-config.ts';
import { isApiKeyText } from '../store/keys/api-key-secret.ts';

const SERVICES = ['app-all', 'app-api', 'app-worker', 'app-scheduler', 'app-speaker', 'app-agent'] as const;
export type Service = (typeof SERVICES)[number];

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where AS numbers are resolved. */
const ASN_SOURCES = ['ripestat', 'irr', 'table'] as const;
export type AsnSourceKind = (typeof ASN_SOURCES)[number];

/** Requests a minute; 0: no limit. */
export interface RateLimits {
  /** GET, for a key. */
  readonly reads: number;
  /** Requests that change something, for a key. */
  readonly writes: number;
  /** All requests, for a key of a node or a firewall client. */
  readonly nodes: number;
  /** Failed authentications, for an address. */
  readonly failures: number;
}

export interface Config {
  /** Role of the process. */
  readonly service: Service;
  readonly http: Endpoint & {
    readonly publicUrl: string | null;
    readonly corsOrigins: readonly string[];
    readonly rateLimits: RateLimits;
  };
  /** null: the embedded server. */
  readonly databaseUrl: string | null;
  /** How long a start waits for a database that is down. */
  readonly databaseWaitSeconds: number;
  readonly dataDir: string;
  /** 32 bytes that encrypt secrets at rest; null: generated into the data directory. */
  readonly secretKey: Buffer | null;
  readonly bootstrapApiKey: string | null;
  /** Special-purpose networks that sources and DoH may reach nevertheless. */
  readonly fetchAllow: readonly Prefix[];
  /** Networks of the service's own machines in which tenants may have peers nevertheless. */
  readonly peerAllow: readonly Prefix[];
  readonly asn: {
    readonly source: AsnSourceKind;
    /** URL of RIPEstat or the table; null: the public RIPEstat. */
    readonly url: string | null;
    readonly irr: Endpoint;
  };
  /** Where else the audit log is sent; null: nowhere. */
  readonly auditPortal: { readonly url: string; readonly secret: string } | null;
  readonly bgpListen: Endpoint;
  /** Where metrics and health are served apart from the API; null: nowhere. */
  readonly metricsListen: Endpoint | null;
  /** The routing daemon on this machine that holds speakers of its kind; null: none. */
  readonly router: RouterConfig | null;
  readonly agent: AgentConfig;
  /** Directory of the log files that the API serves, and of this process's own; null: none. */
  readonly runtimeLogsDir: string | null;
  readonly log: { readonly level: LogLevel; readonly format: 'json' | 'pretty' };
  /** Sentences about settings that the operator should check. */
  readonly warnings: readonly string[];
}

/** Facts about the machine on which defaults depend; passed in, so that parsing stays pure. */
export interface Platform {
  readonly isRoot: boolean;
  readonly home: string;
  readonly isTerminal: boolean;
}

export function currentPlatform(): Platform {
  return { isRoot: process.getuid?.() === 0, home: homeOfUser(), isTerminal: process.stdout.isTTY };
}

/** A user that exists only while a service runs (systemd's DynamicUser) has none, and needs none if directories are configured. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

function readHttpUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return undefined;
  return value.replace(/\/+$/, '');
}

/** A `file:` URL is allowed here, since the operator writes it. */
function readListUrl(value: string): string | undefined {
  return value.startsWith('file:///') && URL.canParse(value) ? value : readHttpUrl(value);
}

/** The port of whois (RFC 3912) is the default. */
function readWhois(value: string): Endpoint | undefined {
  return readEndpoint(value) ?? readEndpoint(`${value}:43`);
}

function readDatabaseUrl(value: string): string | undefined {
  return /^postgres(ql)?:\/\/\S+$/.test(value) && URL.canParse(value) ? value : undefined;
}

function readOrigins(value: string): readonly string[] | undefined {
  const origins = value.split(',').map((origin) => origin.trim());
  const valid = origins.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin);
  return valid ? origins : undefined;
}

function readPrefixes(value: string): readonly Prefix[] | undefined {
  const prefixes: Prefix[] = [];
  for (const text of value.split(',')) {
    const parsed = parsePrefix(text.trim());
    if (!parsed.ok) return undefined;
    prefixes.push(parsed.value);
  }
  return prefixes;
}

function readSecretKey(value: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(value)) return Buffer.from(value, 'hex');
  const bytes = Buffer.from(value, 'base64');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value) && bytes.length === 32 ? bytes : undefined;
}

function readDirectory(value: string): string | undefined {
  return isAbsolute(value) ? value : undefined;
}

/**
 * Reads the configuration from `env`.
 * @throws {ConfigError} for the first variable whose value is not allowed
 */
export function parseConfig(env: Environment, platform: Platform): Config {
  const defaultDataDir = defaultDataDirectory(env, platform);
  const endpoint = 'HOST:PORT, such as 127.0.0.1:1790 or [::1]:1790';
  const bgpListen = variable(
    env,
    'APP_BGP_LISTEN',
    { host: '127.0.0.1', port: 1790 },
    endpoint,
    readEndpoint,
  );
  return Object.freeze({
    warnings: warningsOf(env),
    service: choice(env, 'APP_SERVICE', 'app-all', SERVICES),
    http: Object.freeze({
      host: variable(env, 'APP_HOST', '127.0.0.1', 'an address or host name', (value) =>
        /^[^\s/]+$/.test(value) ? value : undefined,
      ),
      port: variable(env, 'APP_PORT', 8080, 'a port from 0 (any free one) to 65535', readPort),
      publicUrl: variable<string | null>(
        env,
        'APP_PUBLIC_URL',
        null,
        'an http or https URL without query',
        readHttpUrl,
      ),
      corsOrigins: variable(
        env,
        'APP_CORS_ORIGINS',
        [],
        'origins such as https://console.example.net, comma-separated, or *',
        readOrigins,
      ),
      rateLimits: readRateLimits(env),
    }),
    databaseUrl: variable<string | null>(
      env,
      'DATABASE_URL',
      null,
      'postgres://USER:PASSWORD@HOST:PORT/DATABASE, or unset for the embedded server',
      readDatabaseUrl,
    ),
    databaseWaitSeconds: variable(env, 'APP_DATABASE_WAIT_SECONDS', 60, 'seconds from 0 to 3600', (value) =>
      /^\d{1,4}$/.test(value) && Number(value) <= 3_600 ? Number(value) : undefined,
    ),
    dataDir: variable(env, 'APP_DATA_DIR', defaultDataDir, 'an absolute path', readDirectory),
    secretKey: variable<Buffer | null>(
      env,
      'APP_SECRET_KEY',
      null,
      '32 bytes as 64 hexadecimal digits or as base64',
      readSecretKey,
    ),
    bootstrapApiKey: variable<string | null>(
      env,
      'APP_BOOTSTRAP_API_KEY',
      null,
      'a whole key like pc_s_… with its right checksum (make one with `prefixcast keys generate`)',
      (value) => (isApiKeyText(value) ? value : undefined),
    ),
    fetchAllow: variable(
      env,
      'APP_FETCH_ALLOW',
      [],
      'comma-separated prefixes, such as 127.0.0.1/32,10.1.0.0/16',
      readPrefixes,
    ),
    peerAllow: variable(
      env,
      'APP_PEER_ALLOW',
      [],
      'comma-separated prefixes, such as 127.0.0.2/32,169.254.7.0/24',
      readPrefixes,
    ),
    asn: readAsnSource(env),
    auditPortal: readAuditPortal(env),
    bgpListen,
    metricsListen: variable<Endpoint | null>(
      env,
      'APP_METRICS_LISTEN',
      null,
      'HOST:PORT, such as 127.0.0.1:9464 or [::1]:9464',
      readEndpoint,
    ),
    router: readRouter(env, bgpListen),
    agent: readAgent(env, platform),
    runtimeLogsDir: variable<string | null>(
      env,
      'APP_RUNTIME_LOGS_DIR',
      null,
      'an absolute path',
      readDirectory,
    ),
    log: Object.freeze({
      level: choice(env, 'APP_LOG_LEVEL', 'info', LOG_LEVELS),
      format: choice(env, 'APP_LOG_FORMAT', platform.isTerminal ? 'pretty' : 'json', ['json', 'pretty']),
    }),
  });
}

function readRateLimits(env: Environment): RateLimits {
  const perMinute = (name: string, fallback: number): number =>
    variable(env, name, fallback, 'requests a minute, up to 1000000000; 0 for no limit', (value) =>
      /^\d{1,10}$/.test(value) && Number(value) <= 1_000_000_000 ? Number(value) : undefined,
    );
  return Object.freeze({
    reads: perMinute('APP_RATE_LIMIT_READS', 6_000),
    writes: perMinute('APP_RATE_LIMIT_WRITES', 600),
    nodes: perMinute('APP_RATE_LIMIT_NODES', 600),
    failures: perMinute('APP_RATE_LIMIT_FAILURES', 60),
  });
}

function readAsnSource(env: Environment): Config['asn'] {
  const source = choice(env, 'APP_ASN_SOURCE', 'ripestat', ASN_SOURCES);
  const url = variable<string | null>(
    env,
    'APP_ASN_SOURCE_URL',
    null,
    'an http or https URL without query, or for a table also file:///PATH',
    source === 'table' ? readListUrl : readHttpUrl,
  );
  if (source === 'table' && url === null)
    throw new ConfigError('APP_ASN_SOURCE', source, 'a table needs its URL in APP_ASN_SOURCE_URL');
  const irr = variable(
    env,
    'APP_IRR_HOST',
    { host: 'whois.radb.net', port: 43 },
    'HOST or HOST:PORT, such as whois.radb.net',
    readWhois,
  );
  return Object.freeze({ source, url, irr });
}

function warningsOf(env: Environment): readonly string[] {
  const [url, secret] = ['AUTH_PORTAL_URL', 'AUTH_AUDIT_INGEST_SECRET'] as const;
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const portal =
    isSet(url) === isSet(secret)
      ? []
      : [
          `${isSet(url) ? url : secret} is set without ${isSet(url) ? secret : url}: the audit log is sent to no portal`,
        ];
  return Object.freeze([...portal, ...unknownVariables(env)]);
}

/** Both variables or none: one alone is a warning. */
function readAuditPortal(env: Environment): Config['auditPortal'] {
  const url = variable<string | null>(
    env,
    'AUTH_PORTAL_URL',
    null,
    'an http or https URL without query',
    readHttpUrl,
  );
  const secret = variable<string | null>(
    env,
    'AUTH_AUDIT_INGEST_SECRET',
    null,
    'up to 512 printable ASCII characters without blanks',
    (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : undefined),
  );
  return url !== null && secret !== null ? Object.freeze({ url, secret }) : null;
}
