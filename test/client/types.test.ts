/** The types that a person with the client sees. The compiler checks most of this file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type { ApiEvent, PrefixcastClient, Schemas } from '#client';

const GENERATED = join(import.meta.dirname, '../../client/src/generated/api.ts');

test('a job is distinguished by its type, and its result with it', () => {
  const applied = (job: Schemas['Job']): number => {
    if (job.type !== 'apply') return 0;
    expectTypeOf(job.result).toEqualTypeOf<Schemas['ApplyResult'] | null>();
    return job.result?.speakers.length ?? 0;
  };
  const job = { type: 'apply', result: { revision_id: null, speakers: [], canaries_left_out: [] } };
  expect(applied(job as unknown as Schemas['ApplyJob'])).toBe(0);
});

test('an event is distinguished by its kind, and its data with it', () => {
  const prefixes = (event: ApiEvent): number => {
    if (event.kind !== 'revision') return 0;
    expectTypeOf(event.data).toEqualTypeOf<Schemas['RevisionEvent']>();
    return event.data.prefix_count.ipv4;
  };
  const data = { prefix_count: { ipv4: 7, ipv6: 0 } } as Schemas['RevisionEvent'];
  expect(prefixes({ id: '1', kind: 'revision', data })).toBe(7);
});

/** Where a value may be anything, because whoever writes it decides. */
const ANYTHING = [
  ...['ApiDescription.components', 'ApiDescription.paths'],
  ...['AuditRecord.changes.after', 'AuditRecord.changes.before'],
  // What was asked for, and what is answered: of any operation.
  ...['ChangesAnswer.answers.body', 'PlannedAnswer.body', 'PlannedChange.body'],
  // Settings of the tenant's own.
  ...['SettingsAnswer.settings', 'SettingsPatch'],
];

test('nothing is unknown of which something is known', () => {
  expectTypeOf<Schemas['DomainEntryPage']['items'][number]>().toEqualTypeOf<Schemas['DomainEntry']>();
  expectTypeOf<Schemas['SettingsPatch']['guard_max_prefixes']>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<Schemas['SettingsAnswer']['settings']['auto_apply']>().toEqualTypeOf<boolean>();
  expectTypeOf<NonNullable<Schemas['CdnSourceCreate']['headers']>>().toEqualTypeOf<Record<string, string>>();
  expectTypeOf<ReturnType<PrefixcastClient['waitForJob']>>().resolves.toEqualTypeOf<Schemas['Job']>();
  expectTypeOf<Schemas['RevisionEvent']>().toExtend<Schemas['WebhookDelivery']['data']>();
  const text = readFileSync(GENERATED, 'utf8');
  const schemas = text.slice(text.indexOf('    schemas: {'), text.indexOf('    responses: '));
  const path: string[] = [];
  const unknown = new Set<string>();
  for (const line of schemas.split('\n')) {
    const depth = /^ */.exec(line)![0].length / 4;
    const member = /^ +"?(\w+|\[key: string\])"?\??:/.exec(line)?.[1];
    if (member === undefined) continue;
    path[depth] = member;
    path.length = depth + 1;
    if (line.endsWith(': unknown;'))
      unknown.add(
        path
          .slice(2)
          .filter((name) => !name.startsWith('['))
          .join('.'),
      );
  }
  expect([...unknown].sort()).toEqual([...ANYTHING].sort());
});
