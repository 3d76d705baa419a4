/** A directory with a folder for each of several tenants: which these are, and with which key each is asked. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { Compile } from 'typebox/compile';
import { explainFaults } from '../../api/problems/faults.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { clientOf, findTarget, findUrl } from '../session/connect.ts';
import type { Deadline } from '../session/deadline.ts';
import {
  deadlineOf,
  openSession,
  sessionOf,
  type CommonOptions,
  type Session,
} from '../session/run-remote.ts';
import { isInside, readDocuments, type FileFault, type SourceDocument } from './documents.ts';
import { refuseFileFaults } from './read-set.ts';
import { TenantsFile } from './schema.ts';

/** A folder of files, and the tenant that they are of. */
export interface TenantFolder {
  /** Slug; null: the directory is that of one tenant, whichever the key is of. */
  readonly tenant: string | null;
  readonly directory: string;
  /** @throws {CommandError} for a key that is missing, or of another tenant */
  readonly open: () => Promise<Session>;
}

export interface TenantOptions extends CommonOptions {
  /** Slugs of those that are meant; all of them where there is none. */
  readonly tenant: readonly string[];
}

interface Named {
  readonly tenant: string;
  readonly directory?: string;
  readonly context?: string;
  readonly key?: string;
}

/** @throws {CommandError} with faults by file and line, and for options that do not fit */
export function readTenants(directory: string, options: TenantOptions): TenantFolder[] {
  const document = findTenantsFile(directory);
  const deadline = deadlineOf(options);
  if (document === null) {
    if (options.tenant.length > 0)
      throw new CommandError(
        `${directory} has the files of one tenant: leave out --tenant, or write a file with kind: tenants`,
        EXIT.usage,
      );
    return [{ tenant: null, directory, open: () => openSession(options, deadline) }];
  }
  const all = checkedTenants(document, directory);
  const unknown = options.tenant.find((slug) => !all.some(({ tenant }) => tenant === slug));
  if (unknown !== undefined)
    throw new CommandError(
      `${document.at('')}: has no tenant ${unknown}; it has ${all.map(({ tenant }) => tenant).join(', ')}`,
      EXIT.usage,
    );
  const meant = all.filter(({ tenant }) => options.tenant.length === 0 || options.tenant.includes(tenant));
  const other = meant.find(({ key }) => options.context !== undefined && key === undefined);
  if (other !== undefined)
    throw new CommandError(
      `--context ${options.context!} would be passed over: the tenant ${other.tenant} has a context of its own in ${document.at('')}`,
      EXIT.usage,
    );
  return meant.map((one) => ({
    tenant: one.tenant,
    directory: join(directory, one.directory ?? one.tenant),
    open: () => openTenant(one, document.at(`/tenants/${all.indexOf(one)}`), options, deadline),
  }));
}

/** Of the directory itself: what stands beside it there would be of no tenant. */
function findTenantsFile(directory: string): SourceDocument | null {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return null;
  const faults: FileFault[] = [];
  const documents = filesOf(directory).flatMap((path) =>
    readDocuments(path, path, (fault) => faults.push(fault)),
  );
  const [found, ...others] = documents.filter(({ value }) => kindOf(value) === 'tenants');
  if (found === undefined) return null;
  const rest = documents.filter(({ value }) => kindOf(value) !== 'tenants');
  refuseFileFaults([
    ...faults,
    ...others.map(({ at }) => ({
      at: at(''),
      detail: `${found.at('')} has the tenants already: leave one out`,
    })),
    ...rest.map(({ at }) => ({
      at: at(''),
      detail: 'belongs to no tenant: move it into the folder of one, or into a folder that they include',
    })),
  ]);
  return found;
}

function filesOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.yaml', '.yml'].includes(extname(entry.name)))
    .map(({ name }) => join(path, name))
    .sort();
}

function kindOf(value: unknown): unknown {
  return (value as { readonly kind?: unknown } | null)?.kind;
}

function checkedTenants({ value, at }: SourceDocument, root: string): readonly Named[] {
  if (!Compile(TenantsFile).Check(value))
    refuseFileFaults(
      explainFaults(TenantsFile, value).map(({ pointer, detail }) => ({
        at: at(pointer),
        detail: `${pointer.slice(1) || 'it'} ${detail}`,
      })),
    );
  const { tenants } = value as { readonly tenants: readonly Named[] };
  const seen = new Map<string, number>();
  refuseFileFaults(
    tenants.flatMap((one, index): FileFault[] => {
      const folder = one.directory ?? one.tenant;
      const full = resolve(root, folder);
      const here = at(`/tenants/${index}`);
      const earlier = seen.get(one.tenant) ?? seen.get(full);
      seen.set(one.tenant, index).set(full, index);
      if (earlier !== undefined)
        return [
          { at: here, detail: `${one.tenant} stands at ${at(`/tenants/${earlier}`)} already: leave one out` },
        ];
      if (!existsSync(full)) return [{ at: here, detail: `${folder} does not exist: correct the directory` }];
      if (isInside(root, full)) return [];
      return [{ at: here, detail: `${folder} lies outside of the directory: move it inside` }];
    }),
  );
  return tenants;
}

/** Files of one tenant must not reach another: the slug has to be that of the key. */
async function openTenant(
  { tenant, context, key }: Named,
  at: string,
  options: TenantOptions,
  deadline: Deadline | undefined,
): Promise<Session> {
  const target =
    key === undefined
      ? await findTarget(context ?? tenant)
      : { url: await findUrl(options.context), key: variableOf(key, at) };
  const contextWords = key === undefined ? ` --context ${context ?? tenant}` : '';
  const session = { ...sessionOf(clientOf(target, { deadline }), options, deadline), contextWords };
  const { tenant: own } = await session.client.get('/v1/auth/session');
  if (own.slug === tenant) return session;
  throw new CommandError(
    `${at}: the key is of the tenant ${own.slug}, and the files are of ${tenant}: correct the context or the key`,
    EXIT.conflict,
  );
}

function variableOf(key: string, at: string): string {
  const name = key.slice(2, -1);
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  throw new CommandError(
    `${at}: the environment variable ${name} is not set: set it to the key of the tenant`,
    EXIT.usage,
  );
}
