// The timeline of one thing: what happened to it, newest first (R-TRAIL-51, R-TRAIL-52).
import type { AuditLine } from '@portal/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Clock } from 'lucide-react';
import { type ComponentType, useRef } from 'react';
import { type ListPage, readPage } from '../../../admin-api.ts';
import { listAudit } from '../../../admin-calls.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { say } from '../../../words/say.ts';
// Through `admin.ts`, not directly. The page of a product has the reason.
import { AsOf } from '../admin.ts';
import { listRequest } from '../lists/list-address.ts';
import { useListState } from '../lists/use-list.ts';
import { Chips } from './chips.tsx';
import { nounsOf } from './kinds.ts';
import styles from './log.module.css';
import { LogLines, LogLoading, PAGE_LINES } from './log-lines.tsx';
import { sayExtent } from './say-extent.ts';

const KIND = 'show';

/** The thing whose lines are shown. A person is named by the address. */
export type TimelineSubject =
  | { email: string }
  | { product_id: string }
  | { coupon_id: string }
  | { cohort_id: string }
  | { batch_id: string };

type TimelineProps = { subject: TimelineSubject };

/** The timeline as pages get it: the app loads it on demand, so that these pages do not contain the words of all acts. */
export type LoadedTimeline = ComponentType<TimelineProps>;

/** The URL contains the chosen kind of acts, as `show`. */
export function Timeline({ subject }: TimelineProps) {
  const list = useListState([KIND]);
  const kind = list.state.filters[KIND] ?? '';
  const nouns = nounsOf(kind);
  const filters = { ...subject, ...(nouns !== undefined && { kind: nouns }) };
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
  return (
    <Card title={say('Timeline')} action={<AsOf query={query} of={[]} />}>
      <Chips value={nouns === undefined ? '' : kind} onChange={(value) => list.filter(KIND, value)} />
      <Body query={query} hasAbout={!('email' in subject || 'batch_id' in subject)} />
    </Card>
  );
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
    <div className={styles.foot}>
      <span ref={words} role="status" tabIndex={-1}>
        {sayExtent(oldest, lookedUntil)}
      </span>
      {query.hasNextPage && (
        <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void showOlder()}>
          {lookedUntil === null ? say('Show older') : say('Look further')}
        </Button>
      )}
    </div>
  );
}
