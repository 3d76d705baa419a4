import { Link } from '@tanstack/react-router';
import { Prose } from '../../design/shown/Prose.tsx';
import { apiText, inWordsOfThePages, itsPage } from '../../strings/remedies.ts';

const CALL = /\b((?:GET|POST|PATCH|PUT|DELETE) \/v1\/[\w{}/?=&.:-]*[\w}])/;

interface RemedyProps {
  readonly text: string;
  /** What the text is about: it has a page of its own. */
  readonly moduleId?: string | undefined;
}

/** A text of the service. Where it says which request would help, the page that does the same is named instead. */
export function Remedy({ text, moduleId }: RemedyProps) {
  return inWordsOfThePages(text)
    .split(CALL)
    .map((part, at, parts) => {
      if (at % 2 === 0) return <Prose key={at} text={part} />;
      const place = apiText.find(({ call }) => call.test(part));
      if (place === undefined) return <code key={at}>{part}</code>;
      const isFirst = /(^|[.!?]\s+)$/.test(parts[at - 1]!);
      const named = (name: string): string => (isFirst ? name[0]!.toUpperCase() + name.slice(1) : name);
      if (place.to === '/modules' && moduleId !== undefined)
        return (
          <Link key={at} to="/modules/$moduleId" params={{ moduleId }} title={part}>
            {named(itsPage)}
          </Link>
        );
      return (
        <Link key={at} to={place.to} title={part}>
          {named(place.name)}
        </Link>
      );
    });
}
