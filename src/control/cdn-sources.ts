import type { CdnSource, CdnSourceCreate, CdnSourcePatch } from '../api/cdn-sources.ts';
import { Problem, fieldProblem } from '../api/problem.ts';
import { checkJsonPath, checkSourceUrl } from '../sources/cdn.ts';
import { getCdnSource, insertCdnSource, updateCdnSource } from '../store/cdn-sources.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { getModule } from '../store/modules.ts';
import type { ControlContext } from './context.ts';

export async function createCdnSource(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  body: CdnSourceCreate,
  pointer = '',
): Promise<Versioned<CdnSource>> {
  const { resource: module } = await getModule(tx, moduleId);
  if (module.type !== 'CDN_SOURCES') {
    throw new Problem(
      'conflict',
      `The module ${module.name} is of type ${module.type}; CDN sources belong to modules of type CDN_SOURCES.`,
    );
  }
  checkReading({ ...DEFAULTS, ...body }, pointer);
  return insertCdnSource(tx, secrets, moduleId, body);
}

export async function changeCdnSource(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  id: string,
  patch: CdnSourcePatch,
  version: number | null,
): Promise<Versioned<CdnSource>> {
  const { resource } = await getCdnSource(tx, moduleId, id);
  checkReading({ ...resource, ...patch }, '');
  return updateCdnSource(tx, secrets, moduleId, id, patch, version);
}

const DEFAULTS = { format: 'auto', json_path: null, csv_column: null } as const;

/** How the list is to be read must fit together, and the URL must be one we would ever fetch. */
function checkReading(
  source: Pick<CdnSource, 'url' | 'format' | 'json_path' | 'csv_column'>,
  pointer: string,
): void {
  const { url, format, json_path: jsonPath, csv_column: csvColumn } = source;
  const checkedUrl = checkSourceUrl(url);
  if (!checkedUrl.ok) throw fieldProblem(`${pointer}/url`, checkedUrl.reason);
  if (jsonPath !== null) {
    if (format !== 'json' && format !== 'auto') {
      throw fieldProblem(
        `${pointer}/json_path`,
        `It is for JSON, and the format is ${format}. Leave it out, or set format to json.`,
      );
    }
    const checked = checkJsonPath(jsonPath);
    if (!checked.ok) throw fieldProblem(`${pointer}/json_path`, checked.reason);
  }
  if (csvColumn !== null && format !== 'csv' && format !== 'auto') {
    throw fieldProblem(
      `${pointer}/csv_column`,
      `It is for CSV, and the format is ${format}. Leave it out, or set format to csv.`,
    );
  }
}
