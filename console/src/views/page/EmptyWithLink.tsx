import { Link } from '@tanstack/react-router';
import { Empty } from '../../design/messages/Empty.tsx';
import { text } from '../../strings/english.ts';

interface EmptyWithLinkProps {
  readonly title: string;
  readonly what: string;
  /** The same on the command line. */
  readonly command: string;
  /** The page where somebody would go on. */
  readonly to: 'jobs' | 'modules' | 'revisions';
}

/** A list of what comes about elsewhere: there is nothing to make here, and a page that leads on. */
export function EmptyWithLink({ to, ...said }: EmptyWithLinkProps) {
  return (
    <Empty
      {...said}
      action={
        <Link className="button" to={`/${to}`}>
          {text.navigation[to]}
        </Link>
      }
    />
  );
}
