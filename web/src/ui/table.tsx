// A table. Phones show each row as a name with a line of facts; screen readers still get a table (`ROLE`).
import { ArrowDown, ArrowUp, ChevronsUpDown, Inbox, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../words/translate.ts';
import { classes } from './dom.ts';
import { Icon } from './icon.tsx';
import { cut } from './text.tsx';

/** Classes of a link in a row of a table: high enough for a finger, and cut with its text. */
export const ROW_LINK =
  'inline-block max-w-full py-1 overflow-hidden text-ellipsis align-middle rounded-[2px] text-inherit hover:underline hover:underline-offset-[0.2em]';

export type RowSelection<Row> = {
  /** Returns the label of the check box of a row, for example 'Select Ada Lovelace'. */
  formatLabel: (row: Row) => string;
  isSelected: (row: Row) => boolean;
  /** `box` is the check box that was pressed. */
  onSelect: (rows: readonly Row[], isSelected: boolean, box: HTMLInputElement) => void;
};

/** The order of the rows: the `sort` of a column, with '-' in front if reversed, or '' for the order of the list. */
export type Sorting = { sort: string; onSort: (sort: string) => void };

type DataTableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** True while new rows are loading. */
  busy?: boolean;
  /** Key of the row to highlight, for example a new one. The page scrolls to it (R-DAY-02). */
  marked?: string | undefined;
  plain?: boolean;
  className?: string | undefined;
  /** The last row, for example with sums. It is not one of the list. */
  foot?: Row | undefined;
  /** If set, each row has a check box, and the head has one for all rows of the table. */
  selection?: RowSelection<Row> | undefined;
  /** If set, the heading of a column with `sort` is a button that sorts the rows. */
  sorting?: Sorting | undefined;
  /** If true, the cells of a wide table wrap on tablets, and have less space between them. */
  isTight?: boolean;
  /** True for a table of numbers: phones show the `line` cells of a row side by side. */
  figures?: boolean;
};

/**
 * Phones show the name of a row with what stands at its end, and the other values side by side below. The element
 * `before` has no height and begins the second line.
 */
const LINES = {
  row: "max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-4 max-md:before:order-1 max-md:before:basis-full max-md:before:content-['']",
  // Beside a wide value, the name would have no room. So this value is then on the next line.
  strong: 'max-md:flex-1 max-md:basis-28 max-md:min-w-0',
  line: 'max-md:order-2 max-md:max-w-full max-md:mt-0.5',
};

const LAYOUTS = {
  lines: LINES,
  ticks: { ...LINES, row: classes(LINES.row, 'max-md:relative max-md:pl-12.5!') },
  figures: {
    row: 'max-md:grid max-md:grid-cols-[repeat(auto-fit,minmax(6rem,1fr))] max-md:gap-x-2 max-md:gap-y-1',
    strong: 'max-md:col-[1/-2]',
    line: '',
  },
};

const ROW = 'max-md:py-2.5 max-md:px-4.5 max-md:border-t max-md:border-line';
const MARKED = 'bg-sunken forced-colors:[outline:2px_solid_Highlight] forced-colors:-outline-offset-2';
const HEAD =
  'py-2.5 px-3 first:pl-6 last:pr-6 border-line text-xs/4 font-medium whitespace-nowrap text-ink-3';
const CELL =
  'max-md:overflow-hidden max-md:text-ellipsis tabular-nums md:px-3 md:py-1.5 md:first:pl-6 md:last:pr-6 md:border-b md:border-line md:group-last/row:border-b-0 md:group-hover/row:bg-hover';

const TIGHT =
  'md:max-lg:[&_:is(th,td)]:whitespace-normal! md:max-lg:[&_:is(th,td):not(:first-child)]:pl-1.5! md:max-lg:[&_:is(th,td):not(:first-child,:last-child)]:pr-1.5! md:max-lg:[&_tbody_th]:min-w-36 md:max-lg:[&_tbody_th]:wrap-anywhere md:max-lg:[&_tbody_th_a]:whitespace-normal';

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, busy, marked, plain, figures, selection, sorting, foot } = props;
  const layout = figures ? 'figures' : selection ? 'ticks' : 'lines';
  const row = classes(ROW, LAYOUTS[layout].row);
  const head = classes(HEAD, plain ? 'border-b' : 'bg-sunken border-y');
  const cell = classes(CELL, plain ? 'md:h-9.5' : 'md:h-(--row)');
  const body = useRef<HTMLTableSectionElement>(null);
  const hasMarked = rows.some((of) => keyOf(of) === marked);
  useEffect(() => {
    if (hasMarked && marked)
      body.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [hasMarked, marked]);
  const selected = selection ? rows.filter(selection.isSelected).length : 0;
  return (
    <table
      {...ROLE.table}
      className={classes(
        'w-full text-sm max-md:block aria-busy:[&>tbody]:opacity-55',
        props.isTight && TIGHT,
        props.className,
      )}
      aria-busy={busy || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead
        {...ROLE.rows}
        className="max-md:absolute max-md:h-px max-md:overflow-hidden max-md:[clip-path:inset(50%)]"
      >
        <tr {...ROLE.row} className={classes('group/head', row)}>
          {selection && (
            <th {...ROLE.head} scope="col" className={classes(head, 'w-11 pr-0')}>
              <span className="sr-only">{t('Selection')}</span>
              <DataTableTick
                // Phones do not show the head, so its check box must not get the focus.
                className="max-md:hidden"
                label={t('Select this page')}
                isTicked={selected > 0 && selected === rows.length}
                isMixed={selected > 0 && selected < rows.length}
                onTick={(isTicked, box) => selection.onSelect(rows, isTicked, box)}
              />
            </th>
          )}
          {columns.map(({ label, labelHidden, right, ...column }, at) => (
            <th
              key={label}
              {...ROLE.head}
              scope="col"
              aria-sort={sorting && ariaSort(column, sorting.sort)}
              className={classes(
                head,
                right ? 'text-right' : 'text-left',
                selection && at === 0 && 'pl-2',
                awayOf(column),
              )}
            >
              {labelHidden ? (
                <span className="sr-only">{label}</span>
              ) : sorting && column.sort ? (
                <SortButton label={label} order={column} isRight={right} {...sorting} />
              ) : (
                label
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} {...ROLE.rows} className="max-md:block">
        {rows.map((of) => (
          <tr
            key={keyOf(of)}
            {...ROLE.row}
            className={classes('group/row', row, markOf(keyOf(of) === marked, selection?.isSelected(of)))}
            aria-current={keyOf(of) === marked || undefined}
          >
            {selection && (
              <td
                {...ROLE.cell}
                className={classes(
                  cell,
                  'max-md:absolute max-md:top-2.5 max-md:left-4.5 max-md:block max-md:overflow-visible md:w-11 md:pr-0',
                )}
              >
                <DataTableTick
                  label={selection.formatLabel(of)}
                  isTicked={selection.isSelected(of)}
                  onTick={(isTicked, box) => selection.onSelect([of], isTicked, box)}
                />
              </td>
            )}
            {columns.map((column, at) => (
              <DataTableCell
                key={column.label}
                column={column}
                row={of}
                layout={layout}
                className={classes(cell, selection && at === 0 && 'md:pl-2')}
              />
            ))}
          </tr>
        ))}
      </tbody>
      {foot && (
        <tfoot {...ROLE.rows} className="max-md:block">
          <tr {...ROLE.row} className={classes(row, 'font-medium')}>
            {selection && <td {...ROLE.cell} className={cell} />}
            {columns.map((column) => (
              <DataTableCell
                key={column.label}
                column={column}
                row={foot}
                layout={layout}
                className={classes(cell, 'md:border-t md:border-b-0')}
              />
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

type Order = Pick<Column<never>, 'sort' | 'isDescending'>;

function ariaSort({ sort: name, isDescending = false }: Order, sort: string) {
  if (!name) return undefined;
  if (sort !== name && sort !== `-${name}`) return 'none';
  return (sort === name) === isDescending ? 'descending' : 'ascending';
}

type SortButtonProps = Sorting & { label: string; order: Order; isRight: boolean | undefined };

/** The first press sorts by the column, the second reverses the order, the third returns to the order of the list. */
function SortButton({ label, order, isRight, sort, onSort }: SortButtonProps) {
  const name = order.sort ?? '';
  const direction = ariaSort(order, sort);
  const isSorted = sort === name || sort === `-${name}`;
  const next = sort === name ? `-${name}` : isSorted ? '' : name;
  return (
    <>
      {/* Phones do not show the head, so a button in it must not get the focus. */}
      <span className="md:hidden">{label}</span>
      <button
        type="button"
        className={classes(
          isRight && 'flex-row-reverse',
          'group/sort -my-1 align-middle inline-flex min-h-6 min-w-6 cursor-pointer items-center gap-1 rounded-xs hover:text-ink max-md:hidden',
          isSorted && 'text-ink',
        )}
        onClick={() => onSort(next)}
      >
        {label}
        <Icon
          of={!isSorted ? ChevronsUpDown : direction === 'descending' ? ArrowDown : ArrowUp}
          size={13}
          className={
            isSorted
              ? undefined
              : 'max-lg:hidden opacity-0 group-hover/head:opacity-35 group-hover/sort:opacity-100! group-focus-visible/sort:opacity-100'
          }
        />
      </button>
    </>
  );
}

/** Returns the class that hides a column on screens of middle size. */
function awayOf({ awayOnTablets, awayOnLaptops }: Pick<Column<never>, 'awayOnTablets' | 'awayOnLaptops'>) {
  if (awayOnLaptops) return 'md:max-[80rem]:hidden';
  return awayOnTablets && 'md:max-lg:hidden';
}

function markOf(isMarked: boolean, isSelected: boolean | undefined): string | undefined {
  if (isSelected) return `${MARKED} [box-shadow:inset_2px_0_0_var(--ink)]`;
  return isMarked ? `${MARKED} [box-shadow:inset_3px_0_0_var(--ink)]` : undefined;
}

/** Only words of 21 or more characters, such as e-mail addresses, may break. */
const LONG_WORD = /\S{21}/;

type CellProps<Row> = { column: Column<Row>; row: Row; layout: keyof typeof LAYOUTS; className: string };

/** The cell with the name of the row is a row header. */
function DataTableCell<Row>({ column, row, layout, className }: CellProps<Row>) {
  const words = column.words(row);
  const isName = column.as === 'strong';
  const breaks = LONG_WORD.test(words.text);
  const isFigure = layout === 'figures' && column.as === 'line';
  const Element = isName ? 'th' : 'td';
  return (
    <Element
      {...(isName ? { ...ROLE.name, scope: 'row' } : ROLE.cell)}
      className={classes(
        className,
        column.as === 'end'
          ? 'max-md:col-start-[-2] max-md:row-start-1 max-md:self-center max-md:text-right'
          : LAYOUTS[layout][column.as],
        isName ? `text-ink ${column.mono ? 'font-[450]' : 'font-medium'}` : 'text-ink-2',
        breaks && 'wrap-anywhere',
        column.mono && 'font-mono tracking-[0] [font-variant-ligatures:none]',
        // A code must not wrap at a hyphen.
        column.mono && !breaks && !words.text.includes(' ') && 'md:whitespace-nowrap',
        column.right ? (column.as === 'line' ? 'md:text-right' : 'text-right') : isName && 'text-left',
        column.wraps ? 'max-md:wrap-anywhere' : !isFigure && 'max-md:whitespace-nowrap',
        column.awayOnPhones?.(row) ? 'max-md:hidden' : 'max-md:block',
        awayOf(column),
        column.labelOnPhones
          ? "max-md:before:content-[attr(data-label)_':_'] max-md:before:text-ink-3"
          : // As a block, the text is cut at its own end, also if it is right-to-left.
            '[&>bdi:only-child]:block [&>bdi:only-child]:[overflow:inherit] [&>bdi:only-child]:[text-overflow:inherit]',
      )}
      data-label={column.labelOnPhones ? column.label : undefined}
      title={words.full}
      aria-label={words.full}
    >
      {column.draw ? column.draw(row, words) : <bdi>{words.text}</bdi>}
    </Element>
  );
}

type DataTableTickProps = {
  label: string;
  isTicked: boolean;
  /** True if some rows are ticked, but not all. */
  isMixed?: boolean;
  className?: string;
  onTick: (isTicked: boolean, box: HTMLInputElement) => void;
};

function DataTableTick({ label, isTicked, isMixed = false, className, onTick }: DataTableTickProps) {
  return (
    // 24 px wide and high, and 44 px for a finger.
    <label
      className={classes(
        'relative pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5 flex items-center size-6 cursor-pointer',
        className,
      )}
    >
      <input
        // HTML has no attribute for the state `indeterminate`.
        ref={(box) => {
          if (box) box.indeterminate = isMixed;
        }}
        type="checkbox"
        className="size-4.5 accent-ink cursor-[inherit]"
        aria-label={label}
        checked={isTicked}
        onChange={({ target }) => onTick(target.checked, target)}
      />
    </label>
  );
}

/** If `text` is cut, a tooltip and screen readers have the whole text `full`. */
export type CellWords = { text: string; full?: string };

export type Column<Row> = {
  label: string;
  /** True if only screen readers get the label, for example because the cells contain buttons. */
  labelHidden?: boolean;
  words: (row: Row) => CellWords;
  /** Returns elements to show instead of the text, for example a tag. */
  draw?: (row: Row, words: CellWords) => ReactNode;
  /** Name of the order by this column (N-205). If missing, the list cannot be sorted by it. */
  sort?: string;
  /** True if this order begins with the largest or newest value. */
  isDescending?: boolean;
  /** The value by which the browser sorts the rows; null comes last in both directions. If missing, the server sorts. */
  sortedBy?: (row: Row) => string | number | null;
  /** `strong` has the row's name. On phones, `end` is to the right of it, and `line` is on its own line. */
  as: 'strong' | 'line' | 'end';
  mono?: boolean;
  /** For numbers. */
  right?: boolean;
  wraps?: boolean;
  /** True if phones, which do not show the head, show the label before the value. */
  labelOnPhones?: boolean;
  /** True if tablets (768 to 1023 px) omit the column. */
  awayOnTablets?: boolean;
  /** True if small laptops (1024 to 1279 px) omit the column too. */
  awayOnLaptops?: boolean;
  /** True if phones omit the cell, for example because it is empty. */
  awayOnPhones?: (row: Row) => boolean;
};

/** The result has `full` only if the text was cut. */
export function cutWords(full: string, length: number): CellWords {
  const text = cut(full, length);
  return text === full ? { text } : { text, full };
}

/** ARIA roles of a table's parts. Browsers drop the implicit roles if CSS changes `display`. */
export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
};

/** Shown while the first rows of a list load. */
export function RowsLoading({ children }: { children: ReactNode }) {
  return (
    <div
      className="grid justify-items-center gap-3 py-14 px-6 border-t border-line text-center text-ink-2"
      data-no-rows=""
    >
      {children}
    </div>
  );
}

/** Shown if a list is empty: one line, because an empty card needs no room. */
export function NoRows({ icon = Inbox, children }: { icon?: LucideIcon | undefined; children: ReactNode }) {
  return (
    <div
      className="flex flex-wrap items-center gap-x-2.5 gap-y-2 border-t border-line px-6 py-4 text-ink-2 max-md:px-4.5"
      data-no-rows=""
    >
      <Icon of={icon} size={16} className="text-ink-3" />
      {typeof children === 'string' ? <p className="min-w-0 wrap-anywhere">{children}</p> : children}
    </div>
  );
}
