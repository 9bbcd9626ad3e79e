// What an act of staff does besides its call: refreshes lists (R-CACHE-10), tells the result, confirms a count, and shows
// newer values.
import {
  countPeople,
  type ErrorCode,
  getCoupon,
  getPerson,
  getProductRecord,
  getUserAccess,
  listAudit,
  listBatches,
  listCohorts,
  listCoupons,
  listFailedJobs,
  listImports,
  listProducts,
  listTeam,
  listUsers,
} from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { ApiError, listMyProducts } from '../api.ts';
import { queryClient } from '../queries.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { showToast, type ToastWords } from '../ui/toast-store.ts';
import { say, sayServed } from '../words/say.ts';
import { sayCountChanged } from './nouns/upload.ts';
import { followRole, isRoleTooLow, useRoleRefusal } from './role.tsx';

// Paths of the data that every change affects: the dashboard's statistics and failed jobs, the log, and the products that
// the administrator has as a learner.
const ALWAYS = ['/api/admin/stats', listFailedJobs.path, listAudit.path, listMyProducts.path];

const PEOPLE = getPerson.path.replace(':user_id', '');

const CHANGED = {
  products: [listProducts.path, getProductRecord.path.replace(':id', '')],
  // The path of each single cohort begins with `listCohorts.path`. A grant to a cohort is access of its members.
  users: [
    ...[listUsers.path, countPeople.path, getUserAccess.path.replace(':email', '')],
    ...[PEOPLE, listCohorts.path],
  ],
  // All queries whose path begins with one of these are loaded again. The path of each single upload begins with
  // `listBatches.path`, so it needs no entry.
  coupons: [listCoupons.path, listBatches.path, PEOPLE, getCoupon.path.replace(':id', '')],
  team: [listTeam.path],
  imports: [listImports.path],
};

export type Changed = keyof typeof CHANGED;

/**
 * Invalidates all cached queries that depend on the changed data. TanStack Query then loads the queries of the current
 * page again.
 */
export function refreshLists(...changed: Changed[]): void {
  const prefixes = [...changed.flatMap((each) => CHANGED[each]), ...ALWAYS];
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
  });
}

// Toasts of the admin pages: errors, missing fields and successes.

/**
 * Returns a toast with the server's message. Its title is 'Error', or 'Access restricted' if the role of the current
 * user is too low. If the server sent no message, the text is `fallback` (R-ERR-09, A-58, R-TEAM-21).
 */
export function refusalWords(error: unknown, fallback: string): ToastWords {
  const words = error instanceof ApiError && error.serverMessage ? sayServed(error.serverMessage) : fallback;
  const title = isRoleTooLow(error) ? say('Access restricted') : say('Error');
  return { title, description: words, variant: 'destructive' };
}

/**
 * Shows the toast that `refusalWords` returns. After a refusal because of the role, also repeats the check of the role.
 * `fields` maps an error code of the server to a form field. `words` maps a form field to a text that replaces the
 * server's message. Returns the toast's text as the error of the form field, or {} if the error code has no field.
 */
export function tellRefusal<Name extends PropertyKey>(
  error: unknown,
  fallback: string,
  fields: Partial<Record<ErrorCode, Name>> = {},
  words: Partial<Record<Name, string>> = {},
): Partial<Record<Name, string>> {
  const name = error instanceof ApiError && fields[error.code as ErrorCode];
  const own = name && words[name];
  const toast = own ? { ...refusalWords(error, fallback), description: own } : refusalWords(error, fallback);
  showToast(toast);
  followRole(error);
  return (name ? { [name]: toast.description } : {}) as Partial<Record<Name, string>>;
}

/** Shows an error toast for an invalid form value. */
export function tellError(description: string): void {
  showToast({ title: say('Error'), description, variant: 'destructive' });
}

/** Shows the toast for required fields that are blank (R-VAL-10, R-VAL-16, R-VAL-26). */
export function tellMissing(description = say('Please fill in all required fields')): void {
  showToast({ title: say('Missing required fields'), description, variant: 'destructive' });
}

/** Shows a toast for a success, with the title 'Success' and the text `description`. */
export function tellSuccess(description: string): void {
  showToast({ title: say('Success'), description });
}

// Hook for a call that changes many codes or people. First a staff member confirms their number. If the call would change
// more, the server refuses the call (C-6).

type Counted = {
  /** Names what is counted. If it changes, `count` is the parameter `shown` again and `before` is undefined. */
  about?: string;
  /** The lists with the other facts of the dialog. They are loaded again after each refusal. */
  of?: Changed;
  /** Called if somebody else has saved meanwhile. No toast is shown then. */
  onConflict?: () => Promise<void>;
};

/**
 * Returns the number to confirm as `count`, and `confirm`, which makes the call. At first, `count` is the parameter
 * `shown`: the number that the page has loaded. If more codes or people are affected, the server refuses the call:
 * `count` becomes the server's number, and `before` the number that was confirmed. All other errors are shown as a toast,
 * with the text `failed` if the server sent no message. Also returns `isOff` of `useRoleRefusal`.
 */
export function useConfirmedCount(
  shown: number,
  failed: string,
  { about = '', of = 'coupons', onConflict }: Counted = {},
) {
  const [last, setLast] = useState<{ before: number; count: number; about: string }>();
  const { isOff, noteRefusal } = useRoleRefusal();
  const refused = last?.about === about ? last : undefined;
  const count = refused?.count ?? shown;
  const confirm = async (send: () => Promise<void>) => {
    try {
      await send();
    } catch (error) {
      noteRefusal(error);
      if (error instanceof ApiError && error.code === 'count_changed' && error.count !== undefined) {
        setLast({ before: count, count: error.count, about });
      } else if (onConflict && isEditConflict(error)) await onConflict();
      else tellRefusal(error, failed);
      // Somebody else may have changed what the dialog is about: the number of codes that were handed out, or the version
      // of a cohort (R-COHORT-33).
      if (error instanceof ApiError) refreshLists(of);
    }
  };
  return { count, before: refused?.before, confirm, isOff };
}

// Warning in a confirmation dialog: now more codes or people are affected than the dialog said before.

type CountChangedProps = {
  now: number;
  before: number | undefined;
  /** Returns the text; missing for codes. */
  sayChange?: (now: number, before: number) => string;
};

export function CountChanged({ now, before, sayChange = sayCountChanged }: CountChangedProps) {
  if (before === undefined) return null;
  return (
    <div role="alert">
      <Notice icon={TriangleAlert} warning>
        {sayChange(now, before)}
      </Notice>
    </div>
  );
}

/** True if somebody else has saved meanwhile (409 `edit_conflict`). */
export function isEditConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'edit_conflict';
}

/**
 * For a dialog that shows newer values after such a conflict. `show` loads the newer values and fills the form with them. Returns `onConflict`, which calls `show`, and `isNewer`,
 * which is true as soon as the form shows newer values.
 */
export function useNewerValues(show: () => Promise<void>) {
  const [isNewer, setNewer] = useState(false);
  const onConflict = async () => {
    try {
      await show();
      setNewer(true);
    } catch (error) {
      tellRefusal(error, say('We could not load their version.'));
    }
  };
  return { isNewer, onConflict };
}

export function NewerValues({ isShown }: { isShown: boolean }) {
  return (
    <div role="alert">
      {isShown && (
        <Notice icon={TriangleAlert} warning>
          {say('Somebody else changed this meanwhile.')}{' '}
          {say('The fields show the newer dates. Nothing was saved.')}
        </Notice>
      )}
    </div>
  );
}

// Shows below a form field the value that somebody else has saved meanwhile. A button copies this value into the field.
export function TheirsBar({ label, words, onUse }: { label: string; words: string; onUse: () => void }) {
  const bar = useRef<HTMLDivElement>(null);
  const use = () => {
    // After the value is copied, this bar and its button are removed. So the focus moves from the button to the field
    // above the bar.
    bar.current?.parentElement?.querySelector<HTMLElement>('input, textarea')?.focus();
    onUse();
  };
  return (
    <div
      ref={bar}
      className="text-sm flex items-start justify-between gap-1 mt-2 pt-2 pr-2 pb-2 pl-3.5 rounded-md bg-sunken [box-shadow:inset_2px_0_var(--warning-solid)] [&>p]:min-w-0 [&>p]:py-1.5 [&>button]:flex-none forced-colors:[outline:1px_solid_CanvasText]"
      data-theirs=""
    >
      <p>
        <span className="block text-xs/4 font-medium text-ink-3">{say('Their version')}</span>
        <span dir="auto" className="block wrap-anywhere whitespace-pre-line">
          {words === '' ? say('(empty)') : words}
        </span>
      </p>
      <Button size="sm" look="ghost" aria-label={say('Use theirs: {field}', { field: label })} onClick={use}>
        {say('Use theirs')}
      </Button>
    </div>
  );
}
