/** Whether the host of a URL, as `URL.hostname` writes it, is this machine: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopbackName(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
