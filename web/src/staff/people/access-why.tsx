// The reasons for a verdict: every grant of the product with its dates, then the product and the last sign-in.
import { type AccessExplained, explainAccess } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { LoadError } from '../../page.tsx';
import { queryOf } from '../../queries.ts';
import { type Column, DataTable } from '../../ui/table.tsx';
import { StateMark } from '../../ui/tag.tsx';
import { sayDay } from '../../words/format.ts';
import { say, sayAround, sayCount } from '../../words/say.ts';
import { CohortLink } from '../nouns/cohort.tsx';
import { formatActor } from '../nouns/log-line.ts';
import { formatSignIn } from '../nouns/person.tsx';
import { formatNoGrant } from './access-words.ts';

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
              caption={say('Grants of {product}', { product: name })}
              columns={listColumns()}
              rows={why.grants}
              keyOf={(grant) => grant.id}
              className={TABLE}
            />
          ) : (
            <p className="text-sm pt-2 px-4 pb-2.5 text-ink-2">{formatNoGrant()}</p>
          )}
          <p className="text-sm pt-2 px-4 pb-2.5 border-t border-line text-ink-3 first:border-t-0">
            {say('Product: {facts}.', { facts: formatFacts(why.product) })} {formatLastSignIn(why.person)}
          </p>
        </>
      ) : query.isError ? (
        <div className="-mt-8 p-4">
          <LoadError words={say('We could not load the reasons.')} onRetry={() => void query.refetch()} />
        </div>
      ) : (
        <p role="status" className="text-sm pt-2 px-4 pb-2.5 text-ink-2">
          {say('Loading...')}
        </p>
      )}
    </section>
  );
}

function listColumns(): Column<ExplainedGrant>[] {
  return [
    {
      label: say('Gives access'),
      as: 'strong',
      wraps: true,
      words: ({ from: { name } }) => name ?? '',
      draw: (grant) =>
        grant.all_products ? (
          sayAround('{source}, all products', { source: <Source grant={grant} /> })
        ) : (
          <Source grant={grant} />
        ),
    },
    {
      label: say('From'),
      as: 'line',
      labelOnPhones: true,
      words: ({ starts_on }) => sayDay(starts_on),
    },
    {
      label: say('Until'),
      as: 'line',
      labelOnPhones: true,
      words: ({ ends_on }) => (ends_on === null ? '-' : sayDay(ends_on)),
    },
    {
      label: say('State'),
      as: 'end',
      words: (grant) => sayState(grant),
      draw: ({ state }, { text }) => <StateMark look={state === 'live' ? 'ink' : 'ring'}>{text}</StateMark>,
    },
    {
      label: say('Given by'),
      as: 'line',
      wraps: true,
      awayOnTablets: true,
      words: ({ granted_by, granted_at }) => `${formatActor(granted_by)}, ${sayDay(granted_at)}`,
    },
  ];
}

function Source({ grant: { from } }: { grant: ExplainedGrant }) {
  if (from.kind === 'direct') return say('Directly');
  if (from.kind === 'purchase') return say('Purchase {id}', { id: from.purchase_id ?? '' });
  const { cohort_id = '', name = '' } = from;
  return sayAround('Cohort {cohort}', { cohort: <CohortLink cohort={{ cohort_id, name }} /> });
}

function sayState({ state, withdrawn_at }: ExplainedGrant): string {
  if (state === 'withdrawn') return say('Removed {day}', { day: sayDay(withdrawn_at ?? '') });
  return { live: say('Live'), future: say('Future'), over: say('Over'), archived: say('Archived') }[state];
}

/** Returns the status of the product, the days of redeeming that matter for it, and how many codes are free. */
function formatFacts({ status, opens_on, closes_on, left }: AccessExplained['product']): string {
  const facts = [
    {
      live: say('live'),
      paused: say('paused'),
      scheduled: say('scheduled'),
      ended: say('ended'),
      archived: say('archived'),
    }[status],
  ];
  if (status === 'scheduled' && opens_on !== null) facts.push(say('opens {day}', { day: sayDay(opens_on) }));
  if (closes_on !== null) {
    const day = sayDay(closes_on);
    facts.push(status === 'ended' ? say('closed {day}', { day }) : say('closes {day}', { day }));
  }
  facts.push(
    left === null
      ? say('one code for all')
      : sayCount(left, { one: '{count} code left', other: '{count} codes left' }),
  );
  return facts.join(', ');
}

function formatLastSignIn({ last_sign_in_at: at }: AccessExplained['person']): string {
  if (at === undefined) return '';
  return at === null
    ? say('This person never signed in.')
    : say('Last sign-in of this person: {time}.', { time: formatSignIn(at) });
}
