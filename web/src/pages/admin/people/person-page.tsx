// The record of one person: who it is, whether mails arrive, the access, every code, the mails, and what happened
// (R-TRAIL-50).
import type { PersonRecord } from '@portal/contract';
import { getPerson } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { useRetry } from '../../../parts/use-retry.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { say } from '../../../words/say.ts';
import { NotFoundPage } from '../../not-found-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { refreshLists } from '../changes.ts';
import { Timeline } from '../log/timeline.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { RoleGate } from '../role-gate.tsx';
import { accessOf } from '../users/access.ts';
import { MailWarning } from './mail-warning.tsx';
import { PersonAccess } from './person-access.tsx';
import { PersonActs } from './person-acts.tsx';
import { PersonCodes } from './person-codes.tsx';
import { PersonFacts } from './person-facts.tsx';
import { LaterCards, PersonLoading } from './person-loading.tsx';
import { PersonMails } from './person-mails.tsx';
import styles from './person-page.module.css';
import { personPath, readPersonPath } from './person-path.ts';

export function PersonPage() {
  const { user_id: part = '' } = useParams();
  const user_id = readPersonPath(part);
  return (
    <RoleGate
      to={getPerson}
      otherwise={
        <AdminFrame title={say('Users')}>
          <NothingHere />
        </AdminFrame>
      }
    >
      <Person key={user_id} user_id={user_id} />
    </RoleGate>
  );
}

const back = () => ({ href: '/admin/users', label: say('Users') });

function Person({ user_id }: { user_id: string }) {
  // `gcTime: 0` removes the record from the cache when the page is left. So the page always opens with the newest one.
  const query = useQuery({ ...queryOf(getPerson, { user_id }), gcTime: 0 });
  const retry = useRetry(query);
  if (query.data) return <LoadedPerson record={query.data} />;
  if (isNotFound(query.error)) return <NotFoundPage />;
  if (!retry.failed) return <PersonLoading back={back()} />;
  return (
    <AdminFrame title={say('Person')} back={back()}>
      <LoadError words={say('We could not load this person.')} busy={retry.busy} onRetry={retry.onRetry} />
    </AdminFrame>
  );
}

function LoadedPerson({ record }: { record: PersonRecord }) {
  const { user } = record;
  // The access may have changed since the access card has loaded it for the same user.
  const access = useQuery({ ...accessOf(user.email), refetchOnMount: 'always' });
  // After the query, whose effect stops reading the access of an old address.
  useRefreshed(user);
  useOwnPath(record);
  // The height of the card `Access` is unknown until the access is loaded. The cards below it are shown after that, so
  // that nobody reads or clicks something that moves.
  const [isComplete, setComplete] = useState(false);
  if (!isComplete && (!access.isPending || access.failureCount > 0)) setComplete(true);
  return (
    <AdminFrame
      title={user.name?.trim() || user.email}
      back={back()}
      lines={<PersonFacts record={record} />}
      aside={<PersonActs user={user} />}
    >
      <MailWarning record={record} />
      <PersonAccess query={access} />
      {!isComplete && <LaterCards />}
      <div className={styles.later} hidden={!isComplete}>
        <PersonCodes record={record} />
        <PersonMails record={record} />
        <Timeline subject={{ email: user.email, user_id: user.user_id }} />
      </div>
    </AdminFrame>
  );
}

/** Replaces a path that names the person by address by the one with the id, which an edit does not change. */
function useOwnPath(record: PersonRecord): void {
  const { user_id } = record.user;
  const [path, navigate] = useLocation();
  useEffect(() => {
    if (path === personPath(user_id) || !path.startsWith('/admin/users/')) return;
    queryClient.setQueryData(queryOf(getPerson, { user_id }).queryKey, record);
    navigate(personPath(user_id) + location.search, { replace: true });
  }, [path, navigate, user_id, record]);
}

/**
 * Loads everything that depends on the user again when the user has changed. Does so in an effect of the page. At that
 * time, the parts of the page no longer read the access and the log of an old address, which is unknown by now.
 */
function useRefreshed(user: PersonRecord['user']): void {
  const shown = useRef(user);
  useEffect(() => {
    if (shown.current === user) return;
    shown.current = user;
    refreshLists('users', 'coupons', 'team');
  }, [user]);
}
