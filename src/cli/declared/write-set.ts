/** Writes a tenant as the files that declare it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { memberOf } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { completed, KIND_NAMES, type Members } from './kinds.ts';
import { LiveState, withReferred, type LiveObject } from './live-state.ts';
import { isOwnershipKey } from './ownership.ts';
import { jsonSchema, SETTING_REFERENCES } from './schema.ts';
import { variableFor } from './secrets.ts';

const SCHEMA_FILE = 'prefixcast.schema.json';

export interface WrittenSet {
  readonly files: number;
  /** What has to be set before the files can be applied elsewhere. */
  readonly variables: readonly string[];
}

/** @throws {CommandError} where the directory has something already */
export async function writeSet(session: Session, directory: string, setName: string): Promise<WrittenSet> {
  requireEmpty(directory);
  const writer = new SetWriter(session, directory);
  writer.document('prefixcast.yaml', { kind: 'set', name: setName });
  writer.text(SCHEMA_FILE, `${JSON.stringify(jsonSchema(), null, 2)}\n`);
  const live = await LiveState.read(session, withReferred(KIND_NAMES));
  for (const kind of KIND_NAMES) for (const object of live.all(kind)) await writer.object(object);
  writer.settings(live);
  return writer.written;
}

/** What stands beside the folders of several tenants. @throws {CommandError} where the directory has something already */
export function writeTenants(
  directory: string,
  tenants: readonly { readonly tenant: string; readonly context: string }[],
): WrittenSet {
  requireEmpty(directory);
  const writer = new SetWriter(null, directory);
  const named = tenants.map(({ tenant, context }) => (tenant === context ? { tenant } : { tenant, context }));
  writer.document('prefixcast.yaml', { kind: 'tenants', tenants: named });
  writer.text(SCHEMA_FILE, `${JSON.stringify(jsonSchema(), null, 2)}\n`);
  return writer.written;
}

function requireEmpty(directory: string): void {
  if (existsSync(directory) && readdirSync(directory).some((name) => !name.startsWith('.')))
    throw new CommandError(`${directory} is not empty: name another directory, or empty it`, EXIT.conflict);
}

class SetWriter {
  readonly #session: Session | null;
  readonly #directory: string;
  readonly #names = new Set<string>();
  readonly #variables: string[] = [];
  #files = 0;

  constructor(session: Session | null, directory: string) {
    this.#session = session;
    this.#directory = directory;
  }

  get written(): WrittenSet {
    return { files: this.#files, variables: this.#variables };
  }

  async object(object: LiveObject): Promise<void> {
    const { kind, id, name, members } = object;
    const folder = NOUNS[kind.name].words.replaceAll(' ', '-');
    const file = this.#freeName(folder, name);
    const usual = completed(kind, { [kind.key]: members[kind.key], maintenance: members.maintenance });
    const named = Object.entries(members).filter(
      ([member, value]) =>
        member === kind.key || !isDeepStrictEqual(value, usual[member]) || member === 'maintenance',
    );
    const entries = kind.name === 'module' ? { entries: `${file}.csv` } : {};
    const document = {
      kind: kind.name,
      ...Object.fromEntries(named),
      ...this.#secretsOf(object),
      ...entries,
    };
    this.document(join(folder, `${file}.yaml`), document);
    if (kind.name !== 'module') return;
    const headers = { accept: 'text/csv' };
    const path = `${NOUNS.module.path}/${id}/entries.csv`;
    const csv = await (await this.#session!.client.request('GET', path, { headers })).text();
    this.text(join(folder, `${file}.csv`), csv.replaceAll('\r\n', '\n'));
  }

  settings(live: LiveState): void {
    const { values, defaults } = live.settings;
    const changed = Object.entries(values).flatMap(([member, value]) => {
      if (isOwnershipKey(member) || isDeepStrictEqual(value, defaults[member] ?? null)) return [];
      const reference = SETTING_REFERENCES.find((one) => one.member === member);
      if (reference === undefined) return [[member, value]];
      const name = (id: unknown): string => live.nameOf(id as string);
      return [[reference.name, Array.isArray(value) ? value.map(name) : name(value)]];
    });
    if (changed.length > 0)
      this.document('settings.yaml', { kind: 'settings', ...(Object.fromEntries(changed) as Members) });
  }

  document(file: string, document: Members): void {
    const depth = file.split('/').length - 1;
    const schema = `${'../'.repeat(depth)}${SCHEMA_FILE}`;
    this.text(file, `# yaml-language-server: $schema=${schema}\n${stringify(document, { lineWidth: 0 })}`);
  }

  text(file: string, text: string): void {
    const path = join(this.#directory, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    this.#files++;
  }

  #secretsOf({ kind, name, item }: LiveObject): Members {
    const secrets: Record<string, unknown> = {};
    for (const [member, shownBy] of Object.entries(kind.secrets)) {
      const shown = memberOf(item, shownBy);
      if (shown === true) secrets[member] = this.#variable(kind.name, name, member);
      if (typeof shown !== 'object' || shown === null || Object.keys(shown).length === 0) continue;
      const headers = Object.keys(shown).map((header) => [header, this.#variable(kind.name, name, header)]);
      secrets[member] = Object.fromEntries(headers) as Members;
    }
    return secrets;
  }

  #variable(kind: string, name: string, member: string): string {
    const plain = variableFor(kind, name, member);
    // Names that differ in other characters than letters and digits would share a secret.
    let variable = plain;
    for (let number = 2; this.#variables.includes(variable); number++) variable = `${plain}_${number}`;
    this.#variables.push(variable);
    return `\${${variable}}`;
  }

  /** Names of objects may have characters that no file name should have. */
  #freeName(folder: string, name: string): string {
    const plain =
      name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-+|-+$/g, '') || 'unnamed';
    for (let number = 1; ; number++) {
      const file = number === 1 ? plain : `${plain}-${number}`;
      if (this.#names.has(`${folder}/${file}`)) continue;
      this.#names.add(`${folder}/${file}`);
      return file;
    }
  }
}
