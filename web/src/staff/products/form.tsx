// The form that changes a product (R-LIFE-31). It shares its text fields with the form that adds one (R-APROD-02).
import type {
  MyProduct,
  ProductFactName,
  ProductRecord,
  ProductTextName,
  StaffProduct,
} from '@portal/contract';
import {
  editedProduct,
  editProduct,
  getProductRecord,
  PERK_MAX,
  PERKS_MAX,
  PRODUCT_FACTS,
  PRODUCT_TEXTS,
} from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { BenefitCard } from '../../learner/benefit-card.tsx';
import { queryClient, queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Check, DateField, TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatLabel, t, tCount } from '../../words/translate.ts';
import { useAction } from '../action.tsx';
import { FIELDS, StaffForm, TheirsBar, useStaffForm } from '../form.tsx';
import { type EditedName, formatProductLabels, isProductDay, useProducts } from '../nouns/product.tsx';
import { formatDay, formatDayAndTime } from '../time.ts';
import { LogoField } from './logo.tsx';

/** A closed form is hidden. `onChanged` gets whether the form has unsaved changes. */
type EditFormProps = { record: ProductRecord; isOpen: boolean; onChanged: (isChanged: boolean) => void };

export function EditForm({ record, isOpen, onChanged }: EditFormProps) {
  const { form, conflict, showTheirs, isChanged, theirs } = useProductEdit(record);
  const guard = useLeaveGuard(isChanged);
  useEffect(() => onChanged(isChanged), [onChanged, isChanged]);
  const { field, values } = form;
  const labels = formatProductLabels();
  const days = [
    { name: 'opens_on', hint: t('First day. Empty: at once.'), max: values.closes_on },
    { name: 'closes_on', hint: t('Last day. Empty: no end.'), min: values.opens_on },
    { name: 'use_by_default', hint: t('For uploads without use_by.') },
  ] as const;
  const below = (name: EditedName) => {
    const value = theirs[name];
    if (value === undefined) return null;
    const words = isProductDay(name) ? value && formatDay(value) : value;
    return <TheirsBar label={labels[name]} field={field(name)} theirs={value} words={words} />;
  };
  return (
    <>
      <div
        hidden={!isOpen}
        className="grid grid-cols-1 gap-x-8 gap-y-6 [&[hidden]]:hidden lg:grid-cols-[minmax(0,1fr)_18rem]"
      >
        <StaffForm form={form} save={t('Save Changes')} note={formatNote(record, isChanged)}>
          <LogoField record={record} />
          <ProductFields field={field} below={below}>
            <Check
              {...field('shared_coupon')}
              className="col-span-full"
              label={t('Shared Coupon')}
              hint={t('Everybody gets the same code. This cannot be changed any more.')}
              disabled
            />
          </ProductFields>
          <div className="grid content-start gap-4 mt-1 pt-5 border-t border-line md:grid-cols-[repeat(3,minmax(0,1fr))]">
            {days.map(({ name, ...day }) => (
              <div key={name}>
                <DateField {...field(name)} {...day} label={labels[name]} />
                {below(name)}
              </div>
            ))}
          </div>
          {conflict && (
            <ConflictBar
              conflict={conflict}
              count={Object.keys(theirs).length}
              onShow={() => void showTheirs()}
            />
          )}
        </StaffForm>
        <CardPreview record={record} values={values} />
      </div>
      {/* Outside of the form: HTML does not allow nested forms, and a closed form is hidden. */}
      {guard.isAsking && (
        <ConfirmDialog
          title={t('Leave without saving?')}
          words={t('Your changes to {product} are not saved yet.', { product: record.name })}
          cancel={t('Stay')}
          confirm={t('Leave')}
          danger
          onCancel={guard.stay}
          onConfirm={guard.leave}
        />
      )}
    </>
  );
}

/** The card of the product on the home page of learners, with what stands in the form now (R-CAT-30). */
function CardPreview({ record, values }: { record: ProductRecord; values: Values }) {
  const { category, value, name, description } = values;
  const { closes_on, ...typed } = withPerks(values);
  const product: MyProduct = {
    ...record,
    ...typed,
    ...{ name: name.trim() || record.name, description: description.trim() || record.description },
    ...{ category: category.trim() || null, value: value.trim() || null, closes_on: closes_on || null },
    ...{ state: 'ready', sold_out: false, from: null, ends_on: null },
    ...{ assigned_at: null, use_by: null, unconfirmed: false, coupon_code: null },
  };
  return (
    <figure className="max-w-96 lg:sticky lg:top-6 lg:self-start">
      <figcaption className="mb-1.5 text-sm font-medium">{t('Card on the learner’s home')}</figcaption>
      {/* A picture of the card: it repeats the form, and its link leads nowhere. */}
      <div inert aria-hidden="true">
        <BenefitCard benefit={product} now={new Date()} />
      </div>
    </figure>
  );
}

/** Returns the note beside the Save button, if there is one. */
function formatNote({ status, held }: ProductRecord, isChanged: boolean): string | undefined {
  if (isChanged) return t('Unsaved changes');
  if (status !== 'archived' || held === 0) return undefined;
  return tCount(held, {
    one: '{count} person who holds a code still sees these texts.',
    other: '{count} people who hold a code still see these texts.',
  });
}

/** What staff type into the form: each text of the product, and its perks, one a line. */
type TypedName = ProductTextName | ProductFactName | 'perks';
// The short facts of the card stand with the name, and the long ones follow the other texts.
const SHORT_FACTS = PRODUCT_FACTS.filter((text) => !('rows' in text));
const FORM_TEXTS = [
  ...PRODUCT_TEXTS.slice(0, 3),
  ...SHORT_FACTS,
  ...PRODUCT_TEXTS.slice(3),
  ...PRODUCT_FACTS.filter((text) => 'rows' in text),
];

export const EMPTY_TEXTS = {
  ...Object.fromEntries(FORM_TEXTS.map(({ name }) => [name, ''])),
  perks: '',
} as Record<TypedName, string>;

/** Returns the values with the perks as a list. Blank lines are no perks. */
function withPerks<Values extends { perks: string }>(values: Values) {
  const perks = values.perks.split('\n').filter((line) => line.trim() !== '');
  return { ...values, perks };
}

type Text = { name: string; value: string; error: string | undefined; onChange: (value: string) => void };

type ProductFieldsProps = {
  field: (name: TypedName) => Text;
  /** Returns what stands below a field. */
  below?: (name: TypedName) => ReactNode;
  /** What follows the text fields. */
  children: ReactNode;
};

/** Returns the errors of required fields that are blank. */
export function formatRequired() {
  return {
    name: t('Enter a name'),
    url: t('Enter the address where people redeem'),
    description: t('Enter a description'),
  };
}

/** Returns the values of a new product with its perks as a list, without the facts and perks that are blank. */
export function withoutBlankFacts<Values extends { perks: string } & Record<ProductFactName, string>>(
  values: Values,
) {
  const { perks, ...others } = withPerks(values);
  const isBlank = (name: string) =>
    PRODUCT_FACTS.some((fact) => fact.name === name && values[fact.name].trim() === '');
  const named = Object.entries(others).filter(([name]) => !isBlank(name));
  return { ...Object.fromEntries(named), ...(perks.length > 0 && { perks }) };
}

/** Returns the error of perks that are too many or too long. */
export function formatPerksRule(): string {
  return t('Enter at most {count} lines of at most {most} characters', { count: PERKS_MAX, most: PERK_MAX });
}

export function ProductFields({ field, below, children }: ProductFieldsProps) {
  const listId = useId();
  const categories = useCategories();
  const hints: Partial<Record<TypedName, string>> = {
    instructions: t('One step per line. Web links become clickable.'),
    category: t('Learners filter by it.'),
    value: t('What it is worth, such as “worth 240 €”.'),
  };
  return (
    <div className={FIELDS}>
      {FORM_TEXTS.map((text) => {
        const { name, label, max } = text;
        const required = 'required' in text;
        const props = {
          ...field(name),
          label: formatLabel(label),
          required,
          optional: !required,
          maxLength: max,
        };
        return (
          <div key={name} className={'rows' in text ? 'col-span-full' : undefined}>
            {'rows' in text ? (
              <TextArea {...props} rows={text.rows} hint={hints[name]} />
            ) : (
              <TextField
                {...props}
                hint={hints[name]}
                autoComplete="on"
                {...(name === 'url' && ADDRESS)}
                {...(name === 'category' && { autoComplete: 'off', list: listId })}
              />
            )}
            {below?.(name)}
          </div>
        );
      })}
      <div className="col-span-full">
        <TextArea
          {...field('perks')}
          label={t('Perks')}
          optional
          rows={PERKS_MAX}
          maxLength={PERKS_MAX * (PERK_MAX + 1)}
          hint={t('Up to three, one per line. Empty: those of the portal.')}
        />
        {below?.('perks')}
      </div>
      {children}
      <datalist id={listId}>
        {categories.map((category) => (
          <option key={category} value={category} />
        ))}
      </datalist>
    </div>
  );
}

/** Returns the categories of all products that are not archived, sorted. */
function useCategories(): string[] {
  const { products } = useProducts();
  return useMemo(() => {
    const named = products.flatMap(({ category }) => (category === null ? [] : [category]));
    return [...new Set(named)].sort((a, b) => a.localeCompare(b));
  }, [products]);
}

const ADDRESS = { inputMode: 'url', placeholder: 'https://' } as const;

/**
 * Somebody else has saved the product while the user edited it here. `theirs` says who and when; it is null until the
 * user asks to see that version.
 */
type Conflict = { theirs: { by: string; at: string } | null };

/** A text or a day that is null is an empty field. */
function valuesOf(product: StaffProduct) {
  const texts = { ...EMPTY_TEXTS };
  for (const { name } of FORM_TEXTS) texts[name] = product[name] ?? '';
  texts.perks = product.perks?.join('\n') ?? '';
  return {
    ...texts,
    shared_coupon: product.shared_coupon,
    opens_on: product.opens_on ?? '',
    closes_on: product.closes_on ?? '',
    use_by_default: product.use_by_default ?? '',
    version: product.version,
  };
}
type Values = ReturnType<typeof valuesOf>;

function useProductEdit(record: ProductRecord) {
  const { product_id: id } = record;
  const [base, setBase] = useState<StaffProduct>(record);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  /** The fields that somebody else has changed; empty until the user asks to see their version. */
  const [changed, setChanged] = useState<EditedName[]>([]);
  const start = valuesOf(base);
  const form = useStaffForm({
    start,
    required: formatRequired,
    schema: { safeParse: (values) => editedProduct.safeParse(withPerks(values)) },
    send: (body) => call(editProduct, { params: { id }, body }),
    failed: t('Failed to save product'),
    // `use_by_default` must be after today, which the server's clock decides. It is the only value that the server can
    // refuse after the schema has accepted it.
    refusedAt: { invalid_request: 'use_by_default' },
    formatInvalid: {
      perks: formatPerksRule(),
      opens_on: t('Enter a complete day'),
      closes_on: t('Enter a complete day, not before the day on which redeeming opens'),
      use_by_default: t('Enter a complete day after today'),
    },
    onConflict: () => setConflict({ theirs: null }),
    onDone: (saved, reset) => {
      setBase(saved);
      reset(valuesOf(saved));
      setConflict(null);
      setChanged([]);
    },
    done: t('Product saved'),
    changes: ['products'],
  });
  const { run: showTheirs, busy } = useAction({
    send: () => call(getProductRecord, { params: { id } }),
    failed: t('We could not load their version.'),
    onDone: (theirs) => {
      // The page outside of the form, such as its title and the state card, shows this version too.
      queryClient.setQueryData(queryOf(getProductRecord, { id }).queryKey, theirs);
      const now = valuesOf(theirs);
      setChanged(listNames(now).filter((name) => now[name] !== start[name]));
      setBase(theirs);
      form.field('version').onChange(theirs.version);
      const { changed_by, changed_at } = theirs;
      setConflict({ theirs: { by: changed_by ?? '', at: changed_at ?? '' } });
    },
  });
  const differs = (name: EditedName) => form.values[name] !== start[name];
  return {
    form,
    conflict: conflict && { ...conflict, busy },
    showTheirs,
    isChanged: listNames(start).some(differs),
    /** The values that somebody else saved and that still differ from the form. The user can copy them into it. */
    theirs: Object.fromEntries(changed.filter(differs).map((name) => [name, start[name]])) as Partial<
      Record<EditedName, string>
    >,
  };
}

function listNames({ shared_coupon: _fixed, version: _version, ...edited }: Values): EditedName[] {
  return Object.keys(edited) as EditedName[];
}

type ConflictBarProps = { conflict: Conflict & { busy: boolean }; count: number; onShow: () => void };

/**
 * Somebody else has changed the product since the form loaded it (N-109). `busy` is true while their version loads. The
 * form differs from their version in `count` fields.
 */
function ConflictBar({ conflict: { theirs, busy }, count, onShow }: ConflictBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const isShown = theirs !== null;
  // The focus moves to the button 'Show their version'. After a click on it, the focus moves to the first button 'Use
  // theirs', or to the Save button if no field differs.
  useEffect(() => {
    const form = bar.current?.closest('form');
    const target = isShown
      ? (form?.querySelector<HTMLElement>('[data-theirs] button') ?? form?.querySelector('[type=submit]'))
      : bar.current?.querySelector('button');
    (target as HTMLElement | null | undefined)?.focus();
  }, [isShown]);
  return (
    <div
      ref={bar}
      role="alert"
      className="text-sm flex flex-wrap items-start gap-3 p-3.5 rounded-md bg-warning-soft text-warning-text [&>div]:flex-[1_1_9rem] [&>div]:min-w-0 [&>div]:wrap-anywhere forced-colors:[outline:1px_solid_CanvasText]"
    >
      <Icon of={TriangleAlert} size={18} className="flex-none mt-0.25" />
      <div>
        <p className="font-semibold">{t('Somebody else changed this product meanwhile.')}</p>
        <p>{theirs ? formatTheirs(theirs, count) : t('What you typed is still here.')}</p>
      </div>
      {!isShown && (
        <Button size="sm" busy={busy} onClick={onShow}>
          {t('Show their version')}
        </Button>
      )}
    </div>
  );
}

function formatTheirs({ by, at }: NonNullable<Conflict['theirs']>, count: number): string {
  const differ = tCount(count, { one: '{count} field differs.', other: '{count} fields differ.' });
  return `${t('{who}, {time}.', { who: by, time: formatDayAndTime(at) })} ${differ} ${t('Save Changes keeps what stands in the form.')}`;
}

/**
 * While `isChanged` is true, stops clicks on links and on buttons with `data-leaves`, and steps by Back and Forward.
 * `isAsking` is true then, and `leave` repeats what was stopped. The browser itself asks before the tab is closed or
 * reloaded. Without the Navigation API (Safari before 26.2, Firefox before 147), Back and Forward are not stopped.
 */
function useLeaveGuard(isChanged: boolean) {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    if (!isChanged) return;
    const followLater = (event: MouseEvent) => {
      const way =
        event.target instanceof Element ? event.target.closest<HTMLElement>('a, [data-leaves]') : null;
      if (isLeaving.current || !way || !leavesPage(way, event)) return;
      event.preventDefault();
      event.stopPropagation();
      setAsked({ go: () => way.click() });
    };
    const stepLater = (event: NavigateEvent) => {
      const isStep = event.navigationType === 'traverse' && event.cancelable && !isLeaving.current;
      const { key, url } = event.destination;
      if (!isStep || new URL(url).pathname === location.pathname) return;
      event.preventDefault();
      setAsked({ go: () => void navigation.traverseTo(key) });
    };
    const holdTab = (event: BeforeUnloadEvent) => {
      if (!isLeaving.current) event.preventDefault();
    };
    const steps = 'navigation' in window ? window.navigation : null;
    const listening = new AbortController();
    const { signal } = listening;
    // In the capture phase, the listener can stop the click before the router opens the page.
    document.addEventListener('click', followLater, { capture: true, signal });
    steps?.addEventListener('navigate', stepLater, { signal });
    window.addEventListener('beforeunload', holdTab, { signal });
    return () => listening.abort();
  }, [isChanged]);
  return {
    isAsking: asked !== null,
    stay: () => setAsked(null),
    leave: () => {
      isLeaving.current = true;
      asked?.go();
    },
  };
}

/** Returns true if the click opens another page in this tab. */
function leavesPage(link: HTMLElement, event: MouseEvent): boolean {
  if (!(link instanceof HTMLAnchorElement)) return true;
  const opensElsewhere =
    link.target === '_blank' || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey;
  return link.href !== '' && !opensElsewhere && link.pathname !== location.pathname;
}
