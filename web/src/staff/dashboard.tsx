// The admin dashboard: failed jobs, three counts with links, redemptions and stock (R-DASH-01 to R-DASH-03).
import type { FailedJobs, Stats } from '@portal/contract';
import {
  exportRedemptions,
  getStats,
  importCoupons,
  listFailedJobs,
  retryFailedJobs,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleAlert, RefreshCw, Table2 } from 'lucide-react';
import { Fragment, type KeyboardEvent, type PointerEvent, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api.ts';
import { queryClient, queryOf } from '../queries.ts';
import { timeZone } from '../settings.ts';
import { Button } from '../ui/button.tsx';
import { Card, CardBody } from '../ui/card.tsx';
import { classes, focusMain } from '../ui/dom.ts';
import { Icon, Skeleton } from '../ui/icon.tsx';
import { Meter } from '../ui/progress.tsx';
import { type Column, DataTable, ROLE } from '../ui/table.tsx';
import { cut, isolate } from '../ui/text.tsx';
import { formatDate, formatNumber } from '../words/format.ts';
import { plural, t, tNode, tServed } from '../words/translate.ts';
import { useAction } from './action.tsx';
import { DownloadButton } from './exports.tsx';
import { CardError, column } from './list.tsx';
import { AddCodesLink, ProductLink } from './nouns/product.tsx';
import { ForecastLine, leftLook, needsCodes, StockTag, stockToneOf } from './nouns/stock.tsx';
import { RoleGate } from './role.tsx';
import { SetupCard, showsSetup } from './setup.tsx';
import { formatDay, formatTime, isToday } from './time.ts';

export function DashboardPage() {
  const query = useQuery(queryOf(getStats));
  const { data: stats, isError } = query;
  const shared = stats?.stock.filter(({ shared_coupon }) => shared_coupon).length;
  const coupons = stats?.coupons;
  // Undefined while the figures load. A process of the version before sends figures without it.
  const setup = stats?.setup;
  const isSetUp = !showsSetup(setup);
  return (
    // The key draws all cards anew when the card of the setup comes, or no chart: nothing that was drawn before moves.
    <Fragment key={`${isSetUp} ${setup?.redeemed !== false}`}>
      <RoleGate to={listFailedJobs}>
        <FailedJobsCard />
      </RoleGate>
      {setup && !isSetUp && <SetupCard setup={setup} />}
      <div className="grid grid-cols-3 gap-2 min-[40rem]:gap-3 lg:gap-5">
        <StatCard
          to="/admin/products"
          title={t('Products')}
          count={stats?.products}
          failed={isError}
          sub={shared ? t('{count} with a shared code', { count: shared }) : ''}
        />
        <StatCard
          to="/admin/users"
          title={t('Users')}
          count={stats?.users}
          failed={isError}
          sub={t('learners and team')}
        />
        <StatCard
          to="/admin/coupons"
          title={t('Coupons')}
          count={coupons?.total}
          failed={isError}
          sub={coupons ? t('{available} available, {assigned} assigned', coupons) : ''}
        />
      </div>
      {isError && (
        <Card title={t('Figures')}>
          <CardError words={t('We could not load the figures.')} query={query} />
        </Card>
      )}
      {/* The stock comes first: an empty product keeps people from their benefit today. */}
      {(stats || !isError) && <StockCard stock={stats?.stock} />}
      {!(stats || isError) && (
        <Card title={t('Redemptions')} sub={t('The last 30 days')} className={CHART}>
          <CardBody>
            <ChartLoading className="min-h-65 xl:min-h-80" />
          </CardBody>
        </Card>
      )}
      {setup?.redeemed === false && <NoRedemptions isIssued={setup.issued} />}
      {stats && setup?.redeemed !== false && <RedemptionsCard days={stats.redemptions} />}
    </Fragment>
  );
}

/** As high as the stock beside it, unless all of many products are shown. */
const CHART = 'xl:col-span-5 xl:max-h-140';

/** The file has the codes that staff gave too. */
const DownloadRedemptions = () => (
  <DownloadButton
    name="redemptions.csv"
    look="ghost"
    choices={[{ label: t('All redemptions'), hint: '', address: exportRedemptions.path }]}
  />
);

/** Before the first redemption: an empty chart would tell nothing. */
function NoRedemptions({ isIssued }: { isIssued: boolean }) {
  return (
    <Card title={t('Redemptions')} className={CHART} action={isIssued ? <DownloadRedemptions /> : undefined}>
      <CardBody>
        <p className="text-ink-3">{t('Nobody has redeemed a code yet.')}</p>
      </CardBody>
    </Card>
  );
}

/** As high as the loaded content, so that the layout does not shift. */
const ChartLoading = ({ className }: { className: string }) => (
  <Skeleton className={classes('h-full', className)} />
);

type StatCardProps = { to: string; title: string; count: number | undefined; failed: boolean; sub: string };

function StatCard({ to, title, count, failed, sub }: StatCardProps) {
  const figure = count === undefined ? undefined : formatNumber(count);
  return (
    <Link
      href={to}
      className="flex min-w-0 flex-wrap content-start items-baseline gap-x-3 px-4.5 py-3 bg-surface border border-line rounded-lg [transition:border-color_var(--duration-fast)] hover:border-line-control max-[40rem]:px-3 max-[40rem]:py-2 lg:px-6"
    >
      <span className="flex w-full items-center justify-between text-sm font-medium text-ink-2 max-[40rem]:[&>svg]:hidden [&>svg]:text-ink-3 forced-colors:[&>svg]:[color:LinkText]">
        {title}
        <Icon of={ArrowRight} size={16} />
      </span>
      <span
        className={classes(
          'text-xl/9 font-semibold [letter-spacing:var(--tracking-tight)] tabular-nums lg:text-2xl/10',
          // A third of a phone is too narrow for a long number in large digits.
          (figure?.length ?? 0) > 6 && 'max-[40rem]:text-base/9',
        )}
      >
        {figure ?? (failed ? '–' : <Skeleton className="w-16 max-w-full h-9 lg:h-10" />)}
      </span>
      {/* Keeps its height while the numbers load. Phones have no room for it: the stock below says more. */}
      <span className="text-sm min-h-5 tabular-nums text-ink-3 max-xl:w-full max-[40rem]:hidden">{sub}</span>
    </Link>
  );
}

function RedemptionsCard({ days }: { days: Day[] }) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title={t('Redemptions')}
      sub={formatTotal({ total: totalOf(days), days: days.length })}
      className={CHART}
      action={
        // In German, the buttons need two rows in the narrow card.
        <div className="flex flex-wrap md:justify-end xl:max-w-84">
          <DownloadRedemptions />
          <Button size="sm" look="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            <Icon of={Table2} size={16} />
            {t('View as table')}
          </Button>
        </div>
      }
    >
      <CardBody className="xl:grid">
        {asTable ? (
          // The section can get the focus, so that keyboard users can scroll.
          <section
            className="max-h-89 xl:max-h-114 -mt-2 -mx-6 -mb-6 overflow-y-auto max-md:mt-0 max-md:-mx-4.5 max-md:-mb-4.5"
            aria-label={t('Redemptions per day')}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region
            tabIndex={0}
          >
            <DayTable days={days} />
          </section>
        ) : (
          <>
            <RedemptionsChart days={days} />
            <div className="sr-only">
              <DayTable days={days} />
            </div>
          </>
        )}
      </CardBody>
    </Card>
  );
}

function DayTable({ days }: { days: Day[] }) {
  const columns: Column<Day>[] = [
    column(t('Day'), ({ day }) => formatChartDay(day, true), { as: 'strong' }),
    column(t('Redemptions'), ({ count }) => formatNumber(count), { as: 'end' }),
  ];
  const rows = days.toReversed();
  const title = t('Redemptions per day');
  return <DataTable plain caption={title} columns={columns} rows={rows} keyOf={({ day }) => day} />;
}

/** Width of a bar, as a share of the space of one day. */
const BAR_WIDTH = 0.87;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * Bars for `days`, from the oldest to the newest. A tooltip shows the day that the pointer or the arrow keys select. The
 * chart is one tab stop; with the focus, it selects the newest day.
 */
function RedemptionsChart({ days }: { days: readonly Day[] }) {
  const [at, setAt] = useState<number | null>(null);
  const newest = days.length - 1;
  const scale = scaleOf(days);
  const top = scale.at(-1) ?? 1;
  const dated = datedDays(days);
  const pointTo = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const day = Math.floor(((clientX - left) / width) * days.length);
    setAt(Math.min(Math.max(day, 0), newest));
  };
  const step = ({ key }: KeyboardEvent) => {
    const by = STEPS[key];
    if (by) setAt(Math.min(Math.max((at ?? newest) + by, 0), newest));
  };
  return (
    <div className="text-(length:--text-2xs) grid grid-cols-[auto_minmax(0,1fr)] gap-2 h-65 xl:h-full xl:min-h-72 pt-4 pr-2 pb-6 pl-0 tabular-nums">
      <div
        className="flex flex-col-reverse justify-between text-right leading-[0] text-ink-3"
        aria-hidden="true"
      >
        {scale.map((tick) => (
          <span key={tick}>{formatNumber(tick)}</span>
        ))}
      </div>
      <div
        // A vertical swipe scrolls the page; a horizontal swipe selects a day.
        className="relative [touch-action:pan-y] focus-visible:rounded-[2px] focus-visible:outline-offset-4 forced-colors:focus-visible:outline-[Highlight]"
        role="application"
        aria-label={describe(days)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys select a day
        tabIndex={0}
        onFocus={() => setAt((day) => day ?? newest)}
        onBlur={() => setAt(null)}
        onKeyDown={step}
        onPointerDown={pointTo}
        onPointerMove={pointTo}
        // On touch screens, the lifted finger fires this event too, but the tooltip stays until the next touch.
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
      >
        <svg aria-hidden="true" className="absolute size-full overflow-visible">
          {scale.map((tick) => (
            <line
              key={tick}
              className="stroke-line first:stroke-line-control forced-colors:stroke-[CanvasText] forced-colors:[stroke-opacity:0.3]"
              x2="100%"
              y1={percent(1 - tick / top)}
              y2={percent(1 - tick / top)}
            />
          ))}
          {days.map(({ day, count }, i) => (
            <rect
              key={day}
              className={classes(
                'forced-colors:forced-color-adjust-none',
                i === at
                  ? 'fill-ink forced-colors:fill-[Highlight]'
                  : 'fill-accent-graphic forced-colors:fill-[CanvasText]',
              )}
              x={percent((i + (1 - BAR_WIDTH) / 2) / days.length)}
              y={percent(1 - count / top)}
              width={percent(BAR_WIDTH / days.length)}
              height={percent(count / top)}
              rx={1.5}
            />
          ))}
          {days.map(
            ({ day }, i) =>
              dated.includes(day) && (
                <text
                  key={day}
                  className="fill-ink-3 forced-colors:fill-[CanvasText]"
                  textAnchor="middle"
                  x={percent((i + 0.5) / days.length)}
                  y="100%"
                  dy={18}
                >
                  {formatChartDay(day)}
                </text>
              ),
          )}
        </svg>
        <Tip days={days} at={at} top={top} />
      </div>
    </div>
  );
}

/** Always on the page, because screen readers announce only texts in an existing element. */
function Tip({ days, at, top }: { days: readonly Day[]; at: number | null; top: number }) {
  const day = at === null ? undefined : days[at];
  const share = ((at ?? 0) + 0.5) / days.length;
  const place = day && {
    left: percent(share),
    bottom: percent(day.count / top),
    // Shifts the tooltip to the left by 15 % (first day) to 85 % (last day) of its width, so that it stays in the plot.
    translate: `${-15 - 70 * share}% -8px`,
  };
  return (
    <div
      className="text-xs/4.5 absolute py-1 px-2 [border-radius:6px] bg-ink text-on-ink whitespace-nowrap pointer-events-none empty:p-0 forced-colors:[border:1px_solid_CanvasText]"
      role="status"
      style={place}
    >
      {day && `${formatChartDay(day.day)}: ${formatNumber(day.count)}`}
    </div>
  );
}

function percent(share: number): string {
  return `${100 * share}%`;
}

export type Day = Stats['redemptions'][number];

/** Returns the days that get a label under the chart: up to five, evenly spaced, including the first and the last. */
export function datedDays(days: readonly Day[]): string[] {
  const dated = days.filter((_day, i) =>
    [0, 1, 2, 3, 4].some((part) => i === Math.round((part * (days.length - 1)) / 4)),
  );
  return dated.map(({ day }) => day);
}

/** Returns the five labels of the scale: round numbers at equal distances, from 0 to at least the highest count. */
export function scaleOf(days: readonly Day[]): number[] {
  const least = Math.max(1, ...days.map(({ count }) => count)) / 4;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const digit = [1, 1.5, 2, 3, 4, 5, 6, 8].find((each) => each * power >= least) ?? 10;
  const step = Math.ceil(digit * power);
  return [0, 1, 2, 3, 4].map((tick) => tick * step);
}

// The redemptions are counted by days in UTC, whatever the portal's time zone is.
function formatTotal(count: { total: number; days: number }): string {
  return timeZone === 'UTC'
    ? t('{total} in the last {days} days', count)
    : t('{total} in the last {days} days (days in UTC)', count);
}

/** `day` is YYYY-MM-DD. Uses UTC, because a local time zone could give the day before. */
export function formatChartDay(day: string, withYear = false): string {
  const year = withYear ? ('numeric' as const) : undefined;
  return formatDate(new Date(`${day}T00:00:00Z`), { day: 'numeric', month: 'short', year, timeZone: 'UTC' });
}

function totalOf(days: readonly Day[]): number {
  return days.reduce((sum, { count }) => sum + count, 0);
}

/** Returns a description of the chart in one or two sentences, for screen readers. */
export function describe(days: readonly Day[]): string {
  const [first] = days;
  const last = days.at(-1);
  if (!first || !last) return t('Redemptions per day');
  const total = totalOf(days);
  const best = days.reduce((most, day) => (day.count > most.count ? day : most), first);
  const span = { first: formatChartDay(first.day), last: formatChartDay(last.day), total };
  if (total === 0) return t('Redemptions per day, {first} to {last}. {total} in total.', span);
  return t('Redemptions per day, {first} to {last}. {total} in total, highest {count} on {day}.', {
    ...span,
    count: best.count,
    day: formatChartDay(best.day),
  });
}

type Stock = Stats['stock'][number];

const SHOWN = 8;

function StockCard({ stock }: { stock: Stock[] | undefined }) {
  const [all, setAll] = useState(false);
  const count = stock?.length ?? 0;
  return (
    <Card
      title={t('Stock left')}
      sub={t('Free codes of each product')}
      className="xl:col-span-7 xl:self-start"
    >
      {!stock && (
        <CardBody>
          <ChartLoading className="min-h-80" />
        </CardBody>
      )}
      {stock?.length === 0 && (
        <CardBody>
          <p className="text-sm min-h-5 tabular-nums text-ink-3">{t('There are no products yet.')}</p>
        </CardBody>
      )}
      {stock && count > 0 && (
        <table {...ROLE.table} className="block text-sm">
          <caption className="sr-only">{t('Codes left per product')}</caption>
          <thead {...ROLE.rows} className="sr-only">
            <tr {...ROLE.row}>
              {[t('Product'), t('How long they last'), t('Share left'), t('Codes left')].map((label) => (
                <th key={label} {...ROLE.head} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...ROLE.rows} className="grid md:grid-cols-[fit-content(11rem)_minmax(0,1fr)_6.5rem_auto]">
            {(all ? stock : stock.slice(0, SHOWN)).map((product) => (
              <StockRow key={product.product_id} product={product} />
            ))}
          </tbody>
        </table>
      )}
      {!all && count > SHOWN && (
        <div className="border-t border-line px-3 py-2 max-md:px-1.5">
          <Button size="sm" look="ghost" onClick={() => setAll(true)}>
            {t('Show all {count} products', { count })}
          </Button>
        </div>
      )}
    </Card>
  );
}

/**
 * One line for a product with enough codes. A product that needs codes has its name in bold, its tag in place of the bar,
 * and a link to the upload. On phones, the sentence has a line of its own, and there is no bar.
 */
function StockRow({ product }: { product: Stock }) {
  const { product_id, name, left, total, shared_coupon } = product;
  const figures = { left: formatNumber(left ?? 0), total: formatNumber(total) };
  const tone = stockToneOf({ left, total });
  const hasBar = left !== null && !shared_coupon;
  const isUrgent = hasBar && needsCodes(product);
  return (
    <tr
      {...ROLE.row}
      className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-4 border-t border-line px-6 py-1 max-md:gap-x-3 max-md:px-4.5 max-md:py-1.5 md:col-span-full md:min-h-10.5 md:grid-cols-subgrid"
    >
      <th
        {...ROLE.name}
        scope="row"
        className={classes(
          'text-left max-md:wrap-anywhere md:truncate',
          isUrgent ? 'font-semibold' : 'font-normal',
        )}
        title={name}
      >
        <ProductLink to={product_id}>{cut(name, 30)}</ProductLink>
      </th>
      <td
        {...ROLE.cell}
        className={classes(
          'max-md:row-start-2 empty:max-md:hidden',
          isUrgent ? 'max-md:col-[1/3]' : 'max-md:col-span-full',
        )}
      >
        {hasBar && <ForecastLine of={product} {...(isUrgent && { className: 'text-ink-2!' })} />}
      </td>
      <td
        {...ROLE.cell}
        // On narrow phones, the tag beside a long link would leave the name no room.
        className={tone === undefined ? 'max-md:hidden' : 'max-[24rem]:col-[1/3] max-[24rem]:row-start-3'}
      >
        <StockTag tone={tone} />
        {hasBar && tone === undefined && (
          <Meter
            label={t('{product}: codes left', { product: name })}
            value={left}
            max={total}
            words={t('{left} of {total}', figures)}
          />
        )}
      </td>
      <td
        {...ROLE.cell}
        className={classes(
          'flex flex-col items-end whitespace-nowrap tabular-nums text-ink-3 max-md:col-start-3 max-md:row-start-1 xl:flex-row-reverse xl:items-baseline xl:gap-3',
          isUrgent && 'max-md:row-span-2 max-md:self-start max-md:pt-1',
        )}
      >
        {hasBar ? (
          <span>
            {tNode('{left} of {total}', {
              ...figures,
              left: <b className={classes('font-semibold', leftLook(tone))}>{figures.left}</b>,
            })}
          </span>
        ) : (
          t('Shared code')
        )}
        {isUrgent && (
          <RoleGate to={importCoupons}>
            <AddCodesLink product={product_id} />
          </RoleGate>
        )}
      </td>
    </tr>
  );
}

function FailedJobsCard() {
  const { data } = useQuery(queryOf(listFailedJobs));
  if (!data || data.length === 0) return null;
  return (
    <Card
      title={t('Failed jobs')}
      sub={t('The portal tried these again and again, and stopped.')}
      className="col-span-full"
    >
      <ul className="mt-4 mx-0 mb-0 p-0 list-none">
        {data.map((jobs) => (
          <FailedRow key={`${jobs.kind} ${jobs.reason}`} jobs={jobs} />
        ))}
      </ul>
    </Card>
  );
}

function FailedRow({ jobs }: { jobs: FailedJobs }) {
  const { kind, reason, since } = jobs;
  const { run, busy } = useAction({
    send: () => call(retryFailedJobs, { body: { kind, reason } }),
    failed: t('Failed to try again'),
    onDone: () => {
      // The list is loaded again, which removes the pressed button. So the focus first moves to the main content.
      focusMain();
      return queryClient.invalidateQueries(queryOf(listFailedJobs));
    },
  });
  const what = formatWhat(jobs);
  return (
    // Icon, name of the job, reason, time, button. Narrow screens show the three texts below each other.
    <li className="grid grid-cols-[1rem_minmax(0,5fr)_minmax(0,8fr)_auto_auto] items-center gap-x-4 gap-y-1 border-t border-line px-6 py-2.5 text-sm max-lg:grid-cols-[1rem_minmax(0,1fr)_auto] max-lg:items-start max-md:grid-cols-[1rem_minmax(0,1fr)] max-md:px-4.5">
      <Icon of={CircleAlert} size={16} className="text-danger-text" />
      <span className="wrap-anywhere font-medium">{what}</span>
      <span className="wrap-anywhere text-ink-2 max-lg:col-[2]" dir="auto">
        {tServed(reason)}
      </span>
      <span className="text-ink-3 tabular-nums max-lg:col-[2]">
        {t('since {time}', { time: formatSince(since) })}
      </span>
      <Button
        size="sm"
        className="max-lg:col-[3] max-lg:row-[1_/_span_3] max-md:col-[2] max-md:row-auto max-md:mt-1.5 max-md:justify-self-start"
        busy={busy}
        aria-label={t('Try again: {what}', { what })}
        onClick={() => void run()}
      >
        {!busy && <Icon of={RefreshCw} size={16} />}
        {busy ? t('Trying...') : t('Try again')}
      </Button>
    </li>
  );
}

/** The text of several failed jobs, by their kind. */
const JOBS: Record<string, (count: number) => string> = {
  import: plural('{count} upload', '{count} uploads'),
  'sign-in-mail': plural('{count} sign-in email', '{count} sign-in emails'),
  'team-mail': plural('{count} invitation', '{count} invitations'),
  'stock-mail': plural('{count} stock email', '{count} stock emails'),
  'notice-mail': plural('{count} notice', '{count} notices'),
  'code-mail': plural('{count} email about a code', '{count} emails about codes'),
  'ready-mail': plural('{count} email about benefits', '{count} emails about benefits'),
  'tell-people': () => t('Telling people about their benefits'),
  'add-up-tally': () => t('Adding up the figures'),
  'expire-codes': () => t('Marking codes whose last day is over'),
  'check-stock': () => t('Looking for products that run out of codes'),
  'forecast-stock': () => t('Counting how long the codes last'),
  'analyse-tables': () => t('Updating the statistics of the database'),
  adopt: () => t('Taking over what the version before left behind'),
  purge: () => t('Deleting expired rows'),
  retain: () => t('Deleting old texts about people'),
};

function formatWhat({ kind, about, count }: FailedJobs): string {
  const email = isolate(about ?? '');
  if (about && kind === 'import') return t('Upload of {file}', { file: email });
  if (about && kind === 'stock-mail') return t('Stock email to {email}', { email });
  if (about && kind === 'notice-mail') return t('Notice to {email}', { email });
  if (about && kind === 'team-mail') return t('Invitation of {email}', { email });
  if (about && kind === 'code-mail') return t('Email about a code to {email}', { email });
  if (about && kind === 'ready-mail') return t('Email about benefits to {email}', { email });
  return JOBS[kind]?.(count) ?? kind;
}

function formatSince(since: string): string {
  return isToday(since) ? t('today, {time}', { time: formatTime(since) }) : formatDay(since);
}
