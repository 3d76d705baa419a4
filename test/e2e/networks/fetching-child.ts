/** Calls an API from where this process is, such as a network namespace that the test itself is not in: asked over IPC. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly key: string;
  readonly body: string | null;
}

/** Status 0: there was no answer, and `text` says why. */
export interface Called {
  readonly id: number;
  readonly status: number;
  readonly text: string;
  /** When, by who answered. */
  readonly date?: string | null;
}

process.on('message', (call: Call) => {
  void answer(call).then((called) => process.send?.(called));
});

async function answer({ id, method, url, key, body }: Call): Promise<Called> {
  const json: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' };
  try {
    const headers = { authorization: `Bearer ${key}`, ...json };
    const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(10_000) });
    const date = response.headers.get('date');
    return { id, status: response.status, text: await response.text(), date };
  } catch (error) {
    return { id, status: 0, text: String(error) };
  }
}
