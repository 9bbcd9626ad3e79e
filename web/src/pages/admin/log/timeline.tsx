// The timeline of one thing: what happened to it, newest first (R-TRAIL-51, R-TRAIL-52).
import type { AuditLine } from '@portal/contract';
import { addNote, listAudit } from '@portal/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Clock, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type ListPage, readPage } from '../../../admin-api.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { ListFoot } from '../../../ui/list-foot.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { listRequest } from '../lists/list-address.ts';
import { useListState } from '../lists/use-list.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import { hasTyped } from '../use-typed.ts';
import { Chips } from './chips.tsx';
import { nounsOf } from './kinds.ts';
import styles from './log.module.css';
import { LogLines, LogLoading, PAGE_LINES } from './log-lines.tsx';
import { NOTE_MARK, NoteForm, type NoteSubject } from './note-form.tsx';
import { sayExtent } from './say-extent.ts';

const KIND = 'show';
const NOTES = 'notes';

/** The thing whose lines are shown. The lines of a person are found by the address; a note needs the id. */
export type TimelineSubject =
  | { email: string; user_id: string }
  | { product_id: string }
  | { coupon_id: string }
  | { cohort_id: string }
  | { batch_id: string };

type TimelineProps = { subject: TimelineSubject };

/** The URL contains the chosen kind of acts, as `show`. */
export function Timeline({ subject }: TimelineProps) {
  const list = useListState([KIND]);
  const kind = list.state.filters[KIND] ?? '';
  const nouns = nounsOf(kind);
  const noteSubject = findNoteSubject(subject);
  const filters = { ...filterFor(subject), ...(nouns !== undefined && { kind: nouns }) };
  const query = useInfiniteQuery({
    // The page `Activity` stores one page of the same request under the request alone.
    queryKey: [listRequest(listAudit.path, { q: '', filters, cursors: [] }, PAGE_LINES), 'timeline'],
    queryFn: ({ pageParam }): Promise<ListPage<AuditLine>> =>
      readPage(listRequest(listAudit.path, { q: '', filters, cursors: pageParam }, PAGE_LINES)),
    initialPageParam: [] as string[],
    // The log grows without an act on this page. So it is loaded again whenever the page is opened.
    refetchOnMount: 'always',
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
  });
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
      title={say('Timeline')}
      action={
        <div className={styles.acts}>
          <AsOf query={query} of={[]} />
          {mayAddNote && (
            <Button ref={addButton} size="sm" aria-expanded={isWriting} onClick={openNote}>
              <Icon of={Plus} size={16} />
              {say('Add note')}
            </Button>
          )}
        </div>
      }
    >
      <Chips value={nouns === undefined ? '' : kind} onChange={(value) => list.filter(KIND, value)} />
      {isWriting && noteSubject !== null && (
        <div ref={form}>
          <RoleGate to={addNote}>
            <NoteForm subject={noteSubject} onAdded={showNote} onClose={closeNote} />
          </RoleGate>
        </div>
      )}
      <Body query={query} hasAbout={!('email' in subject || 'batch_id' in subject)} />
    </Card>
  );
}

/** Returns what a note on this timeline is about. Notes about uploads and cohorts do not exist. */
function findNoteSubject(subject: TimelineSubject): NoteSubject | null {
  if ('user_id' in subject) return { user_id: subject.user_id };
  return 'product_id' in subject || 'coupon_id' in subject ? subject : null;
}

/** Returns the filter of the log for the subject. */
function filterFor(subject: TimelineSubject): Record<string, string> {
  return 'email' in subject ? { email: subject.email } : subject;
}

type Query = ReturnType<typeof useInfiniteQuery<ListPage<AuditLine>>>;

function Body({ query, hasAbout }: { query: Query; hasAbout: boolean }) {
  if (query.isPending) return <LogLoading />;
  const { isFetchNextPageError } = query;
  const error = (
    <CardBody>
      <LoadError
        words={say('We could not load the timeline.')}
        onRetry={() => void (isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
      />
    </CardBody>
  );
  if (!query.data || (query.isError && !isFetchNextPageError)) return error;
  const lines = query.data.pages.flatMap(({ rows }) => rows);
  const last = query.data.pages.at(-1);
  return (
    <>
      {lines.length === 0 && !query.hasNextPage && (
        <NoRows icon={Clock}>
          <p>{say('Nothing has happened yet.')}</p>
        </NoRows>
      )}
      <LogLines lines={lines} hasAbout={hasAbout} />
      {isFetchNextPageError && error}
      {!isFetchNextPageError && (lines.length > 0 || query.hasNextPage) && (
        <Foot query={query} oldest={lines.at(-1)} lookedUntil={last?.lookedUntil ?? null} />
      )}
    </>
  );
}

type FootProps = { query: Query; oldest: AuditLine | undefined; lookedUntil: string | null };

function Foot({ query, oldest, lookedUntil }: FootProps) {
  const words = useRef<HTMLSpanElement>(null);
  const showOlder = async () => {
    const { hasNextPage } = await query.fetchNextPage();
    // The button is removed with the last page. If it has the focus, the focus moves to the text beside it.
    if (!hasNextPage) words.current?.focus();
  };
  return (
    <ListFoot words={sayExtent(oldest, lookedUntil)} wordsRef={words}>
      {query.hasNextPage && (
        <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void showOlder()}>
          {lookedUntil === null ? say('Show older') : say('Look further')}
        </Button>
      )}
    </ListFoot>
  );
}
