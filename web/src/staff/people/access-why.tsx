// The reasons for a verdict: every grant of the product with its dates, then the product and the last sign-in.
import { type AccessExplained, explainAccess } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { LoadError } from '../../page.tsx';
import { queryOf } from '../../queries.ts';
import { type Column, DataTable } from '../../ui/table.tsx';
import { StateMark } from '../../ui/tag.tsx';
import { t, tCount, tNode } from '../../words/translate.ts';
import { column } from '../list.tsx';
import { CohortLink, listDayColumns } from '../nouns/cohort.tsx';
import { formatActor } from '../nouns/log-line.ts';
import { formatSignIn } from '../nouns/person.tsx';
import { formatNoGrant } from '../nouns/verdict.ts';
import { formatDay } from '../time.ts';

type ExplainedGrant = AccessExplained['grants'][number];
type AccessWhyProps = {
  id: string;
  /** Ids of the elements that name the reasons. */
  labelledBy: string;
  email: string;
  product: { product_id: string; name: string };
};

/** Classes of the table, which is lower and narrower than others. */
const TABLE =
  'md:[&_:is(td,tbody_th)]:h-9! md:[&_:is(th,td):first-child]:pl-4! md:[&_:is(th,td):last-child]:pr-4! [&_tr:hover_:is(th,td)]:bg-transparent! max-md:[&_tr]:px-4! max-md:[&_tr]:py-2.5! max-md:[&_tbody_tr:first-child]:border-t-0!';

export function AccessWhy({ id, labelledBy, email, product: { product_id, name } }: AccessWhyProps) {
  // `gcTime: 0` removes the reasons from the cache when they are closed, so that they are always the newest ones.
  const query = useQuery({ ...queryOf(explainAccess, { email, product_id }), gcTime: 0 });
  const why = query.data;
  return (
    <section
      id={id}
      aria-labelledby={labelledBy}
      className="col-span-full mt-1.5 overflow-hidden rounded-md border border-line bg-sunken md:max-[80rem]:row-[3] md:max-[80rem]:mt-2"
    >
      {why ? (
        <>
          {why.grants.length > 0 ? (
            <DataTable
              plain
              caption={t('Grants of {product}', { product: name })}
              columns={listColumns()}
              rows={why.grants}
              keyOf={(grant) => grant.id}
              className={TABLE}
            />
          ) : (
            <p className="text-sm pt-2 px-4 pb-2.5 text-ink-2">{formatNoGrant()}</p>
          )}
          <p className="text-sm pt-2 px-4 pb-2.5 border-t border-line text-ink-3 first:border-t-0">
            {t('Product: {facts}.', { facts: formatFacts(why.product) })} {formatLastSignIn(why.person)}
          </p>
        </>
      ) : query.isError ? (
        <div className="-mt-8 p-4">
          <LoadError words={t('We could not load the reasons.')} onRetry={() => void query.refetch()} />
        </div>
      ) : (
        <p role="status" className="text-sm pt-2 px-4 pb-2.5 text-ink-2">
          {t('Loading...')}
        </p>
      )}
    </section>
  );
}

function listColumns(): Column<ExplainedGrant>[] {
  return [
    column(t('Gives access'), ({ from: { name } }) => name ?? '', {
      as: 'strong',
      wraps: true,
      draw: (grant) =>
        grant.all_products ? (
          tNode('{source}, all products', { source: <Source grant={grant} /> })
        ) : (
          <Source grant={grant} />
        ),
    }),
    ...listDayColumns<ExplainedGrant>(),
    column(t('State'), formatState, {
      as: 'end',
      draw: ({ state }, { text }) => <StateMark look={state === 'live' ? 'ink' : 'ring'}>{text}</StateMark>,
    }),
    column(
      t('Given by'),
      ({ granted_by, granted_at }) => `${formatActor(granted_by)}, ${formatDay(granted_at)}`,
      { wraps: true, awayOnTablets: true },
    ),
  ];
}

function Source({ grant: { from } }: { grant: ExplainedGrant }) {
  if (from.kind === 'direct') return t('Directly');
  if (from.kind === 'purchase') return t('Purchase {id}', { id: from.purchase_id ?? '' });
  const { cohort_id = '', name = '' } = from;
  return tNode('Cohort {cohort}', { cohort: <CohortLink cohort={{ cohort_id, name }} /> });
}

function formatState({ state, withdrawn_at }: ExplainedGrant): string {
  if (state === 'withdrawn') return t('Removed {day}', { day: formatDay(withdrawn_at ?? '') });
  return { live: t('Live'), future: t('Scheduled'), over: t('Ended'), archived: t('Archived') }[state];
}

/** Returns the product's status, the first or last day of redeeming if this status has one, and the number of free codes. */
function formatFacts({ status, opens_on, closes_on, left }: AccessExplained['product']): string {
  const facts = [
    {
      live: t('live'),
      paused: t('paused'),
      scheduled: t('scheduled'),
      ended: t('ended'),
      archived: t('archived'),
    }[status],
  ];
  if (status === 'scheduled' && opens_on !== null) facts.push(t('opens {day}', { day: formatDay(opens_on) }));
  if (closes_on !== null) {
    const day = formatDay(closes_on);
    facts.push(status === 'ended' ? t('closed {day}', { day }) : t('closes {day}', { day }));
  }
  facts.push(
    left === null
      ? t('one code for all')
      : tCount(left, { one: '{count} code left', other: '{count} codes left' }),
  );
  return facts.join(', ');
}

function formatLastSignIn({ last_sign_in_at: at }: AccessExplained['person']): string {
  if (at === undefined) return '';
  return at === null
    ? t('This person never signed in.')
    : t('Last sign-in of this person: {time}.', { time: formatSignIn(at) });
}
