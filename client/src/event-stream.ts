/** Reads `text/event-stream` (WHATWG HTML, 9.2). */

export interface StreamedEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: string;
}

/** What a stream says, in order: events, the id to resume from, and how long to wait before it. */
export type StreamPart =
  | { readonly event: StreamedEvent }
  | { readonly lastId: string }
  | { readonly retryMilliseconds: number };

export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPart> {
  let id = '';
  let lastId = '';
  let kind = '';
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { event: { id, kind: kind || 'message', data: data.join('\n') } };
      [kind, data] = ['', []];
      // Not before the event is whole and was taken: a stream that breaks inside it begins with it again.
      if (id !== lastId) {
        lastId = id;
        yield { lastId };
      }
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') kind = value;
    else if (field === 'retry' && /^\d+$/.test(value)) yield { retryMilliseconds: Number(value) };
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
