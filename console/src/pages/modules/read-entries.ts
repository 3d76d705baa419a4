import { client } from '../../service/client.ts';

/** All entries of a module, as CSV that an import takes. */
export async function readEntries(moduleId: string): Promise<string> {
  return (await client.request('GET', `/v1/modules/${moduleId}/entries.csv`)).text();
}
