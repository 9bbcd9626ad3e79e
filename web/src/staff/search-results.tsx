// The results of the search of staff: a list in groups, or a message.
import { Autocomplete } from '@base-ui/react/autocomplete';
import {
  type Found,
  type FoundCode,
  findForStaff,
  maskCode,
  saveUser,
  viewAsLearner,
} from '@portal/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleAlert, TicketPercent, UserRound } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { read } from '../api.ts';
import { classes } from '../ui/dom.ts';
import { Icon, Spinner } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Tag } from '../ui/tag.tsx';
import { t, tCount } from '../words/translate.ts';
import { couponPath, speakCode } from './nouns/code.tsx';
import { givePath, personPath, viewAsPath } from './nouns/person.tsx';
import { StatusTag } from './nouns/product.tsx';
import { StockTag, stockToneOf } from './nouns/stock.tsx';
import { useMay } from './role.tsx';

/** Classes of a key of the keyboard. */
export const KEY =
  'inline-grid h-5 min-w-5 place-items-center rounded-xs border border-line-strong bg-surface px-1.25 text-2xs/[1] font-medium text-ink-3';

type ResultsProps = Omit<ReturnType<typeof useFound>, 'hurry'> & {
  text: string;
  maySeePeople: boolean;
  /** The person to whom an arrow key has moved, see `Foot`. */
  chosen: Person | undefined;
  onOpened: () => void;
};

export function Results({ groups, q, query, isFresh, text, maySeePeople, chosen, onOpened }: ResultsProps) {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <>
      {query.isFetching && (
        // Appears only if the response takes longer.
        <span className="absolute top-0 right-3 flex h-(--control-sm) animate-late items-center [animation-delay:300ms] max-md:fixed max-md:top-4 max-md:right-28">
          <Spinner />
        </span>
      )}
      <p role="status" className="sr-only">
        {isFresh && formatFound(count, text)}
      </p>
      {(q !== undefined || query.isError) && (
        // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus in the search field during a click.
        <div
          className="text-sm bg-raised md:absolute md:[z-index:calc(var(--z-header)_+_1)] md:top-[calc(100%_+_0.375rem)] md:right-0 md:left-0 lg:max-w-[40rem] md:border md:border-line md:rounded-lg md:[box-shadow:var(--shadow-lg)] md:overflow-hidden max-md:border-b max-md:border-line max-md:bg-surface"
          onMouseDown={(event) => event.preventDefault()}
        >
          {q !== undefined && count > 0 ? (
            <ResultList groups={groups} q={q} onOpened={onOpened} />
          ) : (
            <Message q={q} maySeePeople={maySeePeople} />
          )}
          <Foot hasResults={count > 0} chosen={chosen} onOpened={onOpened} />
        </div>
      )}
    </>
  );
}

function formatFound(count: number, q: string): string {
  if (count === 0) return t('Nothing found for ‘{text}’', { text: q });
  return tCount(count, { one: '{count} result', other: '{count} results' });
}

type ResultListProps = { groups: Group[]; q: string; onOpened: () => void };

/** Each result is a link, so that it can be opened in a new tab. */
function ResultList({ groups, q, onOpened }: ResultListProps) {
  return (
    <Autocomplete.List
      aria-label={t('Results')}
      className="p-1 md:max-h-[min(26rem,_70dvh)] md:overflow-y-auto"
    >
      {groups.map(({ label, rows }) => (
        <Autocomplete.Group key={label} aria-label={label}>
          <p role="presentation" className="text-xs/4 pt-2.5 px-2.5 pb-1 font-medium text-ink-3">
            {label}
          </p>
          {rows.map((row) => (
            <Autocomplete.Item
              key={row.key}
              value={row}
              className="grid min-h-11 grid-cols-[1.375rem_minmax(0,1fr)_auto] items-center gap-x-3 rounded-sm px-2.5 py-1.5 text-ink aria-selected:bg-pressed forced-colors:aria-selected:-outline-offset-2 forced-colors:aria-selected:[outline:2px_solid_Highlight]"
              render={(props, { highlighted }) => (
                <Link {...props} href={row.path} aria-selected={highlighted} tabIndex={-1} />
              )}
              onClick={(event) => opensHere(event) && onOpened()}
            >
              <RowContent row={row} q={q} />
            </Autocomplete.Item>
          ))}
        </Autocomplete.Group>
      ))}
    </Autocomplete.List>
  );
}

/** Returns true if the click opens the link in this tab. */
function opensHere({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return !ctrlKey && !metaKey && !shiftKey;
}

function RowContent({ row, q }: { row: Row; q: string }) {
  const { name, hint, kind } = row;
  return (
    <>
      <span className="grid place-items-center text-ink-3">
        {kind === 'person' && <Icon of={UserRound} />}
        {kind === 'code' && <Icon of={TicketPercent} />}
        {kind === 'product' && (
          <Logo logo={row.item.logo} id={row.item.product_id} size={24} rosette={20} detail="small" />
        )}
      </span>
      <span className="[&>*]:truncate [&>*]:block [&>:nth-child(2)]:text-ink-2">
        {kind === 'code' ? (
          <span className="font-mono">
            <span aria-hidden="true">{name}</span>
            <span className="sr-only">{speakCode({ coupon_code: null, hint: row.item.hint })}</span>
          </span>
        ) : (
          <Matched text={name} q={q} />
        )}
        {hint !== null && (kind === 'person' ? <Matched text={hint} q={q} /> : <bdi>{hint}</bdi>)}
      </span>
      <span className="flex items-center gap-2">
        {kind === 'person' && row.item.mails_refused && (
          <Tag tone="danger">
            <Icon of={CircleAlert} size={13} strong />
            {t('Emails refused')}
          </Tag>
        )}
        {kind === 'product' &&
          (row.item.status === 'live' ? (
            <StockTag tone={stockToneOf(row.item)} />
          ) : (
            <StatusTag status={row.item.status} />
          ))}
        <span className={classes(KEY, 'invisible in-aria-selected:visible max-md:hidden')} aria-hidden="true">
          ↵
        </span>
      </span>
    </>
  );
}

/** `q` is undefined if the search failed. */
function Message({ q, maySeePeople }: { q: string | undefined; maySeePeople: boolean }) {
  const isFailed = q === undefined;
  return (
    <div
      className="grid gap-1 pt-6 px-5 pb-6.5 text-ink-2 wrap-anywhere [&>:first-child]:font-medium [&>:first-child]:text-ink"
      role={isFailed ? 'alert' : undefined}
    >
      <p>{isFailed ? t('This did not load') : formatFound(0, q)}</p>
      <p>
        {isFailed
          ? t('Please check your connection and try again.')
          : maySeePeople
            ? t('Type the beginning of a name or of an address. A code is found only when it is typed whole.')
            : t('Type the beginning of a product’s name, or of a word in it.')}
      </p>
    </div>
  );
}

type FootProps = Pick<ResultsProps, 'chosen' | 'onOpened'> & { hasResults: boolean };

/**
 * The keys that work. Screen readers have their own words for them. The keys that act on the chosen person are links:
 * `StaffSearch` clicks the link whose `data-key` is pressed (N-214).
 */
function Foot({ hasResults, chosen, onOpened }: FootProps) {
  const may = useMay();
  const open = (event: MouseEvent) => opensHere(event) && onOpened();
  const link = (key: string, href: string, words: string) => (
    <Link href={href} data-key={key} tabIndex={-1} className="inline-flex hover:text-ink" onClick={open}>
      <Keys keys={[key]}>{words}</Keys>
    </Link>
  );
  return (
    <p
      className="text-xs/5 flex flex-wrap gap-x-5 gap-y-1.5 py-2 px-3.5 border-t border-line bg-sunken text-ink-3 [&>:last-child]:ml-auto max-md:hidden"
      aria-hidden="true"
    >
      {hasResults && <Keys keys={['↑', '↓']}>{t('choose')}</Keys>}
      {hasResults && <Keys keys={['↵']}>{t('open')}</Keys>}
      {chosen && may(saveUser) && link('g', givePath(chosen.user_id), t('give products'))}
      {chosen && may(viewAsLearner) && link('v', viewAsPath(chosen.user_id), t('view as learner'))}
      {!chosen && <Keys keys={[t('Esc')]}>{t('close')}</Keys>}
      {!chosen && <Keys keys={['/']}>{t('from any page')}</Keys>}
    </p>
  );
}

/** Keys of the keyboard, and what they do. */
function Keys({ keys, children }: { keys: string[]; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.25">
      {keys.map((key) => (
        <span key={key} className={KEY}>
          {key}
        </span>
      ))}
      {children}
    </span>
  );
}

/** A shorter text finds nothing, as on the server (FIND_LEAST). */
export const LEAST_CHARACTERS = 2;

const TYPING_PAUSE_MS = 150;

/**
 * Searches for `text` after a pause, unless it is empty. Returns the results and their search text `q`. Old results
 * stay until the new ones have arrived. `hurry` searches at once, or again after a failure.
 */
export function useFound(text: string) {
  const [{ q, follows }, setSearch] = useState({ q: '', follows: false });
  const search = () => setSearch((last) => (last.q === text ? last : { q: text, follows: last.q !== '' }));
  useEffect(() => {
    const timer = setTimeout(search, text === '' ? 0 : TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery<{ q: string; groups: Group[] }>({
    queryKey: [`${findForStaff.path}?${new URLSearchParams({ q })}`],
    queryFn: async ({ queryKey: [path] }) => ({
      q,
      groups: listGroups((await read(path as string)) as Found, q),
    }),
    enabled: q !== '',
    placeholderData: follows ? keepPreviousData : undefined,
    // Each search asks the server, because codes and people change.
    gcTime: 0,
  });
  const data = text === '' ? undefined : query.data;
  const hurry = () => {
    if (query.isError) void query.refetch();
    else search();
  };
  return { query, q: data?.q, groups: data?.groups ?? [], isFresh: data?.q === text, hurry };
}

type Person = Found['people'][number];

/** One result. `path` is the page that it opens. `hint` is the text below the name. */
export type Row = { key: string; path: string; name: string; hint: string | null } & (
  | { kind: 'person'; item: Person }
  | { kind: 'code'; item: FoundCode }
  | { kind: 'product'; item: Found['products'][number] }
);
export type Group = { label: string; rows: Row[] };

/** Returns the groups that are not empty. The group with the best match comes first. */
export function listGroups(found: Found, q: string): Group[] {
  const code = found.code && codeRow(found.code);
  const people = found.people.map((item): Row => {
    const { user_id, email } = item;
    const name = item.name?.trim();
    const shown = { name: name || email, hint: name ? email : null };
    return { kind: 'person', item, key: `person-${user_id}`, path: personPath(user_id), ...shown };
  });
  const products = found.products.map((item): Row => {
    const { product_id: id, name, url: hint } = item;
    return { kind: 'product', item, key: `product-${id}`, path: `/admin/products/${id}`, name, hint };
  });
  // A code is found only by its whole text, so no other match is better.
  const groups = [
    { label: t('Code'), rows: code ? [code] : [], rank: 0 },
    { label: t('People'), rows: people, rank: bestRank(people, q) },
    { label: t('Products'), rows: products, rank: bestRank(products, q) },
  ];
  return groups.filter(({ rows }) => rows.length > 0).sort((a, b) => a.rank - b.rank);
}

function codeRow(item: FoundCode): Row {
  const { id, hint } = item;
  return {
    kind: 'code',
    item,
    key: `code-${id}`,
    path: couponPath(id),
    name: maskCode(hint),
    hint: formatCodeState(item),
  };
}

function formatCodeState({ product: { name: product }, state, holder }: FoundCode): string {
  const person = holder?.name?.trim() || holder?.email;
  if (state === 'free') return t('{product}, available', { product });
  if (state === 'void') return t('{product}, void', { product });
  if (state === 'expired') return t('{product}, expired', { product });
  if (state === 'held')
    return person
      ? t('{product}, held by {person}', { product, person })
      : t('{product}, held by several people', { product });
  return person
    ? t('{product}, revoked, was held by {person}', { product, person })
    : t('{product}, revoked, was held by several people', { product });
}

/** 0 if a whole text is `q`, 1 if a text begins with it, else 2. */
function bestRank(rows: Row[], q: string): number {
  const searched = fold(q);
  const texts = rows.flatMap(({ name, hint }) => [name, hint ?? '']).map(fold);
  if (texts.includes(searched)) return 0;
  return texts.some((text) => text.startsWith(searched)) ? 1 : 2;
}

/** Marks the parts of a name or an address that a search for `q` has matched; none if `q` is empty (R-FIND-01). */
export function Matched({ text, q }: { text: string; q: string }) {
  return (
    <bdi>
      {markWords(text, q).map(({ text: part, isMatch }, index) =>
        isMatch ? (
          <mark
            key={index}
            className="bg-transparent font-semibold [text-decoration:underline_2px_var(--accent-text)] underline-offset-[0.2em] text-inherit"
          >
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}

/** A part of a text. `isMatch` is true if a word of the search begins a word of the text with this part. */
type Part = { text: string; isMatch: boolean };

// The signs at which the server splits names and addresses (SQL function person_terms).
const BETWEEN_WORDS = /[-\s.@+_'’`"“”„«»,;:()/]+/;
const WORDS = new RegExp(`(${BETWEEN_WORDS.source})`);

const LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
};

/** Returns the text in lower case, without accents and invisible characters, as the SQL function person_terms does. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßøłđıðþæœ]/g, (letter) => LETTERS[letter] ?? letter);
}

const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Does the same, with ae, oe and ue in place of ä, ö and ü. */
function foldUmlauts(text: string): string {
  return fold(
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter),
  );
}

const FOLDS = [fold, foldUmlauts];

/** Returns the parts of `text`, in order. Adjacent parts without a match are one part. */
export function markWords(text: string, q: string): Part[] {
  const searched = q
    .split(BETWEEN_WORDS)
    .flatMap((word) => FOLDS.map((folded) => folded(word)))
    .filter((word) => word !== '');
  const parts: Part[] = [];
  const add = (part: string, isMatch: boolean) => {
    const last = parts.at(-1);
    if (part === '') return;
    if (last && !last.isMatch && !isMatch) last.text += part;
    else parts.push({ text: part, isMatch });
  };
  for (const word of text.split(WORDS)) {
    const lengths = FOLDS.flatMap((folded) => searched.map((begin) => lengthOfMatch(word, begin, folded)));
    const length = Math.max(...lengths, 0);
    add(word.slice(0, length), true);
    add(word.slice(length), false);
  }
  return parts;
}

/**
 * Returns how many characters of `word` match `begin`; 0 if the word does not begin so. Without its accents
 * and in lower case, a letter may have another length, so the characters are added one by one.
 */
function lengthOfMatch(word: string, begin: string, fold: (text: string) => string): number {
  if (!fold(word).startsWith(begin)) return 0;
  let length = 0;
  for (const letter of word) {
    // An accent may be a character of its own, after its letter.
    if (fold(word.slice(0, length)).length >= begin.length && fold(letter) !== '') break;
    length += letter.length;
  }
  return length;
}
