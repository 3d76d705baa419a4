import { EnrollLink } from '../../views/resources/EnrollLink.tsx';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { overviewText } from '../../strings/overview.ts';
import { speakersText } from '../../strings/speakers.ts';
import { Section } from '../../views/page/Page.tsx';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';

interface WhyNotProps {
  readonly reasons: Lookup['not_announced'];
  /** Those that wait for a node. */
  readonly besides: Lookup['not_announced'];
}

export function WhyNot({ reasons, besides }: WhyNotProps) {
  const own = reasons.filter((one) => !besides.includes(one));
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
        {own.map(({ reason, detail, module, revision, speaker_ids, peer_ids }, at) => (
          <li key={at}>
            <Badge tone="warning">{text.lookup.reasons[reason]}</Badge>
            <div>
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
