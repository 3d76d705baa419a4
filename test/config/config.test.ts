import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_VARIABLES } from '../../src/config/known-variables.ts';
import { parseConfig, type Platform } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/environment.ts';

const user: Platform = { isRoot: false, home: '/home/ada', isTerminal: false };

describe('parseConfig', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(parseConfig({}, user)).toEqual({
      warnings: [],
      service: 'app-all',
      http: {
        host: '127.0.0.1',
        port: 8080,
        publicUrl: null,
        corsOrigins: [],
        rateLimits: { reads: 6000, writes: 600, nodes: 600, failures: 60 },
      },
      databaseUrl: null,
      databaseWaitSeconds: 60,
      dataDir: '/home/ada/.local/share/prefixcast',
      secretKey: null,
      bootstrapApiKey: null,
      fetchAllow: [],
      peerAllow: [],
      asn: { source: 'ripestat', url: null, irr: { host: 'whois.radb.net', port: 43 } },
      auditPortal: null,
      bgpListen: { host: '127.0.0.1', port: 1790 },
      metricsListen: null,
      router: null,
      agent: {
        controlUrl: null,
        token: null,
        tokenFile: null,
        dataDir: '/home/ada/.local/share/prefixcast-agent',
        caFile: null,
        allowHttp: false,
      },
      runtimeLogsDir: null,
      log: { level: 'info', format: 'json' },
    });
  });

  test('root keeps its state where the system keeps state', () => {
    expect(parseConfig({}, { ...user, isRoot: true }).dataDir).toBe('/var/lib/prefixcast');
  });

  test('an empty variable is an unset one', () => {
    expect(parseConfig({ APP_PORT: '', APP_SERVICE: '' }, user)).toEqual(parseConfig({}, user));
  });

  test('the result cannot be changed', () => {
    const config = parseConfig({}, user);
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config, { dataDir: '/' })).toThrow(TypeError);
  });

  test('right values are read', () => {
    const config = parseConfig(
      {
        APP_SERVICE: 'app-worker',
        APP_PORT: '0',
        APP_PUBLIC_URL: 'https://lists.example.net/',
        APP_CORS_ORIGINS: 'https://a.example.net, http://localhost:5173',
        DATABASE_URL: 'postgres://prefixcast:secret@db.example.net:5432/prefixcast',
        APP_SECRET_KEY: 'ab'.repeat(32),
        APP_FETCH_ALLOW: '127.0.0.1/32,fd00::/8',
        APP_BGP_LISTEN: '[::1]:1790',
        APP_ROUTER_SOCKET: '/run/bird/bird.ctl',
        APP_ROUTER_CONFIG_DIR: '/etc/bird/prefixcast',
        APP_ROUTER_BIND: 'own',
        APP_RATE_LIMIT_READS: '0',
        APP_RATE_LIMIT_FAILURES: '5',
        AUTH_PORTAL_URL: 'https://portal.example.net/',
        AUTH_AUDIT_INGEST_SECRET: 'shared',
      },
      user,
    );
    expect(config.service).toBe('app-worker');
    expect(config.http).toEqual({
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'https://lists.example.net',
      corsOrigins: ['https://a.example.net', 'http://localhost:5173'],
      rateLimits: { reads: 0, writes: 600, nodes: 600, failures: 5 },
    });
    expect(config.secretKey).toEqual(Buffer.alloc(32, 0xab));
    expect(config.fetchAllow.map((prefix) => [prefix.family, prefix.length])).toEqual([
      ['ipv4', 32],
      ['ipv6', 8],
    ]);
    expect(config.bgpListen).toEqual({ host: '::1', port: 1790 });
    expect(config.router).toEqual({
      daemon: 'bird',
      socket: '/run/bird/bird.ctl',
      configDir: '/etc/bird/prefixcast',
      program: 'bird',
      mainConfig: '/etc/bird/bird.conf',
      bindsOwnAddress: true,
      feed: { host: '127.0.0.1', port: 1179 },
    });
    expect(config.auditPortal).toEqual({ url: 'https://portal.example.net', secret: 'shared' });
  });

  test.each([
    ['APP_SERVICE', 'app-everything', 'app-all, app-api, app-worker'],
    ['APP_PORT', '70000', '0 (any free one) to 65535'],
    ['APP_PORT', '80x', '0 (any free one) to 65535'],
    ['APP_PUBLIC_URL', 'lists.example.net', 'http or https URL'],
    ['APP_CORS_ORIGINS', 'https://a.example.net/path', 'origins such as'],
    ['DATABASE_URL', 'mysql://db', 'postgres://'],
    ['APP_DATA_DIR', 'data', 'an absolute path'],
    ['APP_FETCH_ALLOW', '10.0.0.1/8', 'comma-separated prefixes'],
    ['APP_BGP_LISTEN', '::1:1790', '[::1]:1790'],
    ['APP_METRICS_LISTEN', '9464', 'HOST:PORT, such as 127.0.0.1:9464'],
    ['APP_ROUTER_SOCKET', '/run/bird.ctl', 'it needs APP_ROUTER_CONFIG_DIR; set both or neither'],
    ['APP_ROUTER_CONFIG_DIR', '/etc/bird/ours', 'it needs APP_ROUTER_SOCKET; set both or neither'],
    ['APP_ROUTER_CONFIG_DIR', '/etc/bird/*', 'an absolute path of letters'],
    ['APP_ROUTER_CONFIG_DIR', '/etc/"bird', 'an absolute path of letters'],
    ['APP_ROUTER_BIND', 'all', 'any or own'],
    ['APP_ROUTER_FEED', '[::1]:1179', 'an IPv4 address of this machine'],
    ['APP_ROUTER_DAEMON', 'quagga', 'one of bird'],
    ['APP_ASN_SOURCE', 'whois', 'one of ripestat, irr, table'],
    ['APP_ASN_SOURCE', 'table', 'APP_ASN_SOURCE_URL'],
    ['APP_ASN_SOURCE_URL', 'file:///tables/asn.tsv', 'for a table also'],
    ['APP_IRR_HOST', 'whois://irr', 'HOST or HOST:PORT'],
    ['APP_RATE_LIMIT_WRITES', '-1', '0 for no limit'],
    ['AUTH_PORTAL_URL', 'portal.example.net', 'an http or https URL'],
    ['APP_AGENT_CONTROL_URL', 'prefixcast.example.net', 'an https URL'],
    ['APP_AGENT_CONTROL_URL', 'https://u:p@prefixcast.example.net', 'an https URL'],
    ['APP_AGENT_CONTROL_URL', 'http://prefixcast.example.net', 'APP_AGENT_ALLOW_HTTP=true'],
    ['APP_AGENT_ALLOW_HTTP', 'yes', 'true or false'],
    ['APP_AGENT_DATA_DIR', 'state', 'an absolute path'],
    ['APP_LOG_LEVEL', 'loud', 'trace, debug, info'],
    ['APP_LOG_FORMAT', 'xml', 'json or pretty'],
  ])('%s=%s stops the start with one line that says what is allowed', (name, value, allowed) => {
    const start = () => parseConfig({ [name]: value }, user);
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(`${name}=${JSON.stringify(value)}`);
    expect(start).toThrow(allowed);
    expect(start).not.toThrow(/\n/);
  });

  test.each([
    ['APP_SECRET_KEY', 'too-short-a-secret'],
    ['APP_BOOTSTRAP_API_KEY', 'hunter2hunter2'],
    ['APP_AGENT_TOKEN', 'hunter2hunter2'],
    ['AUTH_AUDIT_INGEST_SECRET', 'with a blank'],
    ['APP_BOOTSTRAP_API_KEY', `pc_s_${'x'.repeat(43)}_000000`],
    ['DATABASE_URL', 'mysql://root:hunter2hunter2@db/x'],
  ])('a wrong %s is reported without showing the secret', (name, value) => {
    const secret = name === 'DATABASE_URL' ? 'hunter2hunter2' : value;
    expect(() => parseConfig({ [name]: value }, user)).toThrow(ConfigError);
    expect(() => parseConfig({ [name]: value }, user)).not.toThrow(secret);
  });

  test('an FRR fetches its routes where the builtin speaker listens', () => {
    const router = (listen: string) =>
      parseConfig({ APP_ROUTER_DAEMON: 'frr', APP_BGP_LISTEN: listen }, user).router;
    expect(router('0.0.0.0:179')).toEqual({
      ...{ daemon: 'frr', socketDir: '/run/frr', program: 'vtysh' },
      feed: { host: '127.0.0.1', port: 179 },
    });
    expect(() => router('[2001:db8::1]:179')).toThrow(/APP_BGP_LISTEN.*IPv4 address and a port/);
    expect(() => router('127.0.0.1:0')).toThrow(/APP_BGP_LISTEN.*IPv4 address and a port/);
  });

  test.each([
    [
      { AUTH_PORTAL_URL: 'https://portal.example.net' },
      'AUTH_PORTAL_URL is set without AUTH_AUDIT_INGEST_SECRET',
    ],
    [{ AUTH_AUDIT_INGEST_SECRET: 'shared' }, 'AUTH_AUDIT_INGEST_SECRET is set without AUTH_PORTAL_URL'],
  ])('%j alone warns, and nothing is sent to a portal', (env, warning) => {
    const { warnings, auditPortal } = parseConfig(env, user);
    expect(auditPortal).toBeNull();
    expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(warnings.join()).not.toContain('shared');
  });

  test('a variable that means nothing is a warning with the nearest name', () => {
    const env = {
      APP_PUBLIC_URI: 'x',
      APP_HTTP_PROXY_BUFFERS: '1',
      APP_PORT: '0',
      HOME: '/',
      MY_APP_PORT: '1',
    };
    expect(parseConfig(env, user).warnings).toEqual([
      'APP_HTTP_PROXY_BUFFERS means nothing to the service',
      'APP_PUBLIC_URI means nothing to the service. Did you mean APP_PUBLIC_URL?',
    ]);
    expect(parseConfig({ AUTH_PORTAL_URL: '', APP_DATA_DIR: '/x' }, user).warnings).toEqual([]);
  });

  test('every variable that is read is known', () => {
    const directory = join(import.meta.dirname, '../../src/config');
    const files = readdirSync(directory).filter((name) => name !== 'known-variables.ts');
    const text = files.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n');
    const read = new Set(text.match(/\bAPP_[A-Z_]+(?=['`])/g));
    expect([...read].sort()).toEqual(KNOWN_VARIABLES);
  });
});
