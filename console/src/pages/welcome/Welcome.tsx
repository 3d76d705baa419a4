import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { modulesQuery, peersQuery, revisionsQuery, speakersQuery } from '../../service/queries.ts';
import { sessionQuery } from '../../service/session.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { ListStep } from './ListStep.tsx';
import { PeerStep } from './PeerStep.tsx';
import { doneOf, firstRevision, STEPS, type Seen, type StepName } from './progress.ts';
import { RevisionStep } from './RevisionStep.tsx';
import { SessionStep } from './SessionStep.tsx';
import './welcome.css';

/** From an empty tenant to routes at a router, by somebody who has read nothing. */
export function Welcome() {
  const modules = useQuery(modulesQuery);
  const peers = useQuery(peersQuery);
  const speakers = useQuery(speakersQuery);
  const revisions = useInfiniteQuery(revisionsQuery());
  return (
    <Page title={welcomeText.title}>
      <p className="muted">{welcomeText.what}</p>
      <ClosedPolicy />
      <Loaded query={modules}>
        {(allModules) => (
          <Loaded query={peers}>
            {(allPeers) => (
              <Loaded query={speakers}>
                {(allSpeakers) => (
                  <Loaded query={revisions}>
                    {({ pages }) => (
                      <Steps
                        seen={{
                          ...{ modules: allModules, peers: allPeers, speakers: allSpeakers },
                          revisions: pages.flatMap(({ items }) => items),
                        }}
                      />
                    )}
                  </Loaded>
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

/** What a policy must allow for routes to come to a router. */
const NEEDED = [
  'allowed_prefixes',
  'allowed_communities',
  'allowed_local_asns',
  'allowed_peer_networks',
] as const;

/** Nobody fills in a form that the policy of their tenant will refuse. */
function ClosedPolicy() {
  const { data: session } = useQuery(sessionQuery);
  if (session === undefined) return null;
  const closed = NEEDED.filter((name) => session.policy[name]?.length === 0);
  if (closed.length === 0) return null;
  return (
    <p className="banner" role="status">
      {welcomeText.closed(session.tenant.name, formatList(closed.map((name) => welcomeText.policies[name])))}
    </p>
  );
}

function Steps({ seen }: { seen: Seen }) {
  const done = doneOf(seen);
  const current = STEPS.find((name) => !done[name]) ?? 'session';
  return (
    <ol className="welcome">
      {STEPS.map((name, at) => (
        <Step
          key={name}
          title={welcomeText.step(at + 1, welcomeText.steps[name])}
          isDone={done[name]}
          isCurrent={name === current}
          summary={done[name] ? summaryOf(name, seen) : null}
        >
          <StepBody name={name} seen={seen} />
        </Step>
      ))}
    </ol>
  );
}

function summaryOf(name: StepName, seen: Seen): string | null {
  const names = (items: readonly { readonly name: string }[]): string =>
    formatList(items.slice(0, 3).map((one) => one.name));
  switch (name) {
    case 'list':
      return welcomeText.listDone(names(seen.modules));
    case 'peer':
      return welcomeText.peerDone(names(seen.peers));
    case 'revision': {
      const { number, prefix_count } = firstRevision(seen)!;
      const routes = text.routes(prefix_count.ipv4 + prefix_count.ipv6);
      return welcomeText.revisionDone(text.revisions.numbered(number), routes);
    }
    case 'session':
      return null;
  }
}

function StepBody({ name, seen }: { name: StepName; seen: Seen }) {
  const { data: session } = useQuery(sessionQuery);
  switch (name) {
    case 'list':
      return (
        <ListStep asn={seen.speakers[0]?.local_asn} allowed={session?.policy.allowed_communities ?? null} />
      );
    case 'peer':
      return <PeerStep speakers={seen.speakers} />;
    case 'revision':
      return <RevisionStep modules={seen.modules} revisions={seen.revisions} />;
    case 'session':
      return <SessionStep seen={seen} />;
  }
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
  readonly summary: string | null;
  /** Shown while it is this step's turn. */
  readonly children: ReactNode;
}

function Step({ title, isDone, isCurrent, summary, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const was = useRef(isCurrent);
  useEffect(() => {
    // The step before has taken the focus with it.
    if (isCurrent && !was.current) heading.current?.focus();
    was.current = isCurrent;
  }, [isCurrent]);
  return (
    <li className="welcome-step" aria-current={isCurrent ? 'step' : undefined}>
      <h2 ref={heading} tabIndex={-1} className={isCurrent || isDone ? '' : 'muted'}>
        {title} {isDone && <Badge tone="good">{welcomeText.done}</Badge>}
      </h2>
      {summary !== null && <p className="muted name">{summary}</p>}
      {isCurrent && children}
    </li>
  );
}
