import { join } from 'node:path';

/** The default of APP_DATA_DIR: commands on the service's machine find its first key there. */
export function defaultDataDirectory(
  env: Readonly<Record<string, string | undefined>>,
  { isRoot, home }: { readonly isRoot: boolean; readonly home: string },
): string {
  if (isRoot) return '/var/lib/prefixcast';
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'prefixcast');
}
