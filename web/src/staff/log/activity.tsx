// The page 'Activity' of the dashboard: everything in the log, newest first, with filters (R-TRAIL-52).
import { type AuditLine, exportAudit, isDay, listAudit, listTeam } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Search, SlidersHorizontal } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { ApiError } from '../../api.ts';
import { queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { DateField, Select, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListFoot, PageButton } from '../../ui/list-controls.tsx';
import { NoRows } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { formatNumber } from '../../words/format.ts';
import { t } from '../../words/translate.ts';
import { DownloadLog } from '../exports.tsx';
import { AdminFrame, NothingHerePage } from '../frame.tsx';
import { AsOf, CardError, useList, useListState } from '../list.tsx';
import { formatActor, formatExtent } from '../nouns/log-line.ts';
import { useProducts } from '../nouns/product.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { formatDay } from '../time.ts';
import { LOG_ACTIONS, LogLines, LogLoading } from './lines.tsx';
import { PAGE_LINES } from './pages.tsx';
import { listFurtherKinds, listKinds, nounsOf } from './timeline.tsx';

export function ActivityPage() {
  return (
    <RoleGate to={listAudit} otherwise={<NothingHerePage title={t('Dashboard')} tabTitle={t('Activity')} />}>
      <AdminFrame title={t('Dashboard')} tabTitle={t('Activity')}>
        <ActivityCard />
      </AdminFrame>
    </RoleGate>
  );
}

function ActivityCard() {
  const list = useListState(FILTERS);
  const { state, show } = list;
  const filters = readFilters(state.filters);
  const parameters = toParameters(filters);
  const { query, page } = useList(listAudit, {
    state: { q: '', filters: parameters, cursors: state.cursors },
    show: ({ cursors }) => show({ ...state, cursors }),
    pageSize: PAGE_LINES,
  });
  const { rows, toNext, toPrevious } = page;
  const lookedUntil = query.data?.lookedUntil ?? null;
  const change = (name: FilterName, value: string) =>
    show({ q: '', filters: changeFilter(filters, name, value), cursors: [] });
  // The server responds 404 if nobody has the address in the filter. Then no line matches.
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const isEmpty = isUnknown || (query.data !== undefined && rows.length === 0);
  const isNarrowed = Object.keys(filters).length > 0 || state.cursors.length > 0;
  const clear = () => {
    list.reset();
    focusMain();
  };
  return (
    <Card
      title={t('Activity')}
      sub={<span className="max-md:hidden">{t('Everything that was changed or sent, newest first')}</span>}
      action={
        <div className={LOG_ACTIONS}>
          <AsOf query={query} of={[]} />
          <RoleGate to={exportAudit}>
            <DownloadLog filters={parameters} />
          </RoleGate>
        </div>
      }
    >
      <FilterBar filters={filters} lines={rows} onChange={change} onClear={clear} />
      {query.isPending && <LogLoading />}
      {query.isError && !isUnknown && (
        <CardError words={t('We could not load the activity.')} query={query} />
      )}
      {isEmpty && (
        <NoRows icon={Search}>
          <p role="status">
            {isNarrowed ? t('Nothing in the log matches.') : t('Nothing has happened yet.')}
          </p>
          {isNarrowed && (
            <Button size="sm" onClick={clear}>
              {t('Clear')}
            </Button>
          )}
        </NoRows>
      )}
      {!query.isError && rows.length > 0 && (
        <LogLines
          lines={rows}
          hasAbout
          hasHead
          hasEntries={filters.person === undefined}
          busy={query.isPlaceholderData}
        />
      )}
      {!query.isError && (rows.length > 0 || toNext || toPrevious) && (
        <ListFoot words={formatExtent(rows.at(-1), lookedUntil)}>
          {(toNext || toPrevious) && (
            <>
              {(lookedUntil === null || toPrevious) && (
                <PageButton onPress={toPrevious}>{t('Newer')}</PageButton>
              )}
              <PageButton onPress={toNext}>
                {lookedUntil === null ? t('Older') : t('Look further')}
              </PageButton>
            </>
          )}
        </ListFoot>
      )}
    </Card>
  );
}

const TYPING_PAUSE_MS = 300;

type FilterBarProps = {
  filters: Filters;
  /** The lines on the page. The filter `who` offers their actors. */
  lines: readonly AuditLine[];
  onChange: (name: FilterName, value: string) => void;
  onClear: () => void;
};

/** Classes of a field: lower than the fields of a form. On touch screens the text is larger, as in all fields. */
const FIELD =
  'gap-1! [&>label]:text-xs/4 [&>label]:text-ink-3 [&_:is(input,select)]:min-h-(--control-sm) [&_:is(input,select)]:rounded-sm [&_:is(input,select)]:pl-2.5 [&_input]:pr-2.5 pointer-fine:[&_:is(input,select)]:text-(length:--text-sm)';

type Options = { value: string; label: string }[];

/** On phones, a button opens and closes the filters. */
function FilterBar({ filters, lines, onChange, onClear }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const who = useActors(lines, filters.who);
  const { options } = useProducts();
  const products = withChosen(options, filters.product, lines);
  const what = [...listKinds(), ...listFurtherKinds()];
  const count = Object.keys(filters).length;
  const field = (name: FilterName) => ({
    value: filters[name] ?? '',
    onChange: (value: string) => onChange(name, value),
    className: classes(
      FIELD,
      filters[name] !== undefined &&
        '[&_:is(input,_select):not(:focus-visible,[aria-invalid=true])]:border-ink-2',
    ),
  });
  return (
    <search aria-label={t('Filter the activity')}>
      <div className="hidden max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-2 max-md:py-3.5 max-md:px-4.5">
        <Button size="sm" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <Icon of={SlidersHorizontal} size={16} />
          {t('Filters')}
          {count > 0 && <span>{formatNumber(count)}</span>}
        </Button>
        {!isOpen && listTags(filters, { who, what, products }).map((tag) => <Tag key={tag}>{tag}</Tag>)}
      </div>
      <div
        id={id}
        className="grid grid-cols-[repeat(2,minmax(0,1fr))_minmax(0,1.5fr)_minmax(0,1.1fr)_8.75rem_8.75rem] lg:has-[>button]:grid-cols-[repeat(2,minmax(0,1fr))_minmax(0,1.5fr)_minmax(0,1.1fr)_8.75rem_8.75rem_auto] gap-3 py-4 px-6 max-lg:grid-cols-[repeat(3,minmax(0,1fr))] max-md:grid-cols-[repeat(2,minmax(0,1fr))] max-md:pt-1 max-md:px-4.5 max-md:pb-4 max-md:data-folded:hidden"
        data-folded={!isOpen || undefined}
      >
        <Select {...field('who')} label={t('Who')} prompt={t('Anyone')} options={who} />
        <Select {...field('what')} label={t('What')} prompt={t('Everything')} options={what} />
        <PersonFilter {...field('person')} />
        <Select {...field('product')} label={t('Product')} prompt={t('Any product')} options={products} />
        <DayFilter {...field('from')} label={t('From')} />
        <DayFilter {...field('to')} label={t('To')} />
        {count > 0 && (
          <Button size="sm" look="ghost" className="self-start mt-5" onClick={onClear}>
            {t('Clear')}
          </Button>
        )}
      </div>
    </search>
  );
}

/** Returns learners, the portal, the operator, the actors of the shown lines, and for owners the whole team. */
function useActors(lines: readonly AuditLine[], chosen: string | undefined): Options {
  const may = useMay();
  const { data: team = [] } = useQuery({ ...queryOf(listTeam), enabled: may(listTeam) });
  const actors = ['learner', 'portal', 'operator'];
  const others = [...team.map(({ email }) => email), ...lines.map(({ actor }) => actor), chosen ?? ''];
  const further = [...new Set(others)].filter((actor) => actor !== '' && !actors.includes(actor)).sort();
  return [...actors, ...further].map((actor) => ({ value: actor, label: formatActor(actor) }));
}

/** Adds the product of the filter if it is archived, and so not among the options. */
function withChosen(options: Options, chosen: string | undefined, lines: readonly AuditLine[]): Options {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  const line = lines.find(({ product }) => product?.product_id === chosen);
  return [...options, { value: chosen, label: line?.product?.name ?? chosen }];
}

function listTags(filters: Filters, options: { who: Options; what: Options; products: Options }): string[] {
  const labelIn = (among: Options, value: string | undefined) =>
    among.find((option) => option.value === value)?.label ?? '';
  const tags = [
    labelIn(options.who, filters.who),
    labelIn(options.what, filters.what),
    filters.person ?? '',
    labelIn(options.products, filters.product),
    filters.from ? t('from {day}', { day: formatDay(filters.from) }) : '',
    filters.to ? t('until {day}', { day: formatDay(filters.to) }) : '',
  ];
  return tags.filter((tag) => tag !== '');
}

type FieldProps = { value: string; onChange: (value: string) => void; className: string };

/** Applies the text after a pause, as soon as it is a whole address. */
function PersonFilter({ value, onChange, className }: FieldProps) {
  const [typed, setTyped] = useState(value);
  const [isLeft, setLeft] = useState(false);
  // `value` also changes without typing: by the Back button, or because another filter excludes this one.
  useEffect(() => {
    setTyped(value);
    setLeft(false);
  }, [value]);
  const text = typed.trim().toLowerCase();
  const isWhole = text === '' || isEmail(text);
  const apply = () => {
    if (isWhole && text !== value) onChange(text);
  };
  const applyLater = useEffectEvent(apply);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => applyLater(), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <TextField
      className={classes(className, 'max-md:col-span-full')}
      label={t('Person')}
      type="email"
      placeholder={t('Email')}
      maxLength={254}
      value={typed}
      error={isLeft && !isWhole ? t('Enter a whole email address') : undefined}
      onChange={(words) => {
        setTyped(words);
        setLeft(false);
      }}
      onBlur={() => setLeft(true)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        setLeft(true);
        apply();
      }}
    />
  );
}

/** Applies the day when it is complete. While a year is being typed, the field contains years such as 0002. */
function DayFilter({ value, onChange, ...props }: FieldProps & { label: string }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const change = (day: string) => {
    setTyped(day);
    if (day !== value && (day === '' || isDay(day))) onChange(day);
  };
  return <DateField {...props} value={typed} onChange={change} />;
}

/** `who` is an actor, `what` a kind of actions, `person` an address, `product` an id, `from` and `to` are days. */
export const FILTERS = ['who', 'what', 'person', 'product', 'from', 'to'] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/** The API reads the log by one subject at a time, so each of these clears the others (N-73). */
const SUBJECTS: readonly FilterName[] = ['who', 'person', 'product'];

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const isEmail = (text: string) => EMAIL.test(text);

/** Returns the filters that the server accepts, of those in the URL. `to` is left out if it is before `from`. */
export function readFilters(found: Readonly<Record<string, string>>): Filters {
  const { who, what, person, product, from, to } = found;
  const filters: Filters = {
    ...(what !== undefined && nounsOf(what) !== undefined && { what }),
    ...(from !== undefined && isDay(from) && { from }),
    ...(to !== undefined && isDay(to) && { to }),
  };
  if (filters.from && filters.to && filters.to < filters.from) delete filters.to;
  if (who && who.length <= 300) return { ...filters, who };
  if (person !== undefined && isEmail(person)) return { ...filters, person };
  return product !== undefined && UUID.test(product) ? { ...filters, product } : filters;
}

/** A value of '' clears a filter. A new filter clears those that it excludes. */
export function changeFilter(filters: Filters, name: FilterName, value: string): Filters {
  const { [name]: _old, ...others } = filters;
  if (value === '') return others;
  const next: Filters = { ...others, [name]: value };
  if (SUBJECTS.includes(name)) for (const each of SUBJECTS) if (each !== name) delete next[each];
  if (next.from && next.to && next.to < next.from) delete next[name === 'from' ? 'to' : 'from'];
  return next;
}

/** Returns the parameters of `listAudit` and `exportAudit`. */
export function toParameters({ who, what, person, product, from, to }: Filters): Record<string, string> {
  const kind = what === undefined ? undefined : nounsOf(what);
  return {
    ...(who && { actor: who }),
    ...(person && { email: person }),
    ...(product && { product_id: product }),
    ...(kind && { kind }),
    ...(from && { from }),
    ...(to && { to }),
  };
}
