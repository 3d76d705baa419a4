import { join } from 'node:path';

/** Where the service keeps its data unless APP_DATA_DIR says otherwise: commands on its machine find its first key there. */
export function defaultDataDirectory(
  env: Readonly<Record<string, string | undefined>>,
  { isRoot, home }: { readonly isRoot: boolean; readonly home: string },
): string {
  if (isRoot) return '/var/lib/prefixcast';
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'prefixcast');
}
