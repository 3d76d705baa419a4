/** Holds answers against the description of the API, as a stranger with the document would. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Operation } from './requests.ts';
import type { Json } from './values.ts';

/** Answers that have no end. */
export const ENDLESS = 'text/event-stream';

export interface Answer {
  readonly status: number;
  /** Without its parameters; empty where there is no body. */
  readonly mediaType: string;
  readonly text: string;
}

/** Sixteen requests at once may change the same thing; on a busy machine one of them gives up its wait for the others. */
function isBusy(status: number, text: string): boolean {
  return status === 503 && (JSON.parse(text) as { code?: unknown }).code === 'busy';
}

/** Says what is wrong with an answer, or null. */
export function answerCheck(document: Json): (operation: Operation, answer: Answer) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  formats.default(ajv);
  // Only people read this one.
  ajv.addFormat('name', true);
  ajv.addSchema({ ...document, $id: 'api' });
  return ({ method, path, responses }, { status, mediaType, text }) => {
    if (status >= 500 && !isBusy(status, text)) return 'a fault of the service';
    const response = responses[String(status)];
    if (response === undefined) return 'a status that is not described';
    if (text === '' && mediaType === '') return response.content === undefined ? null : 'no body';
    if (mediaType === ENDLESS) return response.content?.[ENDLESS] === undefined ? 'not described' : null;
    if (response.content?.[mediaType] === undefined) return `a body of ${mediaType}, which is not described`;
    if (!mediaType.endsWith('json')) return null;
    const pointer = [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      mediaType,
      'schema',
    ];
    const escaped = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    // Most answers have a named schema, which is compiled once and not for each place that refers to it.
    const { schema } = response.content[mediaType] as { readonly schema: Json };
    const named = Object.keys(schema).join() === '$ref' ? (schema.$ref as string) : null;
    const validate = ajv.getSchema(`api${named ?? `#/${escaped.join('/')}`}`)!;
    return validate(JSON.parse(text)) ? null : ajv.errorsText(validate.errors);
  };
}
