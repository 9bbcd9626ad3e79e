// The page of one cohort: its products, its members, and the acts on both (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { addMembers, editCohort, getCohort, listAudit } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { queryOf } from '../../../queries.ts';
import { StatusLine } from '../../../ui/status-line.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { useJobAddress } from '../jobs/job-address.ts';
import { Timeline } from '../log/timeline.tsx';
import { PeopleJob } from '../people-acts/people-job.tsx';
import { RoleGate } from '../role-gate.tsx';
import { sayProducts } from '../users/say-products.ts';
import { AddMembers } from './add-members.tsx';
import { ArchiveCard } from './archive-card.tsx';
import { COHORTS_PATH } from './cohort-path.ts';
import { sayMembers } from './cohort-words.ts';
import styles from './cohorts.module.css';
import { EditName } from './edit-name.tsx';
import { MembersCard } from './members-card.tsx';
import { MembersUpload } from './members-upload.tsx';
import { ProductsCard } from './products-card.tsx';

type CohortPageProps = { id: string };

const back = () => ({ href: COHORTS_PATH, label: say('Cohorts') });

export function CohortPage({ id }: CohortPageProps) {
  // `gcTime: 0` removes the cohort from the cache when the page is left. So the page always opens with the newest numbers.
  const query = useQuery({ ...queryOf(getCohort, { id }), gcTime: 0 });
  if (query.data) return <LoadedCohort cohort={query.data} />;
  const isUnknown = isNotFound(query.error);
  return (
    <AdminFrame title={isUnknown ? say('Cohort not found') : say('Cohort')} back={back()}>
      {query.isPending && <StatusLine>{say('Loading the cohort...')}</StatusLine>}
      {isUnknown && <p>{say('No cohort has this address.')}</p>}
      {query.isError && !isUnknown && (
        <LoadError
          words={say('We could not load the cohort.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      )}
    </AdminFrame>
  );
}

function LoadedCohort({ cohort }: { cohort: CohortRecord }) {
  const { id: job } = useJobAddress();
  const { cohort_id, name, note, archived, members, grants } = cohort;
  return (
    <AdminFrame
      title={name}
      back={back()}
      tag={
        <>
          {archived && <Tag>{say('Archived')}</Tag>}
          <span className={styles.sizes}>
            {sayMembers(members)} · {sayProducts(grants.length)}
          </span>
        </>
      }
      lines={
        note !== null && (
          <p dir="auto" className={styles.note}>
            {note}
          </p>
        )
      }
      aside={
        <RoleGate to={editCohort}>
          <EditName cohort={cohort} />
        </RoleGate>
      }
    >
      {job && <PeopleJob />}
      <ProductsCard cohort={cohort} />
      {!archived && (
        <RoleGate to={addMembers}>
          <AddMembers cohort_id={cohort_id} />
          <MembersUpload cohort={cohort} />
        </RoleGate>
      )}
      <MembersCard cohort={cohort} />
      <RoleGate to={editCohort}>
        <ArchiveCard cohort={cohort} />
      </RoleGate>
      <RoleGate to={listAudit}>
        <Timeline subject={{ cohort_id }} />
      </RoleGate>
    </AdminFrame>
  );
}
