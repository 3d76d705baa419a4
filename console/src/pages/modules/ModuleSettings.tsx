import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, resolversQuery, type Module } from '../../service/queries.ts';
import { carryOut } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';
import { EditForm } from '../../views/forms/RecordDialog.tsx';
import { Locked } from '../../views/forms/Locked.tsx';
import { Removed } from '../../views/forms/Removed.tsx';
import './module-settings.css';
import { communityChoices, moduleFields, resolverChoices } from './module-fields.ts';

export function ModuleSettings({ module }: { module: Module }) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: resolvers = [] } = useQuery(resolversQuery);
  const [isDeleting, setDeleting] = useState(false);
  const toast = useToast();
  const mayChange = useMay()('bgp:lists:write');
  const navigate = useNavigate();
  const { settings: words } = entriesText;
  const path = `/v1/modules/${module.id}`;
  return (
    <div className="module-settings">
      <Locked isLocked={!mayChange}>
        <EditForm
          path={path}
          fields={moduleFields(communityChoices(communities), resolverChoices(resolvers))}
          onDone={() => toast(words.saved)}
        />
      </Locked>
      {mayChange && (
        <p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            {words.remove}
          </Button>
        </p>
      )}
      <PlanDialog
        title={words.removeTitle(module.name)}
        action={words.remove}
        look="danger"
        writes={[{ method: 'DELETE', path }]}
        back={words.removeBack}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDone={() => {
          const restore = () => carryOut({ method: 'POST', path: `${path}/restore`, body: {} });
          toast(<Removed said={words.removed(module.name)} restore={restore} />, OFFERED);
          void navigate({ to: '/modules' });
        }}
      />
    </div>
  );
}
