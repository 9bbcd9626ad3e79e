// The timeline of one thing: what happened to it, newest first (R-TRAIL-51, R-TRAIL-52).
import { addNote, type NewNote, NOTE_MAX, newNote } from '@portal/contract';
import { Clock, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../api.ts';
import { LoadError } from '../../page.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NoRows } from '../../ui/table.tsx';
import { t } from '../../words/translate.ts';
import { hasTyped, RestoredNotice, SubmitButton, useFormId, useStaffForm } from '../form.tsx';
import { AsOf, useListState } from '../list.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { LOG_ACTIONS, LogLines, LogLoading } from './lines.tsx';
import { LogFoot, type LogPages, useLogPages } from './pages.tsx';

const KIND = 'show';
const NOTES = 'notes';
/** The number of rows of a timeline until the user asks for older ones. */
const FIRST_ROWS = 15;
/** A timeline with more rows has buttons that filter it. */
const FEW_ROWS = 10;

/** The thing whose lines are shown. The lines of a person are found by the address; a note needs the id. */
type TimelineSubject =
  | { email: string; user_id: string }
  | { product_id: string }
  | { coupon_id: string }
  | { cohort_id: string }
  | { batch_id: string };

/** The URL contains the chosen kind of actions, as `show`. */
export function Timeline({ subject }: { subject: TimelineSubject }) {
  const list = useListState([KIND], { hasPages: false });
  const kind = list.state.filters[KIND] ?? '';
  const nouns = nounsOf(kind);
  const noteSubject = findNoteSubject(subject);
  const filters = {
    ...('email' in subject ? { email: subject.email } : subject),
    ...(nouns !== undefined && { kind: nouns }),
  };
  const query = useLogPages(filters, { first: FIRST_ROWS });
  const hasChips = useChips(query, nouns !== undefined);
  const mayAddNote = useMay()(addNote) && noteSubject !== null;
  const [isWriting, setWriting] = useState(() => mayAddNote && hasTyped(NOTE_MARK));
  const addButton = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLDivElement>(null);
  const openNote = () => {
    if (isWriting) form.current?.querySelector('textarea')?.focus();
    else setWriting(true);
  };
  const closeNote = () => {
    // Renders synchronously: the form, which has the focus, is removed before the button gets the focus.
    flushSync(() => setWriting(false));
    addButton.current?.focus();
  };
  const showNote = () => {
    closeNote();
    if (nouns !== undefined && kind !== NOTES) list.filter(KIND, '');
  };
  return (
    <Card
      title={t('Timeline')}
      action={
        <div className={LOG_ACTIONS}>
          <AsOf query={query} of={[]} />
          {mayAddNote && (
            <Button ref={addButton} size="sm" aria-expanded={isWriting} onClick={openNote}>
              <Icon of={Plus} size={16} />
              {t('Add note')}
            </Button>
          )}
        </div>
      }
    >
      {hasChips && (
        <Chips value={nouns === undefined ? '' : kind} onChange={(value) => list.filter(KIND, value)} />
      )}
      {isWriting && noteSubject !== null && (
        <div ref={form}>
          <RoleGate to={addNote}>
            <NoteForm subject={noteSubject} onAdded={showNote} onClose={closeNote} />
          </RoleGate>
        </div>
      )}
      <Body
        query={query}
        hasAbout={!('email' in subject || 'batch_id' in subject)}
        own={'email' in subject ? subject.user_id : Object.values(subject)[0]}
        hasEntries={!('email' in subject || 'coupon_id' in subject)}
      />
    </Card>
  );
}

/** True if the timeline is long enough to be filtered, or is filtered. It stays true, so that no pressed button goes. */
function useChips({ data, hasNextPage }: LogPages, isFiltered: boolean): boolean {
  const [wasShown, setShown] = useState(false);
  const rows = data?.pages.reduce((sum, page) => sum + page.rows.length, 0) ?? 0;
  const isShown = wasShown || isFiltered || hasNextPage || rows > FEW_ROWS;
  if (isShown && !wasShown) setShown(true);
  return isShown;
}

/** Returns what a note on this timeline is about. Notes about uploads and cohorts do not exist. */
function findNoteSubject(subject: TimelineSubject): NoteSubject | null {
  if ('user_id' in subject) return { user_id: subject.user_id };
  return 'product_id' in subject || 'coupon_id' in subject ? subject : null;
}

type BodyProps = Pick<Parameters<typeof LogLines>[0], 'hasAbout' | 'hasEntries' | 'own'> & {
  query: LogPages;
};

function Body({ query, ...shown }: BodyProps) {
  if (query.isPending) return <LogLoading />;
  const { isFetchNextPageError } = query;
  const error = (
    <CardBody>
      <LoadError
        words={t('We could not load the timeline.')}
        onRetry={() => void (isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
      />
    </CardBody>
  );
  if (!query.data || (query.isError && !isFetchNextPageError)) return error;
  const lines = query.data.pages.flatMap(({ rows }) => rows);
  return (
    <>
      {lines.length === 0 && !query.hasNextPage && (
        <NoRows icon={Clock}>{t('Nothing has happened yet.')}</NoRows>
      )}
      <LogLines lines={lines} {...shown} />
      {isFetchNextPageError && error}
      {!isFetchNextPageError && (lines.length > 0 || query.hasNextPage) && <LogFoot query={query} />}
    </>
  );
}

/** Distinguishes this form from the other forms of its page; see `useTyped`. */
const NOTE_MARK = '#note';

/** The thing that the note is about: one of the three ids. */
type NoteSubject = Omit<NewNote, 'text' | 'id'>;

type NoteFormProps = { subject: NoteSubject; onAdded: () => void; onClose: () => void };

/** R-TRAIL-07, R-TRAIL-51. */
function NoteForm({ subject, onAdded, onClose }: NoteFormProps) {
  const hintId = useId();
  const [isAsking, setAsking] = useState(false);
  const start = { text: '' };
  const { withId, renew } = useFormId();
  const form = useStaffForm({
    mark: NOTE_MARK,
    start,
    required: () => ({ text: t('Write the note first') }),
    formatMissing: ({ text }) => text,
    schema: { safeParse: (values: typeof start) => newNote.safeParse({ ...subject, ...values }) },
    send: (body) => call(addNote, { body: withId(body) }),
    failed: t('Failed to add the note'),
    refusedAt: { invalid_request: 'text' },
    onDone: () => {
      renew();
      onAdded();
    },
    done: t('Note added'),
    changes: [],
  });
  const { values, busy, isDisabled, props } = form;
  const { ref } = props;
  useEffect(() => ref.current?.querySelector('textarea')?.focus(), [ref]);
  const leave = () => {
    if (busy) return;
    if (values.text.trim() === '') onClose();
    else setAsking(true);
  };
  const pressKey = (event: KeyboardEvent) => {
    // While an input method composes a character, Escape belongs to the input method.
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    // Otherwise, the same press of Escape would close the dialog that it opens.
    event.preventDefault();
    leave();
  };
  return (
    <>
      <form {...props} className="flex flex-col gap-4 pt-0 px-6 pb-5 max-md:px-4.5" onKeyDown={pressKey}>
        <RestoredNotice isShown={form.onClear !== undefined} />
        <TextArea
          {...form.field('text')}
          label={t('Note')}
          rows={3}
          maxLength={NOTE_MAX}
          aria-describedby={hintId}
        />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p id={hintId} className="text-sm text-ink-3 tabular-nums">
            {t('A note cannot be changed later.')}{' '}
            {t('{count} of {max} characters', { count: values.text.length, max: NOTE_MAX })}
          </p>
          <div className="ml-auto flex gap-2">
            <Button size="sm" onClick={leave}>
              {t('Cancel')}
            </Button>
            <SubmitButton form={{ busy, isDisabled }} size="sm">
              {t('Add note')}
            </SubmitButton>
          </div>
        </div>
      </form>
      {isAsking && (
        <ConfirmDialog
          title={t('Discard the note?')}
          words={t('What you typed is not saved.')}
          cancel={t('Keep writing')}
          confirm={t('Discard')}
          danger
          onCancel={() => setAsking(false)}
          onConfirm={onClose}
        />
      )}
    </>
  );
}

/** Buttons that filter the timeline by the kind of its actions (N-79). `value` is a kind, or '' for all. */
function Chips({ value, onChange }: { value: string; onChange: (kind: string) => void }) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5 px-6 py-4 max-md:px-4.5" aria-label={t('Show')}>
      {[{ value: '', label: t('All') }, ...listKinds()].map((kind) => (
        <button
          key={kind.value}
          type="button"
          className="h-7 cursor-pointer rounded-full border border-line-strong bg-surface px-3 text-(length:--text-sm) font-medium text-ink-2 hover:border-line-control hover:text-ink aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-on-ink forced-colors:aria-pressed:-outline-offset-2 forced-colors:aria-pressed:[outline:2px_solid_Highlight]"
          aria-pressed={kind.value === value}
          onClick={() => kind.value !== value && onChange(kind.value)}
        >
          {kind.label}
        </button>
      ))}
    </fieldset>
  );
}

/** A kind of actions (N-79): its name in the URL, and the nouns with which the names of its actions begin. */
type Kind = { value: string; label: string; nouns: string };

/** The kinds that every list offers. */
export const listKinds = (): Kind[] => [
  { value: 'access', label: t('Access'), nouns: 'grant,member' },
  { value: 'codes', label: t('Codes'), nouns: 'coupon,wait' },
  { value: 'mail', label: t('Emails'), nouns: 'mail' },
  { value: 'sign-in', label: t('Sign-in'), nouns: 'session,identity' },
  { value: 'notes', label: t('Notes'), nouns: 'note' },
];

/** The kinds that only the list of all actions offers. */
export const listFurtherKinds = (): Kind[] => [
  { value: 'products', label: t('Products'), nouns: 'product' },
  { value: 'people', label: t('People'), nouns: 'user,person,cohort' },
  { value: 'team', label: t('Team'), nouns: 'team' },
  { value: 'uploads', label: t('Uploads'), nouns: 'batch,import' },
];

/** Returns the nouns of a kind for the API's parameter `kind`, or undefined if no kind has this name. */
export function nounsOf(kind: string): string | undefined {
  return [...listKinds(), ...listFurtherKinds()].find(({ value }) => value === kind)?.nouns;
}
