import { getRouteApi } from '@tanstack/react-router';
import { firewallText } from '../../strings/host.ts';
import { Page } from '../../views/page/Page.tsx';
import { Tabs } from '../../views/page/Tabs.tsx';
import { Hosts } from './Hosts.tsx';
import { Rules } from './Rules.tsx';

const route = getRouteApi('/firewall');

const { tabs } = firewallText;
const TABS = [
  ['rules', tabs.rules],
  ['clients', tabs.clients],
] as const;

export function Firewall() {
  const { tab = 'rules' } = route.useSearch();
  return (
    <Page title={firewallText.title}>
      <Tabs label={tabs.label} tabs={TABS} current={tab} />
      {tab === 'rules' ? <Rules /> : <Hosts />}
    </Page>
  );
}
