/** A directory of YAML as the objects that it declares, checked as far as that needs no service. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Compile } from 'typebox/compile';
import type { TObject } from 'typebox';
import { explainFaults } from '../../api/problems/faults.ts';
import { didYouMean } from '../../api/problems/nearest.ts';
import { canonicalName } from '../../api/shapes/names.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { lineNotUtf8, NOT_UTF_8 } from '../process/utf8.ts';
import { isInside, listYamlFiles, readDocuments, type FileFault, type SourceDocument } from './documents.ts';
import { withoutExpired } from './entry-rows.ts';
import { completed, KINDS, type Kind, type KindName, type Members } from './kinds.ts';
import { fileSchemaOf, SetFile, SettingsFile } from './schema.ts';

/** A CSV file beside a module. */
export interface EntriesFile {
  readonly text: string;
  /** As faults call it. */
  readonly shown: string;
}

/** One object that a file declares. */
export interface Declared {
  readonly kind: Kind;
  readonly name: string;
  /** All that it has, as files write it; secrets are not among them. */
  readonly members: Members;
  /** Where each secret comes from that its file names. */
  readonly secrets: Members;
  readonly entries: EntriesFile | null;
  readonly renamedFrom: string | null;
  readonly at: SourceDocument['at'];
}

export interface DeclaredSettings {
  readonly values: Members;
  readonly at: SourceDocument['at'];
}

export interface DeclaredSet {
  /** Null: the files say no name, and own nothing. */
  readonly name: string | null;
  readonly objects: readonly Declared[];
  readonly settings: DeclaredSettings | null;
}

/** Faults that are shown; a wrong file may have thousands. */
const SHOWN_FAULTS = 20;

/** @throws {CommandError} with the faults by file and line */
export function refuseFileFaults(faults: readonly FileFault[]): void {
  if (faults.length === 0) return;
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ at, detail }) => `${at}: ${detail}`);
  const rest = faults.length - shown.length;
  throw new CommandError([...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'), EXIT.usage);
}

/** @throws {CommandError} for files that cannot be read, and with every fault by file and line */
export function readSet(directory: string): DeclaredSet {
  if (!existsSync(directory))
    throw new CommandError(`${directory} does not exist: name a directory of YAML files`, EXIT.noInput);
  const reader = new SetReader(directory);
  reader.read(directory);
  if (reader.files === 0)
    throw new CommandError(`${directory} has no YAML files: name the directory that has them`, EXIT.noInput);
  return reader.finish();
}

class SetReader {
  readonly #root: string;
  readonly #faults: FileFault[] = [];
  readonly #read = new Set<string>();
  readonly #objects: Declared[] = [];
  #set: { readonly name: string; readonly at: SourceDocument['at'] } | null = null;
  #settings: DeclaredSettings | null = null;

  constructor(root: string) {
    this.#root = root;
  }

  get files(): number {
    return this.#read.size;
  }

  read(path: string): void {
    for (const file of listYamlFiles(path)) {
      const full = resolve(file);
      if (this.#read.has(full)) continue;
      this.#read.add(full);
      const shown = relative(process.cwd(), full);
      for (const document of readDocuments(file, shown.startsWith('../../') ? full : shown, (fault) =>
        this.#faults.push(fault),
      ))
        this.#take(document);
    }
  }

  finish(): DeclaredSet {
    this.#refuseRepeats();
    refuseFileFaults(this.#faults);
    return { name: this.#set?.name ?? null, objects: this.#objects, settings: this.#settings };
  }

  #take(document: SourceDocument): void {
    const { value, at } = document;
    const kinds = ['set', 'settings', ...Object.keys(KINDS)];
    const given = (value as Members | null)?.kind;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || given === undefined)
      return this.#refuse(at(''), `has no kind: begin with kind: and one of ${kinds.join(', ')}`);
    if (given === 'tenants')
      return this.#refuse(
        at('/kind'),
        'tenants stand in the directory that -f names, and nowhere else: name that directory, or leave them out',
      );
    if (!kinds.includes(given as string))
      return this.#refuse(
        at('/kind'),
        `kind must be one of ${kinds.join(', ')}; it is ${JSON.stringify(given)}${didYouMean(given, kinds)}`,
      );
    if (given === 'set') this.#takeSet(document);
    else if (given === 'settings') this.#takeSettings(document);
    else this.#takeObject(KINDS[given as KindName], document);
  }

  #takeSet(document: SourceDocument): void {
    if (!this.#check(SetFile, document)) return;
    const { at, path } = document;
    const { name, include = [] } = document.value as { name: string; include?: readonly string[] };
    if (this.#set !== null && this.#set.name !== name)
      return this.#refuse(
        at(''),
        `this is the set ${name}, and ${this.#set.at('')} is ${this.#set.name}: leave one out`,
      );
    this.#set = { name, at };
    for (const [index, one] of include.entries()) {
      const included = resolve(dirname(path), one);
      if (existsSync(included)) this.read(included);
      else this.#refuse(at(`/include/${index}`), `${one} does not exist: correct the path`);
    }
  }

  #takeSettings(document: SourceDocument): void {
    if (!this.#check(SettingsFile, document)) return;
    const { kind: _, ...values } = document.value as Record<string, unknown>;
    const earlier = this.#settings;
    const repeated = Object.keys(values).find(
      (key) => earlier !== null && Object.hasOwn(earlier.values, key),
    );
    if (repeated !== undefined)
      return this.#refuse(
        document.at(`/${repeated}`),
        `${repeated} stands at ${earlier!.at(`/${repeated}`)} already: leave one out`,
      );
    const at = (pointer: string): string =>
      earlier !== null && Object.hasOwn(earlier.values, pointer.split('/')[1] ?? '')
        ? earlier.at(pointer)
        : document.at(pointer);
    this.#settings = { values: { ...earlier?.values, ...values }, at };
  }

  #takeObject(kind: Kind, document: SourceDocument): void {
    const { at } = document;
    if (!this.#check(fileSchemaOf(kind), document)) return;
    const given = { ...(document.value as Record<string, unknown>) };
    for (const name of [kind.key, 'title'])
      if (typeof given[name] === 'string') given[name] = canonicalName(given[name]);
    const { kind: _, renamed_from: renamedFrom, entries, ...members } = given;
    const isSecret = ([name]: readonly [string, unknown]): boolean => kind.secrets[name] !== undefined;
    const all = Object.entries(members);
    this.#objects.push({
      kind,
      name: String(members[kind.key]),
      members: completed(kind, Object.fromEntries(all.filter((member) => !isSecret(member)))),
      secrets: Object.fromEntries(all.filter(isSecret)),
      entries: typeof entries === 'string' ? this.#readEntries(entries, document) : null,
      renamedFrom: typeof renamedFrom === 'string' ? canonicalName(renamedFrom) : null,
      at,
    });
  }

  #readEntries(name: string, { path, at }: SourceDocument): EntriesFile | null {
    const file = join(dirname(path), name);
    if (!existsSync(file)) {
      this.#refuse(at('/entries'), `${name} does not exist beside this file: correct the name`);
      return null;
    }
    // Files that somebody else wrote must not make this program read others of the machine.
    if (!isInside(dirname(path), file) && !isInside(this.#root, file)) {
      this.#refuse(at('/entries'), `${name} lies outside of the directory: move it beside this file`);
      return null;
    }
    const shown = relative(process.cwd(), resolve(file));
    const bytes = readFileSync(file);
    const foreign = lineNotUtf8(bytes);
    if (foreign !== null) {
      this.#refuse(`${shown}:${foreign}`, NOT_UTF_8);
      return null;
    }
    return { text: withoutExpired(bytes.toString('utf8')), shown };
  }

  #check(schema: TObject, { value, at }: SourceDocument): boolean {
    if (Compile(schema).Check(value)) return true;
    const faults = explainFaults(schema, value);
    for (const { pointer, detail } of faults)
      this.#refuse(at(pointer), `${pointer.slice(1) || 'it'} ${detail}${remedyFor(detail)}`);
    if (faults.length === 0)
      this.#refuse(at(''), 'does not have the shape of its kind: see prefixcast schema');
    return false;
  }

  #refuseRepeats(): void {
    const seen = new Map<string, Declared>();
    for (const one of this.#objects) {
      const key = `${one.kind.name} ${one.name.toLowerCase()}`;
      const earlier = seen.get(key);
      if (earlier === undefined) seen.set(key, one);
      else
        this.#refuse(
          one.at(''),
          `the ${one.kind.name} ${one.name} stands at ${earlier.at('')} already: leave one out`,
        );
    }
  }

  #refuse(at: string, detail: string): void {
    this.#faults.push({ at, detail });
  }
}

/** What people of other YAML write. */
function remedyFor(detail: string): string {
  if (/must be true or false; it is "(yes|no|on|off)"/i.test(detail)) return ': write true or false';
  if (/must be a string; it is [\d.]+$/.test(detail)) return ': put it in quotes';
  return '';
}
