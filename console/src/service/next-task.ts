/** Resolves in another task of the browser: what somebody has pressed meanwhile comes first. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
