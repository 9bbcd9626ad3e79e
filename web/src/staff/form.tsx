// The forms of staff: on a page and in a dialog. A form checks its values, and runs an action with them.

import { REASON_MAX, REASON_MIN } from '@portal/contract';
import { History } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { getSessionState, subscribeToSession } from '../auth.ts';
import { type Fields, forgetTyped, keepTyped, readTyped } from '../sign-in/session.ts';
import { Button, OFF_BUTTON } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { showToast } from '../ui/toast-store.ts';
import { type Errors, useForm } from '../ui/use-form.ts';
import { t, tServed } from '../words/translate.ts';
import type { ActionOrder, Counted, DialogAction } from './action.tsx';
import { formatNewerDates, useAction } from './action.tsx';

/** Says that the form shows again what was typed before the session ended. Always on the page, for screen readers. */
export function RestoredNotice({ isShown }: { isShown: boolean }) {
  return (
    <div role="status" className="text-sm [&_strong]:font-medium empty:absolute">
      {isShown && (
        <Notice icon={History}>
          {t('What you typed before you were signed out is here again. It was not saved yet.')}
        </Notice>
      )}
    </div>
  );
}

/** Classes of the fields of a form in two columns. A field over both has `col-span-full`. */
export const FIELDS = 'grid content-start gap-4 md:grid-cols-2';

export const FORM_FOOT = 'mt-auto flex flex-wrap items-center gap-3 pt-1';

type StaffFormProps = {
  form: Pick<ReturnType<typeof useStaffForm>, 'props' | 'busy' | 'isDisabled' | 'onClear' | 'isUntouched'>;
  /** Label of the submit button. */
  save: string;
  /** Label of the button while the form is sent; 'Saving...' if missing. */
  saving?: string;
  /** A sentence beside the buttons. */
  note?: string | undefined;
  /** Class of a layout other than one column. */
  className?: string | undefined;
  children: ReactNode;
};

export function StaffForm({ form, save, saving = t('Saving...'), note, ...layout }: StaffFormProps) {
  const { props, busy, isDisabled, onClear, isUntouched } = form;
  const { className = 'flex flex-col gap-4 h-full', children } = layout;
  return (
    <form {...props} className={className} data-untouched={isUntouched ? '' : undefined}>
      <RestoredNotice isShown={onClear !== undefined} />
      {children}
      <div className={FORM_FOOT}>
        <SubmitButton form={{ busy, isDisabled }}>{busy ? saving : save}</SubmitButton>
        {onClear && (
          <Button look="ghost" onClick={onClear}>
            {t('Clear')}
          </Button>
        )}
        {note && <span className="text-sm text-ink-3">{note}</span>}
      </div>
    </form>
  );
}

type SubmitButtonProps = Pick<Parameters<typeof Button>[0], 'size' | 'icon' | 'children'> & {
  form: { busy: boolean; isDisabled: boolean };
};

/** Uses `aria-disabled` instead of `disabled`: the pressed button keeps the focus. */
export function SubmitButton({ form: { busy, isDisabled }, ...props }: SubmitButtonProps) {
  return (
    <Button
      {...props}
      look="primary"
      className={OFF_BUTTON}
      type="submit"
      busy={busy}
      aria-disabled={isDisabled || undefined}
    />
  );
}

type DialogOrder<Values extends object, Reply> = Omit<ActionOrder<Reply, Values, keyof Values>, 'counted'> & {
  start: Values;
  /** Returns an error for each invalid field. */
  check?: (values: Values) => Errors<Values>;
  counted?: Counted | ((values: Values) => Counted);
  /** For a dialog with days: loads newer days after a conflict. Undefined if their grant or upload is gone. */
  loadNewer?: (values: Values) => Promise<Values | undefined>;
};

/** Returns the state of `useForm`, and of `useAction`, which sends the values. */
export function useDialogForm<Values extends object, Reply>(order: DialogOrder<Values, Reply>) {
  const { start, check, counted, loadNewer, ...sent } = order;
  const form = useForm(start, async (values): Promise<Errors<Values>> => {
    const problems: Errors<Values> = check?.(values) ?? {};
    return Object.keys(problems).length > 0 ? problems : action.run(values);
  });
  const showNewer = async () => {
    const newer = await loadNewer?.(form.values);
    if (newer) form.reset(newer);
  };
  const action = useAction({
    ...(loadNewer && { onConflict: showNewer, conflict: formatNewerDates() }),
    ...sent,
    stays: true,
    ...(counted && { counted: typeof counted === 'function' ? counted(form.values) : counted }),
  });
  return { ...action, ...form };
}

type Checked<Body> =
  | { success: true; data: Body }
  | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };

type Order<Values extends object, Body, Reply> = Omit<ActionOrder<Reply, Body, keyof Values>, 'onDone'> & {
  /** See `useTyped`. */
  mark?: string;
  /** Values of the empty form. */
  start: Values;
  /** Returns the errors of the required fields, which are shown if these are blank. */
  required: (values: Values) => Errors<Values> | Promise<Errors<Values>>;
  /** Returns the text of the toast about blank fields, instead of the default one (R-VAL-10, R-VAL-16, R-VAL-26). */
  formatMissing?: (missing: Errors<Values>) => string | undefined;
  /** Schema of the request body, from the contract. */
  schema: { safeParse: (values: Values) => Checked<Body> };
  /** Called after the values were saved, when the form is empty again. `reset` fills the form with other values. */
  onDone?: (reply: Reply, reset: (to: Values) => void) => void;
  /** Called with the restored values, after the form has shown them again. */
  onRestored?: (values: Values) => void;
};

/**
 * Returns the state of `useForm` and of `useAction`. `isUntouched` is true while the form has only its `start` values.
 * `onClear` empties the form; it is set while values are restored.
 */
export function useStaffForm<Values extends object, Body, Reply>(order: Order<Values, Body, Reply>) {
  const { start, schema } = order;
  const action = useAction<Reply, Body, keyof Values>({
    ...order,
    stays: true,
    onDone: (reply) => {
      clear();
      order.onDone?.(reply, form.reset);
    },
  });
  const form = useForm(start, async (values) => {
    if (action.isDisabled) return {};
    const missing = blanksOf(values, await order.required(values));
    if (Object.keys(missing).length > 0) {
      const description = order.formatMissing?.(missing) ?? t('Please fill in all required fields');
      showToast({ title: t('Missing required fields'), description, variant: 'destructive' });
      return missing;
    }
    const checked = schema.safeParse(values);
    if (!checked.success) return listFieldErrors<Values>(checked.error.issues, order.formatInvalid);
    return action.run(checked.data);
  });
  const restore = (values: Values) => {
    form.reset(values);
    order.onRestored?.(values);
  };
  const typed = useTyped(form.values, start, restore, order.mark);
  function clear() {
    form.reset(start);
    typed.forget();
  }
  const isUntouched = !action.busy && JSON.stringify(form.values) === JSON.stringify(start);
  return { ...action, ...form, isUntouched, onClear: typed.isBack ? clear : undefined };
}

function blanksOf<Values>(values: Values, required: Errors<Values>): Errors<Values> {
  const names = (Object.keys(required) as (keyof Values)[]).filter((name) => isBlank(values[name]));
  return Object.fromEntries(names.map((name) => [name, required[name]])) as Errors<Values>;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}

/** Returns an error for each invalid field, from `formatInvalid` or else its first issue. */
function listFieldErrors<Values>(
  issues: { path: PropertyKey[]; message: string }[],
  formatInvalid: Errors<Values> = {},
): Errors<Values> {
  const said = issues.map(
    ({ path: [name], message }) => [name, formatInvalid[name as keyof Values] ?? tServed(message)] as const,
  );
  return Object.fromEntries(said.toReversed()) as Errors<Values>;
}

/** Returns the key of stored values: the path of the page, with the mark of the form. */
const placeOf = (mark: string) => location.pathname + mark;

function readFields(mark: string): Fields | null {
  const state = getSessionState();
  return state.status === 'signed-in' ? readTyped(state.email, placeOf(mark), Date.now()) : null;
}

/** Returns true if values of the form are stored. A form that is closed at first then opens, to show them again. */
export function hasTyped(mark: string): boolean {
  return readFields(mark) !== null;
}

/**
 * Stores the values when the session ends, and restores them after the same user has signed in again. `isBack` is true
 * until `forget` is called. `mark` distinguishes the form from another form of its page.
 */
function useTyped<Values extends object>(
  values: Values,
  start: Values,
  restore: (values: Values) => void,
  mark = '',
) {
  const [isBack, setBack] = useState(false);
  const restoreTyped = useEffectEvent((fields: Fields) => {
    // An older version of the page may have stored a field with another name or type.
    const known = fields.filter(([name, value]) => typeof start[name as keyof Values] === typeof value);
    restore({ ...start, ...Object.fromEntries(known) });
  });
  const keep = useEffectEvent(() => {
    const state = getSessionState();
    if (state.status !== 'signed-out' || state.endedFor === undefined) return;
    const fields = Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(start[name as keyof Values]),
    );
    keepTyped({ email: state.endedFor, path: placeOf(mark), atMs: Date.now(), fields });
  });
  useEffect(() => {
    const fields = readFields(mark);
    if (!fields) return;
    forgetTyped();
    restoreTyped(fields);
    setBack(true);
  }, [mark]);
  useEffect(() => subscribeToSession(() => keep()), []);
  return { isBack, forget: () => setBack(false) };
}

/**
 * `withId` adds an id to the body of a request, so that a repeated request creates nothing twice (N-325). Equal bodies
 * have the same id until `renew` is called, after a success.
 */
export function useFormId() {
  const last = useRef({ sent: '', id: '' });
  const withId = <Body extends object>(body: Body) => {
    const sent = JSON.stringify(body);
    if (last.current.sent !== sent) last.current = { sent, id: randomUuid() };
    return { ...body, id: last.current.id };
  };
  const renew = () => {
    last.current = { sent: '', id: '' };
  };
  return { withId, renew };
}

/** Returns a random UUID. `crypto.randomUUID` does not exist on pages without TLS. */
export function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type Dialog = Parameters<typeof ConfirmDialog>[0];
type EditDialogProps = Pick<Dialog, 'title' | 'words' | 'children'> & {
  form: Dialog['action'] & Pick<ReturnType<typeof useStaffForm>, 'onClear'>;
  onClose: () => void;
};

export function EditDialog({ form, onClose, children, ...props }: EditDialogProps) {
  return (
    <ConfirmDialog
      isForm
      {...props}
      action={form}
      confirm={form.busy ? t('Saving...') : t('Save')}
      onCancel={onClose}
    >
      <RestoredNotice isShown={form.onClear !== undefined} />
      {children}
    </ConfirmDialog>
  );
}

type TheirsBarProps = {
  label: string;
  field: { value: string; onChange: (value: string) => void };
  theirs: string | undefined;
  words?: string | undefined;
};

/**
 * Shows the value `theirs` that somebody else has saved, as `words`, and a button that copies it into the field above.
 * Shows nothing if the field has this value.
 */
export function TheirsBar({ label, field, theirs, words = theirs }: TheirsBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const use = () => {
    // The copied value removes this bar, so the focus moves from its button to the field above.
    bar.current?.parentElement?.querySelector<HTMLElement>('input, textarea')?.focus();
    field.onChange(theirs ?? '');
  };
  if (theirs === undefined || theirs === field.value) return null;
  return (
    <div
      ref={bar}
      className="text-sm flex items-start justify-between gap-1 mt-2 pt-2 pr-2 pb-2 pl-3.5 rounded-md bg-sunken [box-shadow:inset_2px_0_var(--warning-solid)] [&>p]:min-w-0 [&>p]:py-1.5 [&>button]:flex-none forced-colors:[outline:1px_solid_CanvasText]"
      data-theirs=""
    >
      <p>
        <span className="block text-xs/4 font-medium text-ink-3">{t('Their version')}</span>
        <span dir="auto" className="block wrap-anywhere whitespace-pre-line">
          {words === '' ? t('(empty)') : words}
        </span>
      </p>
      <Button size="sm" look="ghost" aria-label={t('Use theirs: {field}', { field: label })} onClick={use}>
        {t('Use theirs')}
      </Button>
    </div>
  );
}

/** From this number of characters on, the hint below the field counts them. */
const COUNTED_FROM = 180;

type ReasonDialogProps = Omit<Dialog, 'action' | 'isForm' | 'disabled'> & {
  form: DialogAction & Pick<ReturnType<typeof useDialogForm<{ reason: string }, unknown>>, 'field'>;
  isReasonOptional?: boolean;
  /** Reasons to choose from. The text field is then shown only for another reason. */
  reasons?: readonly { value: string; label: string }[] | undefined;
  /** An example of a reason. */
  example: string;
  /** Content below the field 'Reason'. */
  after?: ReactNode;
};

/** A dialog that asks for a reason, below its other fields. */
export function ReasonDialog({
  form,
  isReasonOptional = false,
  reasons,
  example,
  ...props
}: ReasonDialogProps) {
  const { children, after, ...dialog } = props;
  const reason = form.field('reason');
  const { length } = reason.value;
  const [isOther, setOther] = useState(reasons === undefined);
  const choose = (value: string) => {
    setOther(value === '');
    reason.onChange(value);
  };
  return (
    <ConfirmDialog
      {...dialog}
      isForm={reasons !== undefined}
      action={form}
      // Without a choice there is no reason, and no field that could say so.
      disabled={!isOther && reason.value === ''}
    >
      {children}
      {reasons && (
        <RadioGroup
          label={t('Reason')}
          value={isOther ? OTHER : reason.value}
          options={[...reasons, { value: OTHER, label: t('Other…') }]}
          onChange={(value) => choose(value === OTHER ? '' : value)}
        />
      )}
      {isOther && (
        <TextField
          {...reason}
          label={reasons ? t('Other reason') : t('Reason')}
          required={!isReasonOptional}
          optional={isReasonOptional}
          autoComplete="off"
          placeholder={example}
          maxLength={REASON_MAX}
          hint={
            length < COUNTED_FROM
              ? t('{least} to {most} characters. Kept in the log, seen by staff.', {
                  least: REASON_MIN,
                  most: REASON_MAX,
                })
              : t('{count} of {most} characters', { count: length, most: REASON_MAX })
          }
        />
      )}
      {after}
    </ConfirmDialog>
  );
}

const OTHER = 'other';

/** Returns an error for the field `reason` if the reason is too short (C-9). */
export function checkReason({ reason }: { reason: string }, isOptional = false): { reason?: string } {
  const { length } = reason.trim();
  if (length >= REASON_MIN || (isOptional && length === 0)) return {};
  return { reason: t('Give a reason of at least {count} characters', { count: REASON_MIN }) };
}
