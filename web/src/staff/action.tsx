// An action of staff: makes a call, shows its result as a toast, and loads the changed lists again (R-CACHE-10).
// Handles a changed count, newer values, and a role that is too low.
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
  listProducts,
  type listTeam,
  listUsers,
} from '@portal/contract';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { ApiError, listMyProducts } from '../api.ts';
import { queryClient } from '../queries.ts';
import { showError, showToast, type ToastWords } from '../ui/toast-store.ts';
import { t, tServed } from '../words/translate.ts';
import { followRole, isRoleTooLow, useRoleRefusal } from './role.tsx';

// Paths of the data that every change affects: the dashboard's statistics and failed jobs, the log, and the products
// that the administrator has as a learner.
const ALWAYS = ['/api/admin/stats', listFailedJobs.path, listAudit.path, listMyProducts.path];

const PEOPLE = getPerson.path.replace(':user_id', '');

// Every query whose path begins with one of these is loaded again. So the path of a list also covers its single items.
const CHANGED = {
  products: [listProducts.path, getProductRecord.path.replace(':id', '')],
  users: [
    ...[listUsers.path, countPeople.path, getUserAccess.path.replace(':email', '')],
    ...[PEOPLE, listCohorts.path],
  ],
  // The list of products has the numbers of their codes.
  coupons: [
    ...[listCoupons.path, listBatches.path, listProducts.path, PEOPLE],
    getCoupon.path.replace(':id', ''),
  ],
};

/** A key of `CHANGED`; or the call of a list, if no other list shows the change. */
export type Changed = keyof typeof CHANGED | Pick<typeof listTeam, 'path'>;

/** Invalidates all cached queries of the changed data, so that those of the current page are loaded again. */
export function refreshLists(...changed: Changed[]): void {
  const prefixes = [
    ...changed.flatMap((each) => (typeof each === 'string' ? CHANGED[each] : each.path)),
    ...ALWAYS,
  ];
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
  });
}

/** Returns a toast with the server's message, or `fallback` if there is none (R-ERR-09, A-58, R-TEAM-21). */
export function refusalWords(error: unknown, fallback: string): ToastWords {
  const words = error instanceof ApiError && error.serverMessage ? tServed(error.serverMessage) : fallback;
  const title = isRoleTooLow(error) ? t('Access restricted') : t('Error');
  return { title, description: words, variant: 'destructive' };
}

/**
 * Shows the toast of `refusalWords`. If the role is too low, also checks the role again. `fields` maps an error code to
 * its form field; `words` maps a field to a text that replaces the server's message. Returns the toast's text as the
 * error of that field, or {} if the error code has no field.
 */
export function toastRefusal<Name extends PropertyKey>(
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

export function toastError(description: string): void {
  showToast({ title: t('Error'), description, variant: 'destructive' });
}

/** Shows a toast with the title 'Success'. */
export function toastSuccess(description: string): void {
  showToast({ title: t('Success'), description });
}

/** Delay of a warning after the toast with the new code, which the warning replaces. */
const WARNING_AFTER_MS = 2500;

/** Shows a warning of the server, after the toast about the success. */
export function toastWarning(warning: string): void {
  setTimeout(() => showError(t('Warning'), tServed(warning)), WARNING_AFTER_MS);
}

/** The number of codes or people that an action changes. The user confirms it (C-6). */
export type Counted = {
  /** The number that the page has loaded. */
  shown: number;
  /** Name of the counted things. If this name changes, the user must confirm `shown` again. */
  about?: string;
  /** Returns the warning: there are `now`, but the dialog has shown `before`. */
  formatChange: (now: number, before: number) => string;
};

export type ActionOrder<Reply, Input, Name extends PropertyKey = never> = {
  /** Makes the call. `expected` is the number that the user has confirmed; 0 without `counted`. */
  send: (input: Input, expected: number) => Promise<Reply>;
  /** Text of the toast if the server sent no message with its error. */
  failed: string;
  /** The data to load again after a success or a refusal. After a conflict, only `onConflict` is called. */
  changes?: readonly Changed[];
  /** Called after a success, while `changes` are being loaded. The action is busy until its promise resolves. */
  onDone?: (reply: Reply) => void | Promise<void>;
  /** Text of the toast after a success. */
  done?: string | ((reply: Reply) => string);
  /** For an action that changes many codes or people. */
  counted?: Counted;
  /** After the error `edit_conflict`, loads the version that somebody else has saved, without a toast. */
  onConflict?: () => void | Promise<void>;
  /** The warning after a conflict. */
  conflict?: string;
  /**
   * True for forms and dialogs, and by default with `counted`. After a refusal because of the role, a form stays with
   * its input, but is disabled. Other actions disappear with the controls that the role does not allow.
   */
  stays?: boolean;
  /** `refusedAt`: the field that shows an error code. `formatInvalid`: a field's text in place of the server's. */
  refusedAt?: Partial<Record<ErrorCode, Name>>;
  formatInvalid?: Partial<Record<Name, string>>;
};

/** What a dialog shows of its action. */
export type DialogAction = Pick<
  ReturnType<typeof useAction>,
  'props' | 'busy' | 'isDisabled' | 'before' | 'warnings'
>;

/**
 * Returns the state of an action. `run` makes the call, unless it is running already; it never rejects, and resolves to
 * the errors of form fields. `props.onSubmit` runs an action without fields. `count` is the number that the page shows.
 * If the server refuses this number, `count` becomes the server's, and `before` the number that was confirmed.
 * For `isDisabled`, see `useRoleRefusal`.
 */
export function useAction<Reply, Input = void, Name extends PropertyKey = never>(
  order: ActionOrder<Reply, Input, Name>,
) {
  const { counted, changes, stays = counted !== undefined } = order;
  const about = counted?.about ?? '';
  const [last, setLast] = useState<{ before: number; count: number; about: string }>();
  const [isNewer, setNewer] = useState(false);
  const { isDisabled, noteRefusal } = useRoleRefusal();
  const refused = last?.about === about ? last : undefined;
  const count = refused?.count ?? counted?.shown ?? 0;
  const refresh = () => changes && refreshLists(...changes);

  const showNewer = async () => {
    try {
      await order.onConflict?.();
      setNewer(true);
    } catch (error) {
      toastRefusal(error, t('We could not load their version.'));
    }
  };
  const refuse = async (error: unknown): Promise<Partial<Record<Name, string>>> => {
    if (stays) noteRefusal(error);
    const { code, count: now } = error instanceof ApiError ? error : {};
    if (order.onConflict && code === 'edit_conflict') {
      await showNewer();
      return {};
    }
    // Somebody else may have changed the data, so they are loaded again; not if the role is too low to load them.
    if (error instanceof ApiError && !isRoleTooLow(error)) refresh();
    if (code === 'count_changed' && now !== undefined) {
      setLast({ before: count, count: now, about });
      return {};
    }
    return toastRefusal(error, order.failed, order.refusedAt, order.formatInvalid);
  };
  const { mutateAsync, isPending: busy } = useMutation({
    mutationFn: async (input: Input): Promise<Partial<Record<Name, string>>> => {
      let reply: Reply;
      try {
        reply = await order.send(input, count);
      } catch (error) {
        return refuse(error);
      }
      refresh();
      await order.onDone?.(reply);
      if (order.done) toastSuccess(typeof order.done === 'string' ? order.done : order.done(reply));
      return {};
    },
  });
  // `busy` is set only by the next render, but the second click of a double click may come earlier.
  const isRunning = useRef(false);
  const run = async (input: Input) => {
    if (isRunning.current || isDisabled) return {};
    isRunning.current = true;
    try {
      return await mutateAsync(input);
    } catch (error) {
      // The call has succeeded, but the page's code that ran after the call has failed.
      reportError(error);
      return {};
    } finally {
      isRunning.current = false;
    }
  };
  const warnings = [
    ...(refused && counted ? [counted.formatChange(refused.count, refused.before)] : []),
    ...(isNewer && order.conflict ? [order.conflict] : []),
  ];
  const props = { onSubmit: (_event: SubmitEvent) => void run(undefined as Input) };
  return { run, busy, isDisabled, noteRefusal, count, before: refused?.before, warnings, props };
}

/** The warning of a dialog whose fields show newer days after a conflict. */
export const formatNewerDates = () =>
  `${t('Somebody else changed this meanwhile.')} ${t('The fields show the newer dates. Nothing was saved.')}`;
