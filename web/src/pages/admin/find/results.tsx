// The results of the search of staff: a list in groups, or a message. The keys of the search field choose and open one.
import { CircleAlert, TicketPercent, UserRound } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../../ui/icon.tsx';
import { Rosette } from '../../../ui/rosette.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { say, sayCount } from '../../../words/say.ts';
import { speakCode } from '../hidden-codes/say-code.ts';
import { Matched } from '../matched.tsx';
import { StatusTag } from '../products/status-tag.tsx';
import { StockTag, stockToneOf } from '../stock-tag.tsx';
import styles from './find.module.css';
import type { Group, Row } from './list-groups.ts';
import { useFound } from './use-found.ts';

export type ResultsProps = {
  /** Id of the list. */
  id: string;
  text: string;
  maySeePeople: boolean;
  /** The search field calls this function with each key. */
  keys: RefObject<((event: KeyboardEvent) => void) | null>;
  /** Called with the id of the active result; with undefined if there is none. */
  onActive: (id: string | undefined) => void;
  /** Called when a result opens in this tab. */
  onOpened: () => void;
};

export function Results({ id, text, maySeePeople, keys, onActive, onOpened }: ResultsProps) {
  const { query, isFresh, hurry } = useFound(text);
  const { data } = query;
  const groups = data?.groups ?? [];
  const rows = groups.flatMap((group) => group.rows);
  // The active result belongs to the data. With new data, the first result is active.
  const [chosen, setChosen] = useState({ of: data, index: 0 });
  const index = chosen.of === data ? chosen.index : 0;
  const active = rows[index];
  const idOf = (row: Row) => `${id}-${row.key}`;
  const activeId = active && idOf(active);
  // True after Enter, until the results of the typed text have arrived.
  const isAwaited = useRef(false);

  useEffect(() => {
    onActive(activeId);
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId, onActive]);
  useEffect(() => () => onActive(undefined), [onActive]);
  useEffect(() => {
    isAwaited.current = false;
  }, [text]);
  useEffect(() => {
    if (!isFresh || !isAwaited.current) return;
    isAwaited.current = false;
    if (activeId) document.getElementById(activeId)?.click();
  }, [isFresh, activeId]);

  const open = (event: KeyboardEvent) => {
    if (!isFresh) {
      isAwaited.current = true;
      if (query.isError) void query.refetch();
      else hurry();
    } else if (active && (event.ctrlKey || event.metaKey)) window.open(active.path, '_blank');
    else if (activeId) document.getElementById(activeId)?.click();
  };
  useEffect(() => {
    keys.current = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === 'Enter') open(event);
      else if (step && rows.length > 0)
        setChosen({ of: data, index: (index + step + rows.length) % rows.length });
      else return;
      event.preventDefault();
    };
    return () => {
      keys.current = null;
    };
  });

  return (
    <>
      {query.isFetching && (
        <span className={styles.wait}>
          <Spinner />
        </span>
      )}
      <p role="status" className="sr-only">
        {data && isFresh && sayFound(rows.length, text)}
      </p>
      {(data || query.isError) && (
        // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus in the search field during a click.
        <div className={styles.found} onMouseDown={(event) => event.preventDefault()}>
          {data && rows.length > 0 ? (
            <ResultList
              id={id}
              {...data}
              idOf={idOf}
              active={active}
              onPoint={(row) => setChosen({ of: data, index: rows.indexOf(row) })}
              onOpened={onOpened}
            />
          ) : (
            <Message q={data?.q} maySeePeople={maySeePeople} />
          )}
          <Foot hasResults={rows.length > 0} />
        </div>
      )}
    </>
  );
}

function sayFound(count: number, q: string): string {
  if (count === 0) return say('Nothing found for ‘{text}’', { text: q });
  return sayCount(count, { one: '{count} result', other: '{count} results' });
}

/** Each result is a link, so that it can be opened in a new tab. */
type ResultListProps = {
  id: string;
  groups: Group[];
  /** The text that was searched for. */
  q: string;
  idOf: (row: Row) => string;
  active: Row | undefined;
  /** Called when the mouse moves over a result. */
  onPoint: (row: Row) => void;
  /** Called when a result opens in this tab. */
  onOpened: () => void;
};

function ResultList({ id, groups, q, idOf, active, onPoint, onOpened }: ResultListProps) {
  return (
    <div role="listbox" id={id} aria-label={say('Results')} className={styles.list}>
      {groups.map(({ label, rows }) => (
        // biome-ignore lint/a11y/useSemanticElements: a list box may contain groups, but no fieldsets.
        <div key={label} role="group" aria-label={label}>
          <p role="presentation" className={styles.label}>
            {label}
          </p>
          {rows.map((row) => (
            <Link
              key={row.key}
              id={idOf(row)}
              href={row.path}
              role="option"
              aria-selected={row === active}
              tabIndex={-1}
              className={styles.row}
              onMouseMove={() => onPoint(row)}
              onClick={({ ctrlKey, metaKey, shiftKey }) => {
                if (!ctrlKey && !metaKey && !shiftKey) onOpened();
              }}
            >
              <RowContent row={row} q={q} />
            </Link>
          ))}
        </div>
      ))}
    </div>
  );
}

function RowContent({ row, q }: { row: Row; q: string }) {
  const { name, hint, kind } = row;
  return (
    <>
      <span className={styles.mark}>
        {kind === 'person' && <Icon of={UserRound} />}
        {kind === 'code' && <Icon of={TicketPercent} />}
        {kind === 'product' && <Rosette id={row.item.product_id} size={20} detail="small" />}
      </span>
      <span className={styles.texts}>
        {kind === 'code' ? <Code hint={row.item.hint} masked={name} /> : <Matched text={name} q={q} />}
        {hint !== null && (kind === 'person' ? <Matched text={hint} q={q} /> : <bdi>{hint}</bdi>)}
      </span>
      <span className={styles.end}>
        {kind === 'person' && row.item.mails_refused && <RefusedTag />}
        {kind === 'product' && <ProductTag product={row.item} />}
        <span className={styles.key} aria-hidden="true">
          ↵
        </span>
      </span>
    </>
  );
}

function Code({ hint, masked }: { hint: string | null; masked: string }) {
  return (
    <span className={styles.code}>
      <span aria-hidden="true">{masked}</span>
      <span className="sr-only">{speakCode({ coupon_code: null, hint })}</span>
    </span>
  );
}

function RefusedTag() {
  return (
    <Tag tone="danger">
      <Icon of={CircleAlert} size={13} strong />
      {say('Mails refused')}
    </Tag>
  );
}

function ProductTag({ product }: { product: (Row & { kind: 'product' })['item'] }) {
  if (product.status !== 'live') return <StatusTag status={product.status} />;
  return <StockTag tone={stockToneOf(product)} />;
}

/** `q` is undefined if the search failed. */
function Message({ q, maySeePeople }: { q: string | undefined; maySeePeople: boolean }) {
  const isFailed = q === undefined;
  return (
    <div className={styles.none} role={isFailed ? 'alert' : undefined}>
      <p>{isFailed ? say('This did not load') : sayFound(0, q)}</p>
      <p>
        {isFailed
          ? say('Please check your connection and try again.')
          : maySeePeople
            ? say(
                'Type the beginning of a name or of an address. A code is found only when it is typed whole.',
              )
            : say('Type the beginning of a product’s name, or of a word in it.')}
      </p>
    </div>
  );
}

/** The keys that work. Screen readers have their own words for them. */
function Foot({ hasResults }: { hasResults: boolean }) {
  return (
    <p className={styles.foot} aria-hidden="true">
      {hasResults && (
        <>
          <span>
            <span className={styles.key}>↑</span>
            <span className={styles.key}>↓</span>
            {say('choose')}
          </span>
          <span>
            <span className={styles.key}>↵</span>
            {say('open')}
          </span>
        </>
      )}
      <span>
        <span className={styles.key}>{say('Esc')}</span>
        {say('close')}
      </span>
      <span>
        <span className={styles.key}>/</span>
        {say('from any page')}
      </span>
    </p>
  );
}
