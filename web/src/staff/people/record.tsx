// Cards on the record of a person: codes, mails, and the warning about refused mails (R-TRAIL-06, R-TRAIL-31,
// R-TRAIL-32, R-TRAIL-50, N-74).
import { type PersonCoupon, type PersonMail, type PersonRecord, retryMail } from '@portal/contract';
import { Check, CircleAlert, Clock, type LucideIcon, MailX, RefreshCw } from 'lucide-react';
import { call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { Tag, type TagTone } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tServed } from '../../words/translate.ts';
import { useAction } from '../action.tsx';
import { column } from '../list.tsx';
import { formatCode, formatState, HiddenCode, type Reveals, StateLink } from '../nouns/code.tsx';
import { formatActor, formatTimeAndActor } from '../nouns/log-line.ts';
import { ProductLink } from '../nouns/product.tsx';
import { UnknownTag } from '../nouns/unknown-code.tsx';
import { formatDay, formatDayAndTime, today } from '../time.ts';

/** `reveals` are the codes that are clear anywhere on the page: a code is not both hidden and clear (R-DAY-38). */
export function PersonCodes({ record, reveals }: { record: PersonRecord; reveals: Reveals }) {
  const { coupons, mail } = record;
  const hasMails = mail.recent.length > 0;
  if (coupons.length === 0)
    return <EmptyCard title={t('Codes')} words={t('No codes yet.')} isAlone={hasMails} />;
  return (
    <Card
      title={t('Codes')}
      sub={t('Every code this person ever held')}
      className={hasMails ? 'lg:col-span-7' : undefined}
    >
      <DataTable
        caption={t('Codes')}
        columns={columnsWith(reveals)}
        rows={coupons}
        keyOf={({ id }) => id}
        className="md:[&_tbody_:is(td,_th[scope=row])]:h-13! md:[&_tbody_:is(td,_th[scope=row])]:py-1.75!"
      />
    </Card>
  );
}

type EmptyCardProps = {
  title: string;
  words: string;
  /** True if the card beside it has rows. An empty card would be as high as those, so it is in a row of its own. */
  isAlone: boolean;
};

/** A card without rows is one line. */
function EmptyCard({ title, words, isAlone }: EmptyCardProps) {
  return (
    <Card
      title={title}
      action={<p className="pr-3 text-sm/8 text-ink-3">{words}</p>}
      className={classes('pb-5 max-md:pb-4.5', !isAlone && 'lg:col-span-6')}
    >
      {null}
    </Card>
  );
}

function columnsWith(reveals: Reveals): Column<PersonCoupon>[] {
  const day = today();
  const hidden = (coupon: PersonCoupon) => ({ ...coupon, coupon_code: reveals.shown.get(coupon.id) ?? null });
  return [
    column(t('Coupon Code'), (coupon) => formatCode(hidden(coupon)), {
      as: 'strong',
      mono: true,
      // Every role that sees this page may see a code that somebody holds or held (R-IMP-42).
      draw: (coupon) => (
        <HiddenCode
          isLink
          coupon={{ ...coupon, coupon_code: null }}
          reveals={reveals}
          struck={coupon.state === 'revoked'}
        />
      ),
    }),
    column(t('Product'), (coupon) => `${coupon.product.name} ${formatCodeStory(coupon, day)}`, {
      wraps: true,
      draw: (coupon) => (
        <>
          <ProductLink to={coupon.product.product_id}>{coupon.product.name}</ProductLink>
          <span className="text-xs/4.5 block text-ink-3 wrap-anywhere">{formatCodeStory(coupon, day)}</span>
        </>
      ),
    }),
    column(t('Assigned'), ({ assigned_at }) => formatDay(assigned_at), {
      labelOnPhones: true,
      draw: (_coupon, { text }) => <span className="whitespace-nowrap">{text}</span>,
    }),
    column(t('Status'), ({ state }) => formatState(state), {
      as: 'end',
      draw: (coupon) => (
        <span className="inline-flex flex-col items-start gap-1 max-md:items-end">
          <StateLink coupon={hidden(coupon)} />
          <UnknownTag coupon={coupon} />
        </span>
      ),
    }),
  ];
}

export function PersonMails({ record: { coupons, mail } }: { record: PersonRecord }) {
  const hasCodes = coupons.length > 0;
  if (mail.recent.length === 0)
    return <EmptyCard title={t('Emails')} words={t('No emails yet.')} isAlone={hasCodes} />;
  // The portal does not know whether a mail arrived.
  const sent = mail.outbox
    ? t('No mail server is set: sent emails are in the outbox')
    : t('Sent: delivered to the mail server');
  return (
    <Card title={t('Emails')} sub={sent} className={hasCodes ? 'lg:col-span-5' : undefined}>
      <ul className="mt-4.5">
        {mail.recent.map((each, index) => (
          // A mail has no id. Two mails of one kind can have the same time.
          <li
            key={`${each.at} ${each.kind} ${index}`}
            className="grid min-h-13 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-t border-line px-6 py-1.75 text-sm max-md:px-4.5"
          >
            <div className="wrap-anywhere">
              <p className="font-medium">{formatMailName(each)}</p>
              <p className="text-xs text-ink-3 tabular-nums">{formatMailStory(each)}</p>
            </div>
            <StateTag state={each.state} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function StateTag({ state }: Pick<PersonMail, 'state'>) {
  const looks: Record<typeof state, [LucideIcon, TagTone, string]> = {
    queued: [Clock, 'neutral', t('Queued')],
    sent: [Check, 'neutral', t('Sent')],
    failed: [CircleAlert, 'danger', t('Failed')],
    bounced: [CircleAlert, 'danger', t('Bounced')],
  };
  const [icon, tone, words] = looks[state];
  return (
    <Tag tone={tone}>
      <Icon of={icon} size={13} />
      {words}
    </Tag>
  );
}

/** Warns that the mail server refuses mails to the address permanently. */
export function MailWarning({ record: { user, mail } }: { record: PersonRecord }) {
  const { run, busy } = useAction({
    send: () => call(retryMail, { params: { user_id: user.user_id } }),
    failed: t('Failed to send emails again'),
    done: t('Mails to this address are sent again.'),
    changes: ['users'],
  });
  if (mail.refused_at === null) return null;
  const day = formatDay(mail.refused_at);
  return (
    <div
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2.5 rounded-md bg-danger-soft px-4 py-3.5 text-sm wrap-anywhere text-danger-text max-md:grid-cols-[auto_minmax(0,1fr)] max-md:items-start forced-colors:[outline:1px_solid_CanvasText]"
      role="status"
    >
      <Icon of={MailX} />
      <p>
        {mail.reason === null
          ? t('Mails to this address are refused since {day}.', { day })
          : t('Mails to this address are refused since {day}: {reason}', { day, reason: mail.reason })}
      </p>
      <Button
        ref={passFocus}
        look="inverse-outline"
        size="sm"
        icon={RefreshCw}
        className="-my-0.5 max-md:col-[2] max-md:justify-self-start"
        busy={busy}
        onClick={() => void run()}
      >
        {t('Try again')}
      </Button>
    </div>
  );
}

/** Moves the focus to the main content if the button is removed while it has the focus. */
function passFocus(button: HTMLButtonElement | null) {
  return () => {
    if (button === document.activeElement) queueMicrotask(focusMain);
  };
}

/** Returns what became of the code, its last day, and who assigned it, in one text. `today` is a day (YYYY-MM-DD). */
export function formatCodeStory(coupon: PersonCoupon, today: string): string {
  const isRevoked = coupon.state === 'revoked';
  const parts = isRevoked ? [formatRevocation(coupon)] : [formatPlace(coupon), formatLastDay(coupon, today)];
  return [...parts, formatAssignment(coupon)].filter((part) => part !== null).join(' · ');
}

function formatPlace({ current, replaced_at }: PersonCoupon): string {
  if (current) return t('Current code');
  return replaced_at === null
    ? t('Not the current code')
    : t('Replaced {day}', { day: formatDay(replaced_at) });
}

function formatLastDay({ use_by }: PersonCoupon, today: string): string | null {
  if (use_by === null) return null;
  const day = formatDay(use_by);
  return use_by < today ? t('Last day was {day}', { day }) : t('Use by {day}', { day });
}

function formatAssignment({ assigned_by }: PersonCoupon): string {
  return assigned_by === 'learner'
    ? t('Redeemed by the person')
    : t('Assigned by {who}', { who: isolate(formatActor(assigned_by)) });
}

function formatRevocation({ revoked_at, revoked_by, revoke_reason }: PersonCoupon): string {
  const day = revoked_at === null ? '-' : formatDay(revoked_at);
  const action =
    revoked_by === null ? day : t('{time}, by {who}', { time: day, who: formatActor(revoked_by) });
  return revoke_reason === null ? action : `${action}: ${isolate(revoke_reason)}`;
}

/** Returns the name of a mail. A newer server may send a kind that this page has no words for. */
export function formatMailName({ kind, product }: PersonMail): string {
  const name = product && isolate(product.name);
  if (kind === 'sign-in') return t('Sign-in email');
  if (kind === 'code') return name ? t('Your code for {product}', { product: name }) : t('Code email');
  if (kind === 'ready') return t('‘Your benefits are ready’');
  if (kind === 'team') return t('Invitation to the team');
  if (kind === 'stock') return name ? t('Low stock of {product}', { product: name }) : t('Low-stock email');
  return kind === 'notice' ? t('Email to the owners') : t('Mail');
}

export function formatMailStory({ at, by, words, state, due_at }: PersonMail): string {
  const time = formatTimeAndActor(at, by);
  if (words !== null) return `${time}: ${isolate(tServed(words))}`;
  const isLater = state === 'queued' && due_at !== undefined && Date.parse(due_at) > Date.now();
  return isLater ? `${time}. ${t('Goes out {time}.', { time: formatDayAndTime(due_at) })}` : time;
}
