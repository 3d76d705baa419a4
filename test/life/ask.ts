/** A request as walks send thousands of them: `fetch` takes three times the processor time. */
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

export interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly body: string;
  readonly agent: Agent;
}

export async function ask(
  url: string,
  { body, ...options }: Question,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  return { status: response.statusCode!, text: await textOf(response) };
}
