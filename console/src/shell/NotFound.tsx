import { Link } from '@tanstack/react-router';
import { Empty } from '../design/Empty.tsx';
import { text } from '../strings/english.ts';
import { Page } from '../views/Page.tsx';

export function NotFound() {
  return (
    <Page title={text.notFound.title}>
      <Empty
        title={text.notFound.title}
        what={text.notFound.what}
        action={<Link to="/">{text.notFound.action}</Link>}
      />
    </Page>
  );
}
