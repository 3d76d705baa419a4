import { useLocation } from '@tanstack/react-router';
import { Skeleton } from '../design/shown/Skeleton.tsx';
import { text } from '../strings/english.ts';
import { Page } from '../views/page/Page.tsx';
import { PLACES } from './places.ts';

/** Stands where a page will be whose script is not there yet: what the page before says is not said under another address. */
export function PagePending() {
  const { pathname } = useLocation();
  return (
    <Page title={PLACES.find(({ to }) => to === pathname)?.name ?? text.product}>
      <Skeleton what={text.pageAsked} />
    </Page>
  );
}
