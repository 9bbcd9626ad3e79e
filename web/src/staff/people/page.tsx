// The record of one person: who it is, whether mails arrive, the access, every code, the mails, and what happened
// (R-TRAIL-35, R-TRAIL-50).
import {
  type AppUser,
  EDIT_MEMBER_ROLE,
  editedPerson,
  editPerson,
  getPerson,
  listTeam,
  type PersonRecord,
  saveUser,
  sendSignInMail,
  type VersionedUser,
} from '@portal/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Eye, Gift, Mail, Package, Pencil } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { ApiError, call, isNotFound } from '../../api.ts';
import { LoadError } from '../../page.tsx';
import { queryClient, queryOf, useRetry } from '../../queries.ts';
import { NotFoundPage } from '../../refused-pages.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useCopy } from '../../ui/copy.tsx';
import { classes, useIsPhone } from '../../ui/dom.ts';
import { TextField } from '../../ui/field.tsx';
import { Icon, Skeleton } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import { NoRows } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tCount, tNode, tServed } from '../../words/translate.ts';
import { refreshLists, useAction } from '../action.tsx';
import { useTell } from '../files/upload.tsx';
import { EditDialog, TheirsBar, useDialogForm, useStaffForm } from '../form.tsx';
import { AdminFrame, CARDS, NothingHerePage } from '../frame.tsx';
import { AsOf, CardError } from '../list.tsx';
import { Timeline } from '../log/timeline.tsx';
import { type Reveals, toastCopied, useReveals } from '../nouns/code.tsx';
import { checkDays, cohortPath, formatChosenCohorts, useCohorts } from '../nouns/cohort.tsx';
import {
  formatSignIn,
  personField,
  personPath,
  RecordLink,
  TEXT_LINK,
  viewAsPath,
} from '../nouns/person.tsx';
import { useProductChoices } from '../nouns/product.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { today } from '../time.ts';
import { AccessProducts } from './access.tsx';
import { type Access, type AccessProduct, accessOf, hasAccess } from './access-words.ts';
import { checkGift, GiftFields } from './actions.tsx';
import { ErasedPerson, usePrivacyActions } from './erase.tsx';
import { MailWarning, PersonCodes, PersonMails } from './record.tsx';

export function PersonPage() {
  const user_id = readPart(useParams().user_id ?? '');
  return (
    <RoleGate to={getPerson} otherwise={<NothingHerePage title={t('Users')} />}>
      <Person key={user_id} user_id={user_id} />
    </RoleGate>
  );
}

/** Returns the id or address that `personPath` has encoded. The router does not decode an `@` in `part`. */
function readPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const back = () => ({ href: '/admin/users', label: t('Users') });

function Person({ user_id }: { user_id: string }) {
  // `gcTime: 0`: the page always opens with the newest record.
  const query = useQuery({ ...queryOf(getPerson, { user_id }), gcTime: 0 });
  const retry = useRetry(query);
  if (query.data?.erased_at) return <ErasedPerson record={query.data} />;
  if (query.data) return <LoadedPerson record={query.data} />;
  if (isNotFound(query.error)) return <NotFoundPage />;
  if (!retry.failed) return <PersonLoading />;
  return (
    <AdminFrame title={t('Person')} back={back()}>
      <LoadError words={t('We could not load this person.')} {...retry} />
    </AdminFrame>
  );
}

function LoadedPerson({ record }: { record: PersonRecord }) {
  const { user } = record;
  // The access may have changed since the access card has loaded it for the same user.
  const access = useQuery({ ...accessOf(user.email), refetchOnMount: 'always' });
  const reveals = useKnownCodes(access.data, record.coupons);
  // Must be called after `useQuery`, because effects run in this order. If the person has a new address, `useQuery` first
  // unsubscribes from the query of the old address. Otherwise `useRefreshed` would load that query again.
  useRefreshed(user);
  useOwnPath(record);
  // The cards below the card `Access` are shown when its height is known, so that nothing moves.
  const [isComplete, setComplete] = useState(false);
  if (!isComplete && (!access.isPending || access.failureCount > 0)) setComplete(true);
  return (
    <AdminFrame
      title={user.name?.trim() || user.email}
      back={back()}
      lines={<PersonFacts record={record} />}
      aside={<PersonActions user={user} />}
    >
      <MailWarning record={record} />
      <PersonAccess query={access} reveals={reveals} />
      {!isComplete && <LaterCards />}
      <div className={CARDS} hidden={!isComplete}>
        <PersonCodes record={record} reveals={reveals} />
        <PersonMails record={record} />
        <Timeline subject={{ email: user.email, user_id: user.user_id }} />
      </div>
    </AdminFrame>
  );
}

/** The codes that were shown on the page, and those that the access has in full: both cards show the same (R-DAY-38). */
function useKnownCodes(access: Access | undefined, codes: PersonRecord['coupons']): Reveals {
  const reveals = useReveals();
  // A code that was just issued has no id in the access yet.
  const idOf = (product_id: string, code: string) =>
    codes.find(
      ({ product, current, hint }) =>
        current && product.product_id === product_id && hint !== null && code.endsWith(hint),
    )?.id ?? '';
  const inFull = (access?.products ?? []).flatMap(({ product_id, coupon }) =>
    coupon?.coupon_code
      ? [[coupon.id || idOf(product_id, coupon.coupon_code), coupon.coupon_code] as const]
      : [],
  );
  return { ...reveals, shown: new Map([...inFull, ...reveals.shown]) };
}

/** Replaces a path with the address of the person by the one with the id, which an edit does not change. */
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
 * When the user has changed, loads again everything that depends on the user. This is an effect of the page, because
 * the effects of its parts run first: they stop reading the access and the log of an old address.
 */
function useRefreshed(user: PersonRecord['user']): void {
  const shown = useRef(user);
  useEffect(() => {
    if (shown.current === user) return;
    shown.current = user;
    refreshLists('users', 'coupons', listTeam);
  }, [user]);
}

function PersonFacts({ record: { user, cohorts, last_sign_in_at } }: { record: PersonRecord }) {
  const { copy } = useCopy();
  const press = async () => toastCopied(await copy(user.email), t('Address copied'));
  const value = (text: string) => <b className="font-normal text-ink-2">{text}</b>;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2 wrap-anywhere [&>span]:min-w-0">
        <span>{user.email}</span>
        <button
          type="button"
          className={classes(TEXT_LINK, 'cursor-pointer text-(length:--text-sm)')}
          aria-label={t('Copy the address')}
          onClick={() => void press()}
        >
          {t('Copy')}
        </button>
      </p>
      <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-6 gap-y-1.5 text-sm/5.5 text-ink-3 tabular-nums">
        {last_sign_in_at !== undefined && (
          <span>{tNode('Last sign-in: {time}', { time: value(formatSignIn(last_sign_in_at)) })}</span>
        )}
        {user.phone_number && (
          <span className="min-w-0 wrap-anywhere">
            {tNode('Phone: {phone}', { phone: value(user.phone_number) })}
          </span>
        )}
        {cohorts.length > 0 && (
          <ul className="flex min-w-0 flex-wrap gap-1" aria-label={t('Cohorts')}>
            {cohorts.map(({ cohort_id, name, archived }) => (
              <li key={cohort_id} className="min-w-0">
                <Link
                  href={cohortPath(cohort_id)}
                  // At least 24 px high, so that a finger hits it.
                  className="flex min-h-6 items-center rounded-[2px] hover:underline hover:underline-offset-[0.2em]"
                >
                  <Tag>
                    <span
                      className="max-w-64 overflow-hidden text-ellipsis leading-5.5"
                      dir={archived ? undefined : 'auto'}
                    >
                      {archived ? t('{cohort}, archived', { cohort: isolate(name) }) : name}
                    </span>
                  </Tag>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** Phones show the first button, and the rest in the menu. */
function PersonActions({ user }: { user: VersionedUser }) {
  const isPhone = useIsPhone();
  const [, navigate] = useLocation();
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  const mail = useSignInMail(user);
  const privacy = usePrivacyActions(user);
  const viewAs = viewAsPath(user.user_id);
  // The server has the same rule for members of the team (R-TEAM-43).
  const edit = { role: user.team_role === null ? editPerson.role : EDIT_MEMBER_ROLE };
  return (
    <div className="flex flex-none items-center gap-2 pt-0.5 max-md:mt-2 md:max-lg:[&>*>svg]:hidden">
      <RoleGate to={saveUser}>
        <Give user={user} />
      </RoleGate>
      {!isPhone && (
        <>
          <Button size="sm" icon={Mail} busy={mail.busy} onClick={() => void mail.run()}>
            {t('Send sign-in email')}
          </Button>
          <Link href={viewAs} className={buttonClass({ size: 'sm' })}>
            <Icon of={Eye} size={16} />
            {t('View as learner')}
          </Link>
        </>
      )}
      <ActionMenu
        label={t('More for this person')}
        busy={privacy.busy || (isPhone && mail.busy)}
        groups={[
          [
            isPhone && {
              label: t('Send sign-in email'),
              icon: Mail,
              onChoose: () => void mail.run(),
            },
            isPhone && { label: t('View as learner'), icon: Eye, onChoose: () => navigate(viewAs) },
            may(edit) && { label: t('Edit'), icon: Pencil, onChoose: () => setEditing(true) },
          ],
          ...privacy.groups,
        ]}
      />
      <RoleGate to={edit}>
        {isEditing && <EditPerson user={user} onClose={() => setEditing(false)} />}
      </RoleGate>
      {privacy.dialog}
    </div>
  );
}

/** The query parameter `open` of the address opens the dialog, for the key `g` of the search (`givePath`). */
function Give({ user }: { user: VersionedUser }) {
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(useSearch());
  const show = (isOpen: boolean) => {
    if (isOpen) query.set('open', 'give');
    else query.delete('open');
    const text = query.toString();
    navigate(path + (text && `?${text}`), { replace: true });
  };
  return (
    <>
      <Button size="sm" look="primary" icon={Gift} onClick={() => show(true)}>
        {t('Give products')}
      </Button>
      {query.get('open') === 'give' && <GiveDialog user={user} onClose={() => show(false)} />}
    </>
  );
}

/** Gives products for some days, or adds the person to cohorts (R-DAY-30). */
function GiveDialog({ user, onClose }: { user: VersionedUser; onClose: () => void }) {
  const cohorts = useCohorts().options;
  const tell = useTell(t('One email, 10 minutes after saving. It has no code and no sign-in link.'));
  const form = useDialogForm({
    start: { product_ids: [] as string[], cohort_ids: [] as string[], starts_on: today(), ends_on: '' },
    check: ({ cohort_ids, ...gift }) => (cohort_ids.length > 0 ? checkDays(gift) : checkGift(gift)),
    send: ({ ends_on, ...gift }) => {
      const unchanged = { name: null, phone_number: null };
      return call(saveUser, {
        body: { email: user.email, ...unchanged, ...gift, ends_on: ends_on || null, ...tell.body },
      });
    },
    failed: t('Failed to give the products'),
    onDone: onClose,
    done: t('Access given'),
    changes: ['users'],
  });
  return (
    <ConfirmDialog
      isForm
      action={form}
      title={t('Give products to {name}', { name: isolate(user.name?.trim() || user.email) })}
      words={t('The days are for the products chosen here. A cohort has its own days.')}
      confirm={form.busy ? t('Saving...') : t('Give products')}
      onCancel={onClose}
    >
      <GiftFields
        form={form}
        options={useProductChoices().options}
        isOptional={form.values.cohort_ids.length > 0}
      />
      {cohorts.length > 0 && (
        <MultiSelect
          {...form.field('cohort_ids')}
          id="give-cohorts"
          label={t('Cohorts')}
          optional
          prompt={t('No cohort')}
          summary={formatChosenCohorts}
          options={cohorts}
        />
      )}
      {tell.tick}
    </ConfirmDialog>
  );
}

function useSignInMail({ user_id }: AppUser) {
  return useAction({
    send: () => call(sendSignInMail, { params: { user_id } }),
    failed: t('Failed to send the email'),
    done: t('Sign-in mail queued'),
    // The record has the mail, and the log a line about it.
    changes: ['users'],
  });
}

function PersonAccess({ query, reveals }: { query: UseQueryResult<Access>; reveals: Reveals }) {
  const access = query.data;
  return (
    <Card
      title={t('Access')}
      sub={access && formatProductsNow(access.products)}
      action={<AsOf query={query} of={['users']} />}
    >
      {access ? (
        <div className="mt-4.5 border-t border-line [&_[data-no-rows]]:border-t-0">
          <AccessProducts
            access={access}
            reveals={reveals}
            replaces
            none={<NoRows icon={Package}>{t('This person has no products, and never had any.')}</NoRows>}
          />
        </div>
      ) : query.isError ? (
        <CardError words={t('We could not load the access of this person.')} query={query} />
      ) : (
        <RowsPlace />
      )}
    </Card>
  );
}

/** Returns how many products the user has now, later, and no longer, for example '4 products now, 1 ended'. */
function formatProductsNow(products: readonly AccessProduct[]): string {
  if (products.length === 0) return t('No products');
  const now = products.filter(({ grants }) => grants.some(({ state }) => state === 'live')).length;
  const ahead = products.filter(hasAccess).length;
  const parts = [
    tCount(now, { one: '{count} product now', other: '{count} products now' }),
    ...(ahead > now ? [t('{count} scheduled', { count: ahead - now })] : []),
    ...(products.length > ahead ? [t('{count} ended', { count: products.length - ahead })] : []),
  ];
  return parts.join(', ');
}

function PersonLoading() {
  return (
    <AdminFrame
      title={t('Person')}
      back={back()}
      lines={<Skeleton className="w-64 max-w-full h-4 [margin-block:0.25rem_2rem]" />}
      aside={<Skeleton className="w-96 max-w-full h-8 mt-0.5 max-md:w-44 max-md:mt-2" />}
    >
      <Card title={t('Access')}>
        <RowsPlace />
      </Card>
      <LaterCards />
    </AdminFrame>
  );
}

/** The cards below the card `Access`, with placeholders. */
function LaterCards() {
  return (
    <>
      <Card title={t('Codes')} className="lg:col-span-7">
        <RowsPlace />
      </Card>
      <Card title={t('Emails')} className="lg:col-span-5">
        <RowsPlace />
      </Card>
      <Card title={t('Timeline')}>
        <RowsPlace />
      </Card>
    </>
  );
}

function RowsPlace() {
  return (
    <>
      <p className="sr-only" role="status">
        {t('Loading...')}
      </p>
      <div
        aria-hidden="true"
        className="grid gap-6 p-6 [&>div]:flex [&>div]:justify-between [&>div]:gap-6 max-md:p-4.5"
      >
        {[1, 2, 3].map((row) => (
          <div key={row}>
            <Skeleton className="w-36 h-4 last:w-24" />
            <Skeleton className="w-36 h-4 last:w-24" />
          </div>
        ))}
      </div>
    </>
  );
}

/** If somebody else has changed the person meanwhile, shows their version (N-317). */
function EditPerson({ user, onClose }: { user: VersionedUser; onClose: () => void }) {
  const { user_id } = user;
  // The id of the person who has the refused address already; undefined after another error.
  const [owner, setOwner] = useState<string>();
  // What somebody else has saved meanwhile; null until the server has refused to save.
  const [theirs, setTheirs] = useState<ReturnType<typeof valuesOf> | null>(null);
  const key = queryOf(getPerson, { user_id }).queryKey;
  const form = useStaffForm({
    start: valuesOf(user),
    // A person who never had a name may go on without one.
    required: () => ({
      email: t('Enter an email address'),
      ...(user.name !== null && { name: t('Enter a name') }),
    }),
    schema: editedPerson,
    send: async (body) => {
      try {
        return await call(editPerson, { params: { user_id }, body });
      } catch (error) {
        setOwner(error instanceof ApiError ? error.userId : undefined);
        throw error;
      }
    },
    failed: t('Failed to save the changes'),
    refusedAt: { duplicate_email: 'email', last_owner: 'email' },
    onConflict: async () => {
      const now = await call(getPerson, { params: { user_id } });
      queryClient.setQueryData(key, now);
      setTheirs(valuesOf(now.user));
      form.reset({ ...form.values, version: now.user.version });
    },
    conflict: `${t('Somebody else changed this person meanwhile.')} ${t('What you typed is still here.')} ${t('‘Save’ keeps what stands in the form.')}`,
    onDone: (saved) => {
      onClose();
      queryClient.setQueryData(key, (record) => record && { ...record, user: saved });
    },
    done: t('Changes saved'),
  });
  const [email, name, phone] = [form.field('email'), form.field('name'), form.field('phone_number')];
  return (
    <EditDialog
      form={form}
      title={t('Edit')}
      words={t(
        'A new address takes access, cohorts and codes along. Sessions and unsent emails of the old address end at once.',
      )}
      onClose={onClose}
    >
      {user.team_role !== null && (
        <Notice warning>
          {t('Whoever has the new address gets the role {role}.', { role: tServed(user.team_role) })}
        </Notice>
      )}
      <div>
        <TextField
          {...email}
          error={
            email.error && owner !== undefined ? (
              <span>
                {email.error}. <RecordLink to={owner}>{t('Open their record')}</RecordLink>
              </span>
            ) : (
              email.error
            )
          }
          {...personField('email')}
          required
        />
        <TheirsBar label={t('Email')} field={email} theirs={theirs?.email} />
      </div>
      <div>
        <TextField
          {...name}
          {...personField('name')}
          required={user.name !== null}
          optional={user.name === null}
        />
        <TheirsBar label={t('Name')} field={name} theirs={theirs?.name} />
      </div>
      <div>
        <TextField {...phone} {...personField('phone_number')} optional />
        <TheirsBar label={t('Phone')} field={phone} theirs={theirs?.phone_number} />
      </div>
    </EditDialog>
  );
}

function valuesOf({ email, name, phone_number, version }: VersionedUser) {
  return { email, name: name ?? '', phone_number: phone_number ?? '', version };
}
