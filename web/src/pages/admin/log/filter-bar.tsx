// The filters of the page 'Activity'. A change applies at once. On phones, a button opens and closes them.
import type { AuditLine } from '@portal/contract';
import { listTeam } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { queryOf } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { DateField } from '../../../ui/date-field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Select } from '../../../ui/select.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { sayDay } from '../../../words/days.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { useMay } from '../role-gate.tsx';
import { useProducts } from '../use-products.ts';
import { type FilterName, type Filters, isDay, isEmail } from './activity-filters.ts';
import styles from './filter-bar.module.css';
import { listFurtherKinds, listKinds } from './kinds.ts';
import { sayActor } from './line-words.ts';

/** Time without input after which a typed text is applied. */
const TYPING_PAUSE_MS = 300;

type FilterBarProps = {
  filters: Filters;
  /** The lines on the page. Those who acted in them can be chosen. */
  lines: readonly AuditLine[];
  onChange: (name: FilterName, value: string) => void;
  onClear: () => void;
};

type Options = { value: string; label: string }[];

export function FilterBar({ filters, lines, onChange, onClear }: FilterBarProps) {
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
    className: classes(styles.field, filters[name] !== undefined && styles.set),
  });
  return (
    <search aria-label={say('Filter the activity')}>
      <div className={styles.toggle}>
        <Button size="sm" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <Icon of={SlidersHorizontal} size={16} />
          {say('Filters')}
          {count > 0 && <span>{sayNumber(count)}</span>}
        </Button>
        {!isOpen && listTags(filters, { who, what, products }).map((tag) => <Tag key={tag}>{tag}</Tag>)}
      </div>
      <div id={id} className={styles.filters} data-folded={!isOpen || undefined}>
        <Select {...field('who')} label={say('Who')} prompt={say('Anyone')} options={who} />
        <Select {...field('what')} label={say('What')} prompt={say('Everything')} options={what} />
        <PersonFilter {...field('person')} />
        <Select {...field('product')} label={say('Product')} prompt={say('Any product')} options={products} />
        <DayFilter {...field('from')} label={say('From')} />
        <DayFilter {...field('to')} label={say('To')} />
        {count > 0 && (
          <Button size="sm" look="ghost" className={styles.clear} onClick={onClear}>
            {say('Clear')}
          </Button>
        )}
      </div>
    </search>
  );
}

/**
 * Returns those who can be chosen as actors: learners, the portal, the operator, the actors of the shown lines, and the
 * team. Only owners may list the team.
 */
function useActors(lines: readonly AuditLine[], chosen: string | undefined): Options {
  const may = useMay();
  const { data: team = [] } = useQuery({ ...queryOf(listTeam), enabled: may(listTeam) });
  const actors = ['learner', 'portal', 'operator'];
  const others = [...team.map(({ email }) => email), ...lines.map(({ actor }) => actor), chosen ?? ''];
  const further = [...new Set(others)].filter((actor) => actor !== '' && !actors.includes(actor)).sort();
  return [...actors, ...further].map((actor) => ({ value: actor, label: sayActor(actor) }));
}

/** Adds the product of the filter if it is archived, and so not among the options. */
function withChosen(options: Options, chosen: string | undefined, lines: readonly AuditLine[]): Options {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  const line = lines.find(({ product }) => product?.product_id === chosen);
  return [...options, { value: chosen, label: line?.product?.name ?? chosen }];
}

/** Returns a text for each filter that is set. */
function listTags(filters: Filters, options: { who: Options; what: Options; products: Options }): string[] {
  const labelIn = (among: Options, value: string | undefined) =>
    among.find((option) => option.value === value)?.label ?? '';
  const tags = [
    labelIn(options.who, filters.who),
    labelIn(options.what, filters.what),
    filters.person ?? '',
    labelIn(options.products, filters.product),
    filters.from ? say('from {day}', { day: sayDay(filters.from) }) : '',
    filters.to ? say('until {day}', { day: sayDay(filters.to) }) : '',
  ];
  return tags.filter((tag) => tag !== '');
}

type FieldProps = { value: string; onChange: (value: string) => void; className: string };

/** Applies the text after a pause, as soon as it is a whole address. */
function PersonFilter({ value, onChange, className }: FieldProps) {
  const [typed, setTyped] = useState(value);
  const [isLeft, setLeft] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The filter is applied after a pause. In this pause, another filter may change. So the timer calls the latest
  // `onChange`.
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  // `value` also changes without typing: by the Back button, or because another filter excludes this one.
  useEffect(() => {
    setTyped(value);
    setLeft(false);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const text = typed.trim().toLowerCase();
  const isWhole = text === '' || isEmail(text);
  const apply = (words: string, afterMs: number) => {
    clearTimeout(timer.current);
    const next = words.trim().toLowerCase();
    if (next !== value && (next === '' || isEmail(next)))
      timer.current = setTimeout(() => latest.current(next), afterMs);
  };
  return (
    <TextField
      className={classes(className, styles.wide)}
      label={say('Person')}
      type="email"
      placeholder={say('Email')}
      autoComplete="off"
      maxLength={254}
      value={typed}
      error={isLeft && !isWhole ? say('Enter a whole email address') : undefined}
      onChange={(words) => {
        setTyped(words);
        setLeft(false);
        apply(words, TYPING_PAUSE_MS);
      }}
      onBlur={() => setLeft(true)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        setLeft(true);
        apply(typed, 0);
      }}
    />
  );
}

/** Applies the day as soon as it is whole. While a year is typed, the field has days that no list contains. */
function DayFilter({ value, onChange, ...props }: FieldProps & { label: string }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const change = (day: string) => {
    setTyped(day);
    if (day !== value && (day === '' || isDay(day))) onChange(day);
  };
  return <DateField {...props} value={typed} onChange={change} />;
}
