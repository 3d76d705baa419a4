import { EnrollLink } from '../../views/resources/EnrollLink.tsx';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { chainText } from '../../strings/lookup.ts';
import { overviewText } from '../../strings/overview.ts';
import { speakersText } from '../../strings/speakers.ts';
import { Section } from '../../views/page/Page.tsx';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';

interface WhyNotProps {
  readonly reasons: Lookup['not_announced'];
  /** Those that wait for a node. */
  readonly besides: Lookup['not_announced'];
  /** Then each says of which of its addresses it is. */
  readonly isOfName: boolean;
}

interface Reason {
  readonly one: Lookup['not_announced'][number];
  /** Of which the same is said. */
  readonly addresses: readonly string[];
}

function ofEach(reasons: Lookup['not_announced']): readonly Reason[] {
  const same = Map.groupBy(reasons, (one) => JSON.stringify({ ...one, address: null }));
  return [...same.values()].map((all) => ({
    one: all[0]!,
    addresses: all.flatMap(({ address }) => address ?? []),
  }));
}

export function WhyNot({ reasons, besides, isOfName }: WhyNotProps) {
  const own = ofEach(reasons.filter((one) => !besides.includes(one)));
  return (
    <Section title={text.lookup.whyNot}>
      <ul className="why-not">
        {besides.map(({ speaker_ids }, at) => (
          <li key={`node ${at}`}>
            <Badge>{overviewText.notEnrolled}</Badge>
            <div>
              {speaker_ids.map((id) => (
                <p key={id}>
                  <SpeakerLink id={id} name={null} /> {speakersText.notEnrolledDetail}{' '}
                  <EnrollLink speakerId={id} />
                </p>
              ))}
            </div>
          </li>
        ))}
        {own.map(({ one: { reason, detail, module, revision, speaker_ids, peer_ids }, addresses }, at) => (
          <li key={at}>
            <Badge tone="warning">{text.lookup.reasons[reason]}</Badge>
            <div>
              {isOfName && addresses.length > 0 && (
                <p className="muted">{chainText.ofAddresses(formatList(addresses))}</p>
              )}
              <p className="name">
                <Remedy text={detail} moduleId={module?.id} />
              </p>
              <p className="why-not-links">
                {peer_ids.length === 0 &&
                  speaker_ids.map((id) => <SpeakerLink key={id} id={id} name={null} />)}
                {peer_ids.map((id) => (
                  <PeerLink key={id} id={id} name={null} />
                ))}
                {module !== null && (
                  <Link className="name" to="/modules/$moduleId" params={{ moduleId: module.id }}>
                    {module.name}
                  </Link>
                )}
                {revision !== null && (
                  <Link to="/revisions/$revision" params={{ revision: String(revision) }}>
                    {text.revisions.numbered(revision)}
                  </Link>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
