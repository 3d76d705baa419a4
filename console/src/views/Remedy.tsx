import { Link } from '@tanstack/react-router';
import { Prose } from '../design/shown/Prose.tsx';
import { apiText, inWordsOfThePages } from '../strings/remedies.ts';

const CALL = /\b((?:GET|POST|PATCH|PUT|DELETE) \/v1\/[\w{}/?=&.:-]*[\w}])/;

/** A text of the service. Where it says which request would help, the page that does the same is named instead. */
export function Remedy({ text }: { readonly text: string }) {
  return inWordsOfThePages(text)
    .split(CALL)
    .map((part, at) => {
      if (at % 2 === 0) return <Prose key={at} text={part} />;
      const place = apiText.find(({ call }) => call.test(part));
      if (place === undefined) return <code key={at}>{part}</code>;
      return (
        <Link key={at} to={place.to} title={part}>
          {place.name}
        </Link>
      );
    });
}
