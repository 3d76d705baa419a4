/** What differs of settings between the files and the tenant, and what somebody has changed of them by hand. */
import { isDeepStrictEqual } from 'node:util';
import type { Members } from './kinds.ts';
import type { LiveState } from './live-state.ts';
import { digestOf, settingId, type OwnRecords } from './ownership.ts';
import type { DeclaredSet } from './read-set.ts';
import { SETTING_REFERENCES } from './schema.ts';

export interface SettingChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Its file and line; null: the files name it no more. */
  readonly at: string | null;
  /** Somebody has changed it since the set was applied last. */
  readonly byHand: boolean;
}

/** @param dropped keys that go back to their defaults */
export function compareSettings(
  { settings }: DeclaredSet,
  live: LiveState,
  own: OwnRecords,
  dropped: readonly string[],
): SettingChange[] {
  const wanted = { ...Object.fromEntries(dropped.map((key) => [key, null])), ...settings?.values };
  return Object.entries(wanted).flatMap(([key, given]) => {
    const before = valueInFiles(key, live.settings.values, (id) => live.nameOf(id));
    const after = given === null ? defaultOf(key, live) : given;
    if (isDeepStrictEqual(before, after)) return [];
    const at = settings?.values[key] === undefined ? null : settings.at(`/${key}`);
    const state = own.get(settingId(key))?.[2] ?? '';
    const byHand = state !== '' && state !== stateOf(key, before, live);
    return [{ key, before, after: given, at, byHand }];
  });
}

/** By what it is known later whether somebody has changed the setting. @param values as the service has them once the files are applied */
export function settingState(
  key: string,
  values: Members,
  live: LiveState,
  nameOf: (id: string) => string,
): string {
  return stateOf(key, valueInFiles(key, values, nameOf), live);
}

/** A setting at its default may be another one with the next release, and nobody has changed it then. */
function stateOf(key: string, value: unknown, live: LiveState): string {
  return digestOf(isDeepStrictEqual(value, defaultOf(key, live)) ? null : value);
}

/** What is set, with names in place of ids. */
function valueInFiles(key: string, values: Members, nameOf: (id: string) => string): unknown {
  const value = values[memberOf(key)] ?? null;
  if (value === null || SETTING_REFERENCES.every(({ name }) => name !== key)) return value;
  return Array.isArray(value) ? value.map((id) => nameOf(id as string)) : nameOf(value as string);
}

function defaultOf(key: string, live: LiveState): unknown {
  return live.settings.defaults[memberOf(key)] ?? null;
}

function memberOf(key: string): string {
  return SETTING_REFERENCES.find(({ name }) => name === key)?.member ?? key;
}
