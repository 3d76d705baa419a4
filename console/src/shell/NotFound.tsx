import { Link } from '@tanstack/react-router';
import { text } from '../strings/english.ts';
import { Page } from '../views/page/Page.tsx';

export function NotFound() {
  return (
    <Page title={text.notFound.title}>
      <p className="muted">{text.notFound.what}</p>
      <p>
        <Link className="button" to="/">
          {text.notFound.action}
        </Link>
      </p>
    </Page>
  );
}
