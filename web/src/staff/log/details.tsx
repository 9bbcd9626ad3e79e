// The details of a line of the log: what changed, by what way and when (R-TRAIL-51).
import { type AuditLine, fillIn, isDay, TEAM_ROLES, type TeamRole } from '@portal/contract';
import { Link } from 'wouter';
import { LoadError } from '../../page.tsx';
import { classes } from '../../ui/dom.ts';
import { formatNumber } from '../../words/format.ts';
import { plural, t } from '../../words/translate.ts';
import { couponPath } from '../nouns/code.tsx';
import { cohortPath } from '../nouns/cohort.tsx';
import { formatReason, formatSuffix, type ProductNames } from '../nouns/log-line.ts';
import { personPath } from '../nouns/person.tsx';
import { formatProductLabels, useProductNames } from '../nouns/product.tsx';
import { formatRole } from '../role.tsx';
import { formatDay, formatExactTime } from '../time.ts';
import { LogFoot, useLogPages } from './pages.tsx';
import { findAction, type Told } from './sentences.ts';

/** Classes of a sentence. It begins with a lower-case letter, so that it also fits into another sentence. */
export const SENTENCE = 'min-w-0 wrap-anywhere first-letter:uppercase';

/** `group` is the group of which `line` is the summary; null if it is no summary. */
type LogDetailsProps = { line: AuditLine; names: ProductNames; group: string | null };

export function LogDetails({ line, names, group }: LogDetailsProps) {
  const rows = listDetails(line, names);
  return (
    <>
      {rows.length > 0 && <Changes rows={rows} />}
      {group !== null && <GroupLines group={group} />}
      <div className="text-xs/4.5 flex flex-wrap gap-x-6 gap-y-1 py-2 px-3.5 bg-sunken text-ink-3 border-line not-first:border-t">
        <Fact label={t('Way')} value={formatWay(line.via)} />
        {line.ip !== null && <Fact label={t('From')} value={line.ip} />}
        {typeof line.detail.attempts === 'number' && (
          <Fact label={t('Tries')} value={formatNumber(line.detail.attempts)} />
        )}
        <Fact label={t('At')} value={formatExactTime(line.at)} />
        <Fact label={t('Line')} value={formatNumber(Number(line.id))} />
      </div>
    </>
  );
}

/** An action without a sentence. `inline-block` keeps its first letter as it is. */
export function UnknownAction({ action }: { action: string }) {
  return <code className="inline-block font-mono text-(length:--text-xs)">{action}</code>;
}

/** Returns the products whose names the lines lack: their `detail` contains only the ids. */
export function listProductsOf(lines: readonly AuditLine[]): { product_id: string }[] {
  return lines.flatMap(({ detail: { product_ids, granted, product_id } }) =>
    [product_ids, granted, [product_id]]
      .flatMap((ids) => (Array.isArray(ids) ? ids : []))
      .filter((id) => typeof id === 'string')
      .map((id) => ({ product_id: id })),
  );
}

/** The lines of a group, page by page (R-DAY-40). */
function GroupLines({ group }: { group: string }) {
  const query = useLogPages({ group_id: group });
  const lines = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const { names } = useProductNames(listProductsOf(lines));
  if (query.isPending)
    return (
      <p role="status" className={GROUP_WORDS}>
        {t('Loading...')}
      </p>
    );
  const { isFetchNextPageError } = query;
  return (
    <div className="bg-surface border-line not-first:border-t">
      <ul aria-label={t('Lines')}>
        {lines.map((line) => (
          <GroupLine key={line.id} line={line} names={names} />
        ))}
      </ul>
      {query.isError && (
        <div className="px-3.5 py-2">
          <LoadError
            words={t('We could not load the activity.')}
            onRetry={() => void (isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
          />
        </div>
      )}
      {!query.isError && <LogFoot query={query} />}
    </div>
  );
}

const GROUP_WORDS = 'bg-surface px-3.5 py-2 text-ink-3 border-line not-first:border-t';

function GroupLine({ line, names }: { line: AuditLine; names: ProductNames }) {
  const sentence = formatLine(line, names);
  const about = findAbout(line);
  return (
    <li className="flex items-baseline justify-between gap-4 px-3.5 py-1.75 border-line not-first:border-t">
      <span className={SENTENCE}>{sentence ?? <UnknownAction action={line.action} />}</span>
      {about && (
        <span dir="auto" className="min-w-0 text-right wrap-anywhere text-ink-3">
          {about.href === null ? (
            about.name
          ) : (
            <Link href={about.href} className="inline-block py-0.5 hover:underline">
              {about.name}
            </Link>
          )}
        </span>
      )}
    </li>
  );
}

const CELL =
  'px-3.5 py-1.75 text-left align-top font-normal wrap-anywhere whitespace-pre-line max-md:block max-md:p-0';
const CHANGED = classes(CELL, 'text-xs/4 text-ink-3');

/** Phones show old and new value below each other, each after a word. Wider screens have a head with these words. */
function Changes({ rows }: { rows: readonly DetailRow[] }) {
  const hasOld = rows.some((row) => 'old' in row);
  return (
    <table className="w-full table-fixed bg-surface max-md:block">
      {hasOld && (
        <thead className="max-md:sr-only">
          <tr>
            <th scope="col" className={classes(CHANGED, 'w-44')}>
              {t('What changed')}
            </th>
            <th scope="col" className={CHANGED}>
              {t('Old')}
            </th>
            <th scope="col" className={CHANGED}>
              {t('New')}
            </th>
          </tr>
        </thead>
      )}
      <tbody className="max-md:block">
        {rows.map((row) => (
          <tr
            key={row.key}
            className="border-line not-first:border-t [thead+*>&]:border-t max-md:block max-md:px-3.5 max-md:py-2"
          >
            <th scope="row" className={classes(CELL, 'w-44 text-ink-3 max-md:w-auto')}>
              {row.label}
            </th>
            {'old' in row ? (
              <>
                <td className={classes(CELL, 'text-ink-3')}>
                  <span className="hidden max-md:inline max-md:text-ink-3">{t('was')} </span>
                  <bdi>{row.old}</bdi>
                </td>
                <td className={CELL}>
                  <span className="hidden max-md:inline max-md:text-ink-3">{t('now')} </span>
                  <bdi>{row.new}</bdi>
                </td>
              </>
            ) : (
              <td className={CELL} colSpan={hasOld ? 2 : undefined}>
                <bdi>{row.value}</bdi>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <span>
      {label} <b className="font-normal wrap-anywhere text-ink-2">{value}</b>
    </span>
  );
}

function formatWay(via: AuditLine['via']): string {
  if (via === 'key') return t('key');
  if (via === 'operator') return t('operator');
  return via === 'portal' ? t('portal') : t('page');
}

/** A row of the details: a changed value (`old` and `new`), or a further fact (`value`). */
type DetailRow = { key: string; label: string } & ({ old: string; new: string } | { value: string });

/** Fields that only the portal needs, or that the line shows elsewhere. */
const HIDDEN = new Set([
  ...['import_id', 'grant_id', 'cohort_id', 'batch_id', 'auth_id', 'session_id', 'kid', 'id', 'replaced'],
  ...['cohort_ids', 'act', 'filter', 'group_id', 'cancelled'],
  ...['method', 'scope', 'provider', 'hint', 'text', 'expected', 'attempts'],
]);

function listDetails({ action, detail }: AuditLine, names: ProductNames): DetailRow[] {
  return Object.entries(detail).flatMap(([key, value]): DetailRow[] => {
    const label = findLabel(key, action);
    // An empty list of granted products is not shown: grants have lines of their own.
    if (label === null || (key === 'granted' && Array.isArray(value) && value.length === 0)) return [];
    const row = { key, label: label ?? key };
    const words = (each: unknown) => formatValue(key, each, names);
    const isIds = key === 'product_ids' || key === 'granted';
    if (Array.isArray(value) && value.length === 2 && !isIds)
      return [{ ...row, old: words(value[0]), new: words(value[1]) }];
    return [{ ...row, value: words(value) }];
  });
}

/** Returns null for a hidden field. Returns undefined for an unknown one, whose name is then shown. */
export function findLabel(key: string, action: string): string | null | undefined {
  // The sentence of a mail contains its `kind` already.
  if (HIDDEN.has(key) || (key === 'kind' && action.startsWith('mail.'))) return null;
  // The sentence of a summary contains its `count` already. In lines of codes, `count` is a number of codes.
  if (key === 'count' && /^(import|user|member)\./.test(action)) return null;
  return listLabels()[key];
}

function listLabels(): Record<string, string> {
  return {
    ...formatProductLabels(),
    logo: t('Logo'),
    position: t('Order on home'),
    email: t('Email'),
    phone_number: t('Phone'),
    user_role: t('Role'),
    team_role: t('Role'),
    starts_on: t('From'),
    ends_on: t('Until'),
    from: t('From'),
    to: t('To'),
    reason: t('Reason'),
    revoke_code: t('Code revoked too'),
    codes_kept: t('Codes kept'),
    note: t('Note'),
    day: t('Last day'),
    use_by: t('Last day'),
    count: t('Codes'),
    voided: t('Voided'),
    changed: t('Changed'),
    assigned: t('Assigned'),
    unknown: t('Unknown'),
    made_up: t('Generated'),
    product_ids: t('Products'),
    product_id: t('Product'),
    cohort: t('Cohort'),
    granted: t('Products'),
    sessions: t('Sessions'),
    unlinked: t('Accounts unlinked'),
    revoke: t('Old keys revoked'),
    file_name: t('File'),
    rows_total: t('Rows'),
    file: t('File'),
    rows: t('Rows'),
    whole: t('Complete'),
    people: t('People'),
    products: t('Products'),
    created: t('New'),
    grants: t('Accesses removed'),
    left: t('Left the cohort'),
    success: t('New'),
    duplicates: t('Duplicates'),
    failures: t('Failed'),
    total: t('Rows'),
    productAccess: t('Access granted'),
    generated: t('Generated'),
    joined: t('Joined'),
    already: t('Members before'),
    kind: t('Kind'),
    retried: t('Jobs'),
    figures: t('Figures'),
    wrong: t('Corrected'),
    reopened: t('Days corrected'),
    words: t('The server’s words'),
    actor: t('Who'),
    before: t('Before'),
    lines: t('Lines'),
  };
}

function formatValue(key: string, value: unknown, names: ProductNames): string {
  if (value === null || value === undefined || value === '') return t('none');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return t('none');
    return value.map((each) => names.get(String(each)) ?? String(each)).join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (key === 'product_ids' && value === 'all') return t('All products');
  if (key === 'product_id') return names.get(value) ?? value;
  if (key === 'reason') return formatReason(value);
  if (key === 'file') return formatFile(value);
  if (key === 'team_role' && isRole(value)) return formatRole(value);
  return isDay(value) ? formatDay(value) : value;
}

function formatFile(file: string): string {
  if (file === 'errors') return t('Failed rows');
  return file === 'duplicates' ? t('Duplicates') : t('Generated');
}

function isRole(value: string): value is TeamRole {
  return (TEAM_ROLES as readonly string[]).includes(value);
}

type AboutType = 'person' | 'product' | 'upload' | 'cohort' | 'code';
/** The subject of a line (N-78). `href` is null if the subject has no page. */
export type About = { type: AboutType; key: string; name: string; href: string | null };

export function findAbout({ person, product, coupon, cohort, batch, detail }: AuditLine): About | null {
  if (person !== null) {
    const { user_id, email, name } = person;
    return { type: 'person', key: user_id, name: name?.trim() || email, href: personPath(user_id) };
  }
  if (cohort !== null) {
    const { cohort_id, name } = cohort;
    return { type: 'cohort', key: cohort_id, name, href: cohortPath(cohort_id) };
  }
  if (batch !== null) {
    const name = batch.file_name ?? t('No file name');
    return { type: 'upload', key: batch.id, name, href: `/admin/coupons/uploads/${batch.id}` };
  }
  if (product !== null) {
    const { product_id, name } = product;
    return { type: 'product', key: product_id, name, href: `/admin/products/${product_id}` };
  }
  if (coupon !== null) {
    const { id } = coupon;
    return { type: 'code', key: id, name: formatSuffix({ coupon }) ?? '••••', href: couponPath(id) };
  }
  const { file_name } = detail;
  return typeof file_name === 'string' && file_name !== ''
    ? { type: 'upload', key: file_name, name: file_name, href: null }
    : null;
}

/** Returns null if the action has no words. In the log of a person, the sentence has the number of others. */
export function formatLine(line: Told, names: ProductNames): string | null {
  const what = findAction(line.action)?.t(line, names) ?? null;
  if (what === null || line.others === undefined) return what;
  return fillIn(formatOthers(line.others), { what });
}

const formatOthers = plural('{what} with {count} other', '{what} with {count} others');
