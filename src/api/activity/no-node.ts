/** Apart from what needs somebody: every plan of the console asks for it. */

/** Nobody has enrolled it yet: it announces nothing, and nothing of it is lost. */
export function hasNoNode({ mode, agent }: { readonly mode: string; readonly agent: unknown }): boolean {
  return mode === 'agent' && agent === null;
}
