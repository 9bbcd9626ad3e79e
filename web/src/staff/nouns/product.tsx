// A product: its link, mark, column, options and status.
import {
  type ListedProduct,
  listProducts,
  PRODUCT_DAYS,
  PRODUCT_FACTS,
  PRODUCT_TEXTS,
  type ProductDayName,
  type ProductFactName,
  type ProductRecord,
  type ProductStatus,
  type ProductTextName,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { productIdOf } from '../../navigation.ts';
import { queryOf } from '../../queries.ts';
import { Logo } from '../../ui/logo.tsx';
import { ROW_LINK } from '../../ui/table.tsx';
import { StateMark, Tag } from '../../ui/tag.tsx';
import { formatLabel, plural, t } from '../../words/translate.ts';
import { column } from '../list.tsx';
import { formatDay } from '../time.ts';
import { useStock } from './stock.tsx';

/** A link in a row of a list that names the product (R-FIND-02). Every role may open the page. */
export function ProductLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={`/admin/products/${to}`} className={ROW_LINK} dir="auto">
      {children}
    </Link>
  );
}

/** The upload of codes, with the product chosen. */
export const addCodesPath = (product: string) =>
  `/admin/coupons?${new URLSearchParams({ open: 'upload', product })}`;

/** Opens the upload of codes for a product, which has none left (R-DAY-35). */
export function AddCodesLink({ product }: { product: string }) {
  return (
    <Link
      href={addCodesPath(product)}
      className="-my-0.5 inline-flex min-h-6 items-center text-sm whitespace-nowrap text-accent-text underline underline-offset-[0.2em]"
    >
      {t('Add codes')}
    </Link>
  );
}

type ProductMarkProps = { id: string; logo?: string | null; children: ReactNode };

/**
 * `children` is the name, and what stands beside it, after the product's logo or rosette. Without `logo`, the list of
 * products has it.
 */
export function ProductMark({ id, logo, children }: ProductMarkProps) {
  const { logos } = useProducts();
  return (
    <span className="flex items-center gap-3 whitespace-nowrap [&>:nth-child(2)]:min-w-0 [&>:nth-child(2)]:overflow-hidden [&>:nth-child(2)]:text-ellipsis">
      <Logo
        logo={logo === undefined ? logos.get(id) : logo}
        id={id}
        size={24}
        rosette={20}
        detail="small"
        isLazy
        className="flex-none text-ink-3"
      />
      {children}
    </span>
  );
}

/**
 * The column of the row's product. `names` maps ids to names. A product with a name is a link (R-FIND-02); a product
 * without a name has the text of `formatUnnamed`.
 */
export const listProductColumn = <Row extends { product_id: string | null }>(
  names: ReadonlyMap<string, string>,
  formatUnnamed: (productId: string) => string = () => '-',
) =>
  column<Row>(
    t('Product'),
    ({ product_id: id }) => (id === null ? '-' : (names.get(id) ?? formatUnnamed(id))),
    {
      max: 30,
      draw: ({ product_id: id }, { text }) =>
        id !== null && names.has(id) ? <ProductLink to={id}>{text}</ProductLink> : text,
    },
  );

const NONE: ListedProduct[] = [];

/** The products without the archived ones, also as options of a select, and maps from their ids to names and logos. */
export function useProducts() {
  const query = useQuery(queryOf(listProducts));
  const products = query.data ?? NONE;
  return useMemo(() => {
    const options = products.map((product) => ({ value: productIdOf(product), label: product.name }));
    const names = new Map(options.map(({ value, label }) => [value, label]));
    const logos = new Map(products.map((product) => [productIdOf(product), product.logo]));
    return { query, products, options, names, logos };
  }, [query, products]);
}

export function useArchivedProducts(enabled = true) {
  return useQuery<ListedProduct[]>({ queryKey: [`${listProducts.path}?archived=true`], enabled });
}

/** The products as options of a select. Each has a note with the number of codes left. */
export function useProductChoices() {
  const { options, names } = useProducts();
  const stock = useStock();
  return { names, options: options.map((option) => ({ ...option, note: stock.formatLeft(option.value) })) };
}

/** Loads the archived products too, but only if a row belongs to a product that is not among the current ones. */
export function useProductNames(rows: readonly { product_id: string | null }[]) {
  const { query, names } = useProducts();
  const lacksName = !query.isPending && rows.some(({ product_id }) => product_id && !names.has(product_id));
  const archived = useArchivedProducts(lacksName);
  const all = useMemo(() => {
    const old = archived.data?.map((product) => [productIdOf(product), product.name] as const);
    return old ? new Map([...names, ...old]) : names;
  }, [names, archived.data]);
  return { names: all, isPending: query.isPending || (lacksName && archived.isPending) };
}

export const formatProducts = plural('{count} product', '{count} products');

export const formatChosen = plural('{count} product selected', '{count} products selected');

export function StatusTag({ status }: { status: ProductStatus }) {
  if (status === 'live') return null;
  return <Tag tone={status === 'paused' ? 'warning' : 'neutral'}>{formatStatus(status)}</Tag>;
}

const STATUS_LOOKS = { live: 'accent', scheduled: 'ring', ended: 'faint', archived: 'faint' } as const;

/** The status in a list. Only a paused product has a colour: somebody must resume it. */
export function StatusMark({ status }: { status: ProductStatus }) {
  if (status === 'paused') return <StatusTag status={status} />;
  return <StateMark look={STATUS_LOOKS[status]}>{formatStatus(status)}</StateMark>;
}

export function formatStatus(status: ProductStatus): string {
  return {
    live: t('Live'),
    paused: t('Paused'),
    scheduled: t('Scheduled'),
    ended: t('Ended'),
    archived: t('Archived'),
  }[status];
}

/** Says what learners can do in this status, and the day on which the status began or ends. */
export function explainStatus(product: ProductRecord): string {
  const { status, opens_on, closes_on } = product;
  if (status === 'archived')
    return `${formatArchived(product)} ${t('Only people who hold a code still see it.')}`;
  if (status === 'paused') return `${formatPaused(product)} ${t('Nobody is given a new code.')}`;
  const closes = { day: formatDay(closes_on ?? '') };
  if (status === 'ended')
    return t('Redeeming closed on {day}. Change ‘Redeeming closes’ to open it again.', closes);
  if (status === 'scheduled') {
    const day = formatDay(opens_on ?? '');
    return t('Redeeming opens on {day}. Until then people see the product and the day.', { day });
  }
  if (closes_on !== null) return t('People with access can redeem until {day}.', closes);
  return t('People with access can redeem.');
}

function formatPaused({ paused_at, paused_by }: ProductRecord): string {
  const day = formatDay(paused_at ?? '');
  return paused_by === null
    ? t('Paused on {day}.', { day })
    : t('Paused on {day} by {who}.', { day, who: paused_by });
}

function formatArchived({ archived_at, archived_by }: ProductRecord): string {
  const day = formatDay(archived_at ?? '');
  return archived_by === null
    ? t('Archived on {day}.', { day })
    : t('Archived on {day} by {who}.', { day, who: archived_by });
}

/** The fields of a product that staff edit: its texts, perks and days. `shared_coupon` cannot be changed. */
export type EditedName = ProductTextName | ProductDayName | ProductFactName | 'perks';

/** Returns the labels in the order of the form. */
export function formatProductLabels(): Record<EditedName, string> {
  const labels = [...PRODUCT_TEXTS, ...PRODUCT_FACTS, ...PRODUCT_DAYS].map(({ name, label }) => [
    name,
    formatLabel(label),
  ]);
  return { ...Object.fromEntries(labels), perks: t('Perks') } as Record<EditedName, string>;
}

export function isProductDay(name: EditedName): boolean {
  return PRODUCT_DAYS.some((day) => day.name === name);
}
