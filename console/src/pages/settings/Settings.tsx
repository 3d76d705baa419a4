import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, settingsQuery, speakersQuery } from '../../service/queries.ts';
import type { Members } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formatList, formatNumber } from '../../strings/format.ts';
import { settingsText } from '../../strings/operations.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';
import { PlanView } from '../../views/revisions/PlanView.tsx';
import { Unsaved } from '../../views/questions/Unsaved.tsx';
import { Locked } from '../../views/forms/Locked.tsx';
import { bodyOf, changesOf, Fields, type Choice, type FormField } from '../../views/forms/RecordForm.tsx';
import { lacksCanary } from '../../../../src/api/activity/canary-speakers.ts';
import { fieldOf, groupsOf, type KnownSetting, type Named } from './setting-fields.ts';
import './settings.css';

const route = getRouteApi('/settings');

export function Settings() {
  const { q = '' } = route.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const field = useRef<HTMLInputElement>(null);
  useShortcut('f', settingsText.filter, () => field.current?.focus());
  return (
    <Page
      title={settingsText.title}
      actions={
        <input
          ref={field}
          className="input filter-select"
          type="search"
          aria-label={settingsText.filter}
          placeholder={settingsText.filter}
          value={q}
          onChange={({ target }) =>
            void navigate({
              to: '/settings',
              search: target.value === '' ? {} : { q: target.value },
              replace: true,
            })
          }
        />
      }
    >
      <Loaded query={useQuery(settingsQuery)}>
        {({ settings, known, hints }) => (
          <>
            {hints.length > 0 && (
              <p className="banner">
                {hints.map(({ key, did_you_mean }) => (
                  <span key={key}>
                    <code>{key}</code>: {settingsText.hints} <code>{did_you_mean}</code>?{' '}
                  </span>
                ))}
              </p>
            )}
            <Locked isLocked={!may('bgp:settings:write')}>
              <Form settings={settings} known={known} q={q} />
            </Locked>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function editsOf(stored: Members, draft: Members): Members {
  const isEdited = ([key, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(stored[key]);
  return Object.fromEntries(Object.entries(draft).filter(isEdited));
}

interface FormProps {
  readonly settings: Members;
  readonly known: readonly KnownSetting[];
  readonly q: string;
}

function Form({ settings, known, q }: FormProps) {
  const [draft, setDraft] = useState(settings);
  const base = useRef(settings);
  useEffect(() => {
    // What somebody else has changed meanwhile is no change of this form.
    const former = base.current;
    base.current = settings;
    setDraft((draft) => ({ ...settings, ...editsOf(former, draft) }));
  }, [settings]);
  // What stood there when somebody began to edit it.
  const [begun, setBegun] = useState<Members>({});
  const edit = (next: Members): void => {
    const edited = Object.keys(editsOf(settings, next));
    setBegun((before) =>
      Object.fromEntries(edited.map((key) => [key, key in before ? before[key] : settings[key]])),
    );
    setDraft(next);
  };
  const [isSaving, setSaving] = useState(false);
  const may = useMay();
  const toast = useToast();
  const named = useNamed();
  const fields = known.map((setting) => fieldOf(setting, named, settings[setting.key]));
  const changes = changesOf(settings, bodyOf(fields, draft));
  const count = Object.keys(changes).length;
  const overtaken = Object.keys(editsOf(settings, begun)).filter((key) => key in changes);
  const wanted = q.toLowerCase();
  const found = known.filter(
    ({ key, description }) => key.includes(wanted) || description.toLowerCase().includes(wanted),
  );
  const own = Object.entries(settings).filter(([key]) => known.every((one) => one.key !== key));
  return (
    <form
      className="settings"
      onSubmit={(event) => {
        event.preventDefault();
        if (count > 0) setSaving(true);
      }}
    >
      {groupsOf(found).map(([title, members]) => (
        <Section key={title} title={title}>
          <div className="settings-group">
            {members.map((setting) => (
              <Setting
                key={setting.key}
                setting={setting}
                field={fieldOf(setting, named, settings[setting.key])}
                draft={draft}
                onChange={edit}
              />
            ))}
          </div>
        </Section>
      ))}
      {own.length > 0 && q === '' && <OwnKeys settings={own} />}
      <Unsaved isDirty={count > 0} />
      {may('bgp:settings:write') && count > 0 && (
        <div className="settings-save">
          <strong>{settingsText.unsaved(count)}</strong>
          {overtaken.length > 0 && (
            <p className="problem" role="alert">
              {overtaken.map((key) => (
                <span key={key}>
                  <code>{key}</code>:{' '}
                  {settingsText.overtaken(said(begun[key], named[key]), said(settings[key], named[key]))}{' '}
                </span>
              ))}
            </p>
          )}
          <Button onClick={() => edit(settings)}>{settingsText.discard}</Button>
          <Button type="submit" look="primary">
            {settingsText.save}
          </Button>
        </div>
      )}
      <PlanDialog
        title={settingsText.saveTitle(count)}
        action={settingsText.saveNow}
        writes={[{ method: 'PATCH', path: '/v1/settings', body: changes }]}
        view={(plan) => <PlanView plan={plan} isBuilt={changes.auto_revision as boolean | undefined} />}
        // The brake works at once.
        isUrgent={changes.deploy_freeze === true}
        back={settingsText.back}
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        onDone={() => {
          setSaving(false);
          setBegun({});
          toast(settingsText.saved);
        }}
      >
        <ul>
          {Object.entries(changes).map(([key, value]) => (
            <li key={key} className="name">
              <code>{key}</code>:{' '}
              {settingsText.becomes(said(settings[key], named[key]), said(value, named[key]))}
              {overtaken.includes(key) && (
                <p className="banner">
                  {settingsText.overtaken(said(begun[key], named[key]), said(settings[key], named[key]))}
                </p>
              )}
            </li>
          ))}
        </ul>
        {changes.deploy_freeze === true && <p className="banner">{settingsText.freezes}</p>}
        <NoCanary canaryIds={changes.deploy_canary_speaker_ids} />
      </PlanDialog>
    </form>
  );
}

/** Of canaries that are chosen, none may be able to take a revision. */
function NoCanary({ canaryIds }: { readonly canaryIds: unknown }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  if (!Array.isArray(canaryIds) || !lacksCanary(canaryIds as string[], speakers)) return null;
  return <p className="banner">{settingsText.noCanary}</p>;
}

/** Whoever chooses them knows their names. */
function useNamed(): Named {
  const { data: speakers } = useQuery(speakersQuery);
  const { data: communities } = useQuery(communitiesQuery);
  return {
    ...(speakers !== undefined && {
      deploy_canary_speaker_ids: speakers.map(({ id, name }) => ({ value: id, label: name })),
    }),
    ...(communities !== undefined && {
      default_community_id: communities.map(({ id, community, title }) => ({
        ...{ value: id, label: `${community} ${title}` },
      })),
    }),
  };
}

interface SettingProps {
  readonly setting: KnownSetting;
  readonly field: FormField;
  readonly draft: Members;
  readonly onChange: (draft: Members) => void;
}

function Setting({ setting, field, draft, onChange }: SettingProps) {
  const isChanged = JSON.stringify(draft[setting.key]) !== JSON.stringify(setting.default);
  return (
    <div className="setting">
      <Fields fields={[field]} draft={draft} onChange={onChange} error={null} />
      <p className="muted">
        {settingsText.default(said(setting.default))}{' '}
        {isChanged && (
          <>
            <Badge tone="accent">{settingsText.changed}</Badge>{' '}
            {/* A box does that itself, and behind it Tab leads to the next setting, such as the reason of a freeze. */}
            {setting.type !== 'boolean' && (
              <Button
                look="quiet"
                className="setting-reset"
                aria-label={`${settingsText.reset}: ${setting.key}`}
                onClick={() => onChange({ ...draft, [setting.key]: setting.default })}
              >
                {settingsText.reset}
              </Button>
            )}
          </>
        )}
      </p>
    </div>
  );
}

function said(value: unknown, named: readonly Choice[] = []): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return text.none;
  const nameOf = (id: unknown): string => named.find((choice) => choice.value === id)?.label ?? String(id);
  if (Array.isArray(value)) return formatList(value.map(nameOf));
  if (named.length > 0) return nameOf(value);
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function OwnKeys({ settings }: { settings: readonly (readonly [string, unknown])[] }) {
  return (
    <Section title={settingsText.own}>
      <p className="muted">{settingsText.ownWhat}</p>
      <dl className="facts">
        {settings.map(([key, value]) => (
          <div key={key} className="sides-row">
            <dt>
              <code>{key}</code>
            </dt>
            <dd>
              <code>{JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
