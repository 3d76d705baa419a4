/** The named schemas of the API description: every schema that a file of src/api exports, under the name it has there. */
import type { TSchema } from 'typebox';
import { exampleOf } from './openapi-example.ts';
import * as apiKeys from '../../api/access/api-keys.ts';
import * as apply from '../../api/revisions/apply.ts';
import * as asEntries from '../../api/lists/as-entries.ts';
import * as audit from '../../api/activity/audit.ts';
import * as catalog from '../../api/lists/catalog.ts';
import * as cdnPreview from '../../api/lists/cdn-preview.ts';
import * as cdnSources from '../../api/lists/cdn-sources.ts';
import * as communities from '../../api/lists/communities.ts';
import * as diff from '../../api/revisions/diff.ts';
import * as domainEntries from '../../api/lists/domain-entries.ts';
import * as entryCsv from '../../api/lists/entry-csv.ts';
import * as feeds from '../../api/lists/feeds.ts';
import * as firewallClients from '../../api/firewall/firewall-clients.ts';
import * as firewallRules from '../../api/firewall/firewall-rules.ts';
import * as firewallRulesets from '../../api/firewall/firewall-rulesets.ts';
import * as geofeedEntries from '../../api/lists/geofeed-entries.ts';
import * as ipRangeEntries from '../../api/lists/ip-range-entries.ts';
import * as events from '../../api/activity/events.ts';
import * as jobs from '../../api/activity/jobs.ts';
import * as lookup from '../../api/lists/lookup.ts';
import * as maintenance from '../../api/operation/maintenance.ts';
import * as modules from '../../api/lists/modules.ts';
import * as page from '../../api/shapes/page.ts';
import * as peers from '../../api/speakers/peers.ts';
import * as manyEntries from '../../api/lists/many-entries.ts';
import * as plan from '../../api/revisions/plan.ts';
import * as postgres from '../../api/operation/postgres.ts';
import * as preview from '../../api/revisions/preview.ts';
import * as problemDocument from '../../api/problems/problem-document.ts';
import * as revisions from '../../api/revisions/revisions.ts';
import * as runtimeLogs from '../../api/operation/runtime-logs.ts';
import * as session from '../../api/access/session.ts';
import * as sourcePresets from '../../api/lists/source-presets.ts';
import * as speakers from '../../api/speakers/speakers.ts';
import * as tenants from '../../api/access/tenants.ts';
import * as version from '../../api/operation/version.ts';
import * as webhooks from '../../api/activity/webhooks.ts';

const FILES = [
  apiKeys,
  apply,
  asEntries,
  audit,
  catalog,
  cdnPreview,
  cdnSources,
  communities,
  diff,
  domainEntries,
  entryCsv,
  feeds,
  firewallClients,
  firewallRules,
  firewallRulesets,
  geofeedEntries,
  ipRangeEntries,
  events,
  jobs,
  lookup,
  maintenance,
  manyEntries,
  modules,
  page,
  peers,
  plan,
  postgres,
  preview,
  problemDocument,
  revisions,
  runtimeLogs,
  session,
  sourcePresets,
  speakers,
  tenants,
  version,
  webhooks,
];

/** How TypeBox writes a record whose names are any text. */
const ANY_NAME = '^.*$';

const names = new Map<object, string>();
for (const file of FILES)
  for (const [name, value] of Object.entries(file))
    if (isSchema(value) && !name.endsWith('Query')) names.set(value, name);

function isSchema(value: unknown): value is TSchema {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    ['type', 'anyOf', 'enum'].some((keyword) => keyword in value)
  );
}

/** A schema as plain JSON, with references in place of the named schemas inside it. */
export function referring(schema: unknown): unknown {
  const name = typeof schema === 'object' && schema !== null ? names.get(schema) : undefined;
  return name === undefined ? unfolded(schema) : { $ref: `#/components/schemas/${name}` };
}

function unfolded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(referring);
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain = Object.entries(schema).map(([key, value]) => [key, referring(value)] as const);
  return Object.fromEntries(plain.flatMap(([key, value]) => forGenerators(key, value)));
}

/** The same said so that client generators understand it: most know neither an enum without its type nor members by pattern. */
function forGenerators(key: string, value: unknown): (readonly [string, unknown])[] {
  if (key === 'enum')
    return [
      ['type', 'string'],
      [key, value],
    ];
  if (key === 'patternProperties' && Object.keys(value as object).join() === ANY_NAME)
    return [['additionalProperties', (value as Record<string, unknown>)[ANY_NAME]]];
  return [[key, value]];
}

/** Objects come with an example; a value by itself says enough. */
function described(schema: TSchema): unknown {
  const plain = unfolded(schema) as { type?: string };
  return plain.type === 'object' ? { ...plain, examples: [exampleOf(schema)] } : plain;
}

/** All named schemas, for `components.schemas`. */
export function namedSchemas(): Record<string, unknown> {
  const entries = [...names].map(([schema, name]) => [name, described(schema as TSchema)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en')));
}
