// One product of the user on the access card: whether the user would get a code and why, the code, and the actions.

import {
  editGrant,
  generateCoupon,
  REVOKE_ONLY_ROLE,
  regenerateCoupon,
  revokeCoupon,
  sendCodeMail,
  type Verdict,
  withdrawGrant,
} from '@portal/contract';
import {
  Archive,
  CalendarRange,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePause,
  CircleSlash,
  Clock,
  Hourglass,
  type LucideIcon,
  RefreshCw,
  RotateCw,
  Send,
  Ticket,
  TicketPlus,
  TicketSlash,
  TicketX,
  Timer,
  UserMinus,
} from 'lucide-react';
import { type ReactNode, useId, useState, useSyncExternalStore } from 'react';
import { ApiError, call } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { Button, OFF_BUTTON } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes, createStore, focusMain } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { isolate } from '../../ui/text.tsx';
import { showError } from '../../ui/toast-store.ts';
import { t, tNode } from '../../words/translate.ts';
import { refreshLists, toastSuccess, toastWarning, useAction } from '../action.tsx';
import { CopyCode, formatCode, HiddenCode, type Reveals, WHOLE_CODE } from '../nouns/code.tsx';
import { useStock } from '../nouns/stock.tsx';
import { ConfirmCode, formatNoneLeft, UnknownTag } from '../nouns/unknown-code.tsx';
import { formatVerdict } from '../nouns/verdict.ts';
import { useMay } from '../role.tsx';
import { formatDay } from '../time.ts';
import { GenerateDialog } from './access-dialogs.tsx';
import { AccessWhy } from './access-why.tsx';
import type { AccessAction, AccessProduct, AccessUser, AssignedCoupon } from './access-words.ts';
import {
  accessOf,
  findNextStart,
  findRemoval,
  findValidDays,
  formatValid,
  hasAccess,
  isAhead,
  isPossible,
} from './access-words.ts';

/** 'yes': gets a code. 'wait': not at the moment. 'no': not any more. 'none': never could. */
type Look = 'yes' | 'wait' | 'no' | 'none';

const LOOKS: Record<Verdict, [look: Look, icon: LucideIcon]> = {
  unknown_person: ['none', CircleMinus],
  holds_code: ['yes', Ticket],
  code_revoked: ['no', TicketSlash],
  no_grant: ['none', CircleMinus],
  future: ['wait', Clock],
  over: ['no', CircleSlash],
  withdrawn: ['no', CircleSlash],
  product_archived: ['no', Archive],
  product_paused: ['wait', CirclePause],
  product_scheduled: ['wait', Clock],
  product_ended: ['wait', CircleDashed],
  sold_out: ['wait', CircleDashed],
  waiting: ['wait', Hourglass],
  can_redeem: ['yes', CircleCheck],
};

type AccessItemProps = {
  user: AccessUser;
  product: AccessProduct;
  reveals: Reveals;
  onCoupon: (coupon: AssignedCoupon) => void;
  onAction: (action: AccessAction) => void;
  /** True on the page of the person: the button of a held code replaces it (R-DAY-31). */
  replaces: boolean;
  /** True while the reasons for the verdict are shown. */
  isOpen: boolean;
  onWhy: () => void;
};

export function AccessItem({ user, product, reveals, onCoupon, onAction, ...props }: AccessItemProps) {
  const { isOpen, onWhy } = props;
  const may = useMay();
  const replaces = props.replaces && isPossible('replace', product) && may(revokeCoupon);
  const [asked, setAsked] = useState<'generate' | 'regenerate' | null>(null);
  const nameId = useId();
  const whyId = useId();
  const reasonsId = useId();
  const [look, icon] = LOOKS[product.why.verdict] ?? LOOKS.no_grant;
  const issued = { email: user.email, productId: product.product_id };
  const minutes = useSyncExternalStore(followLocks, () => locks.minutesLeft(issued));
  const onNoneLeft = () => setAsked('generate');
  const generate = useIssue(false, issued, { onCoupon, onNoneLeft });
  const regenerate = useIssue(true, issued, { onCoupon, onNoneLeft });
  // Mails the user the link to the product page that shows the code (R-TRAIL-34).
  const mail = useAction({
    send: () =>
      call(sendCodeMail, { params: { user_id: user.email }, body: { product_id: product.product_id } }),
    failed: t('Failed to send the email'),
    done: t('Email with the link to the code queued'),
    changes: ['users'],
  });
  return (
    // The product, its code, the days of the access, buttons. Narrow screens show the days below the code.
    <li
      ref={keepFocus}
      data-product={product.product_id}
      className="grid grid-cols-[minmax(0,1.45fr)_minmax(0,0.85fr)_minmax(0,0.8fr)_16rem] items-start gap-x-6 gap-y-1.5 border-b border-line px-6 py-3.5 max-[80rem]:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_16rem] md:max-[80rem]:grid-rows-[auto_1fr] md:max-[80rem]:gap-y-0.5 max-md:flex max-md:flex-wrap max-md:gap-x-4 max-md:px-4.5"
    >
      <div className="max-md:basis-full md:max-[80rem]:row-[1_/_span_2]">
        <bdi id={nameId} className="font-medium wrap-anywhere">
          {product.name}
        </bdi>
        {/* The sentence alone says the verdict; icon and colour only make it easier to find. */}
        <div
          className="text-sm grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2 gap-y-0 wrap-anywhere text-ink-2 [&>svg]:mt-0.5 [&>svg]:text-ink-3 data-[is=yes]:[&>svg]:text-accent-graphic data-[is=wait]:[&>svg]:text-warning-text data-[is=no]:text-ink data-[is=no]:[&>svg]:text-danger-text"
          data-is={look}
        >
          <Icon of={icon} size={16} />
          <p>
            <span>{formatVerdict(product.why)}</span>{' '}
            <button
              id={whyId}
              type="button"
              className="-my-0.5 ml-1 py-0.5 rounded-xs text-ink-2 underline [text-decoration-color:var(--line-control)] decoration-1 underline-offset-[0.2em] cursor-pointer hover:text-ink hover:[text-decoration-color:currentColor]"
              aria-labelledby={`${whyId} ${nameId}`}
              aria-expanded={isOpen}
              aria-controls={isOpen ? reasonsId : undefined}
              onClick={onWhy}
            >
              {t('Why?')}
            </button>
          </p>
        </div>
      </div>
      <div className="max-md:min-w-0 max-md:max-w-full">
        {product.coupon ? (
          <Code coupon={product.coupon} reveals={reveals}>
            <ConfirmCode
              product={product.name}
              coupon={product.coupon}
              findId={() => findCodeId(user, product)}
            />
          </Code>
        ) : (
          <p className="text-sm/6 text-ink-2">{t('No code yet')}</p>
        )}
      </div>
      <div className="text-sm/6 text-ink-2 empty:hidden md:max-[80rem]:[grid-area:2_/_2]">
        {formatAccess(product)}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 max-md:basis-full md:-mt-1 md:max-[80rem]:[grid-area:1_/_3_/_span_2]">
        <IssueButton
          {...{ product, minutes, nameId, replaces }}
          isQuiet={props.replaces}
          busy={generate.busy || regenerate.busy}
          onPress={() => {
            if (replaces) onAction('replace');
            else if (product.coupon) setAsked('regenerate');
            else void generate.run(false);
          }}
        />
        <AccessMenu
          {...{ product, onAction }}
          onMail={() => void mail.run()}
          minutes={replaces ? minutes : undefined}
          onRegenerate={() => setAsked('regenerate')}
        />
      </div>
      {isOpen && (
        <AccessWhy id={reasonsId} labelledBy={`${whyId} ${nameId}`} email={user.email} product={product} />
      )}
      {asked === 'generate' && (
        <GenerateDialog
          product={product}
          onCancel={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null);
            void generate.run(true);
          }}
        />
      )}
      {asked === 'regenerate' && product.coupon && (
        <RegenerateDialog
          who={user.name || user.email}
          product={product}
          coupon={product.coupon}
          onCancel={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null);
            void regenerate.run(true);
          }}
        />
      )}
    </li>
  );
}

/** When the item moves to the other list while it has the focus, its menu there gets the focus. */
function keepFocus(item: HTMLElement | null) {
  return () => {
    if (item?.contains(document.activeElement)) queueMicrotask(() => focusItem(item.dataset.product));
  };
}

/** Moves the focus to the product's menu, or to the main content if the product is no longer listed. */
export function focusItem(productId: string | undefined): void {
  const menu = document.querySelector<HTMLElement>(`[data-product="${productId}"] [aria-haspopup]`);
  if (menu) menu.focus();
  else focusMain();
}

/** Returns the days of the user's access, or the day on which it was removed; null without a grant. */
function formatAccess({ grants }: AccessProduct): string | null {
  const valid = findValidDays(grants);
  if (valid) return formatValid(valid);
  const removed = findRemoval(grants);
  return removed && t('Removed {day}', { day: formatDay(removed) });
}

type CodeProps = { coupon: AssignedCoupon; reveals: Reveals; children: ReactNode };

function Code({ coupon, reveals, children }: CodeProps) {
  const { coupon_code, state, assigned_at, use_by, revoked_at } = coupon;
  const isHeld = state === 'held';
  const Text = isHeld ? 'span' : 'del';
  return (
    <>
      <div className="flex items-center gap-1.5 min-h-6">
        {coupon_code === null ? (
          <HiddenCode coupon={coupon} reveals={reveals} struck={!isHeld} />
        ) : (
          <Text className={classes(WHOLE_CODE, !isHeld && 'line-through text-ink-3')}>{coupon_code}</Text>
        )}
        {isHeld && coupon_code !== null && <CopyCode code={coupon_code} />}
      </div>
      {coupon.unconfirmed && (
        <div className="flex flex-wrap items-center gap-x-3">
          <UnknownTag coupon={coupon} />
          {children}
        </div>
      )}
      <p className="text-sm text-ink-3">{t('Assigned {day}', { day: formatDay(assigned_at) })}</p>
      {isHeld && use_by !== null && (
        <p className="text-sm text-ink-3">{t('Use by {day}', { day: formatDay(use_by) })}</p>
      )}
      {revoked_at !== null && (
        <p className="text-sm text-ink-3">{t('Revoked {day}', { day: formatDay(revoked_at) })}</p>
      )}
    </>
  );
}

type AccessMenuProps = Pick<AccessItemProps, 'product' | 'onAction'> & {
  onMail: () => void;
  /** If set, the menu has the action 'Regenerate Coupon', which is locked for these minutes. */
  minutes: number | undefined;
  onRegenerate: () => void;
};

/** The actions that the role of the current user allows (R-LIFE-32, R-TRAIL-34, N-93, N-97). */
function AccessMenu({ product, onAction, onMail, minutes, onRegenerate }: AccessMenuProps) {
  const may = useMay();
  const mayRevoke = isPossible('revoke', product);
  const obstacleTo = (action: 'dates' | 'remove') =>
    isPossible(action, product) ? undefined : formatWhyNot(action, product.grants);
  const groups = [
    [
      may(editGrant) && {
        label: t('Change dates'),
        icon: CalendarRange,
        obstacle: obstacleTo('dates'),
        onChoose: () => onAction('dates'),
      },
      may(withdrawGrant) && {
        label: t('Remove access'),
        icon: UserMinus,
        obstacle: obstacleTo('remove'),
        onChoose: () => onAction('remove'),
      },
    ],
    [
      may(sendCodeMail) &&
        product.coupon?.state === 'held' && {
          label: t('Email the link to the code'),
          icon: Send,
          onChoose: onMail,
        },
    ],
    [
      minutes !== undefined && {
        label: t('Regenerate Coupon'),
        icon: RotateCw,
        obstacle: formatObstacle(product) ?? (minutes > 0 ? formatLock(minutes) : undefined),
        onChoose: onRegenerate,
      },
      mayRevoke &&
        may({ role: REVOKE_ONLY_ROLE }) && {
          label: t('Revoke code'),
          icon: TicketX,
          danger: true,
          onChoose: () => onAction('revoke'),
        },
      mayRevoke &&
        minutes === undefined &&
        may(revokeCoupon) && {
          label: t('Replace code'),
          icon: RefreshCw,
          onChoose: () => onAction('replace'),
        },
    ],
  ];
  return <ActionMenu label={t('More for {product}', { product: product.name })} groups={groups} />;
}

/** Returns why this action is not possible: no access now, or access by cohorts and purchases only (N-97). */
function formatWhyNot(action: 'dates' | 'remove', grants: AccessProduct['grants']): string {
  const ahead = grants.filter(isAhead);
  // A cohort may have several grants of the product.
  const cohorts = [...new Set(ahead.flatMap(({ cohort }) => (cohort ? isolate(cohort.name) : [])))];
  const texts = ahead.flatMap(({ purchase_id: id }) =>
    id ? t('Comes with purchase {purchase_id}.', { purchase_id: isolate(id) }) : [],
  );
  if (cohorts.length > 0) texts.unshift(formatCohorts(action, cohorts));
  return [...new Set(texts)].join(' ') || t('This person has no access now.');
}

function formatCohorts(action: 'dates' | 'remove', names: readonly string[]): string {
  const cohort = names.join(', ');
  if (action === 'remove') return t('Remove this person from {cohort} instead.', { cohort });
  return names.length === 1
    ? t('Comes with cohort {cohort}. Change it there.', { cohort })
    : t('Comes with the cohorts {cohorts}. Change it there.', { cohorts: cohort });
}

type IssueButtonProps = {
  product: AccessProduct;
  /** The minutes until the lock ends, rounded up; 0 if there is no lock. */
  minutes: number;
  nameId: string;
  /** True if the button replaces the code, which a lock does not prevent. */
  replaces: boolean;
  /** True on the page of the person, whose main action is another one. */
  isQuiet: boolean;
  busy: boolean;
  onPress: () => void;
};

/**
 * Generates or replaces the code: one button, which keeps the focus when the first code arrives. Not `disabled`, because a
 * click during a lock shows how many minutes are left (R-LOCK-03). `nameId` is the id of the product's name.
 */
function IssueButton({ product, nameId, replaces, isQuiet, busy, onPress, ...props }: IssueButtonProps) {
  const obstacleId = useId();
  const minutes = replaces ? 0 : props.minutes;
  const obstacle = replaces ? null : formatObstacle(product);
  const saysMore = hasAccess(product) || product.status === 'archived';
  const locked = minutes > 0 ? t('Wait {minutes} min', { minutes }) : t('Regenerate Coupon');
  const press = () => {
    if (obstacle !== null) return;
    if (minutes === 0) return onPress();
    showError(t('Please wait'), formatLock(minutes));
  };
  return (
    <>
      <Button
        size="sm"
        icon={replaces ? RefreshCw : product.coupon === null ? TicketPlus : minutes > 0 ? Timer : RotateCw}
        look={isQuiet ? 'ghost' : 'outline'}
        className={classes(
          OFF_BUTTON,
          'aria-disabled:text-ink-3!',
          isQuiet && 'max-md:-ml-3 max-md:justify-self-start md:justify-self-end',
        )}
        busy={busy}
        aria-describedby={classes(nameId, obstacle !== null && obstacleId)}
        aria-disabled={obstacle !== null || minutes > 0 || undefined}
        onClick={press}
      >
        {replaces ? t('Replace code') : product.coupon === null ? t('Generate Coupon for User') : locked}
      </Button>
      {obstacle !== null && (
        // If the user has no access, the heading above the list says so. Then only screen readers need this text.
        <p id={obstacleId} className={saysMore ? 'row-[2] col-span-full text-sm text-ink-3' : 'sr-only'}>
          {obstacle}
        </p>
      )}
    </>
  );
}

function formatLock(minutes: number): string {
  return t('You can regenerate this coupon in {minutes} minute(s)', { minutes });
}

/** Returns why the server refuses to issue a code of the product, or null if it does not refuse (R-LIFE-07). */
function formatObstacle({ status, grants }: AccessProduct): string | null {
  if (status === 'archived') return t('This product is archived.');
  if (grants.some(({ state }) => state === 'live')) return null;
  const day = findNextStart(grants);
  return day === null
    ? t('This person has no access now.')
    : t('Access begins on {day}.', { day: formatDay(day) });
}

type IssueOrder = Pick<AccessItemProps, 'onCoupon'> & { onNoneLeft: () => void };

/**
 * Issues a code, or another one. `onCoupon` gets the code (R-ERR-16, R-ERR-17, R-UAC-07, R-UAC-12). The input says
 * whether the portal may make a code; `onNoneLeft` is called if it may not, and no code is left (R-DAY-33).
 */
function useIssue(isAnother: boolean, body: Locked, { onCoupon, onNoneLeft }: IssueOrder) {
  return useAction({
    send: async (generate: boolean) => {
      try {
        if (isAnother) return await call(regenerateCoupon, { body });
        return await call(generateCoupon, { body: { ...body, generate } });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'no_coupon_left') return null;
        throw error;
      }
    },
    failed: isAnother ? t('Failed to regenerate coupon') : t('Failed to generate coupon'),
    onDone: (issued) => {
      if (issued === null) return onNoneLeft();
      const { coupon, warning } = issued;
      if (isAnother) locks.lock(body);
      if (warning) toastWarning(warning);
      refreshLists('coupons');
      // Somebody else has assigned the code, so it is hidden. To show it, the page needs its id.
      if (coupon.coupon_code === null) refreshLists('users');
      // The response has no id. An action on the code looks the user up again before it needs one.
      onCoupon({ ...coupon, id: '', state: 'held', revoked_at: null, has_earlier: isAnother });
      const code = formatCode(coupon);
      toastSuccess(
        isAnother
          ? t('New coupon generated: {code} (assigned to admin)', { code })
          : t('Coupon generated: {code}', { code }),
      );
    },
  });
}

/** Returns the id of the code. A code that was just issued has no id in the cache yet. */
async function findCodeId({ email }: AccessUser, { product_id, coupon }: AccessProduct): Promise<string> {
  if (coupon?.id) return coupon.id;
  const { products } = await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
  return products.find((each) => each.product_id === product_id)?.coupon?.id ?? '';
}

type RegenerateDialogProps = {
  who: string;
  product: AccessProduct;
  coupon: AssignedCoupon;
  onCancel: () => void;
  onConfirm: () => void;
};

/** Asks before the user gets another code of the product (R-UAC-10, R-UAC-11, A-61). */
function RegenerateDialog({ who, product, coupon, onCancel, onConfirm }: RegenerateDialogProps) {
  const isHeld = coupon.state === 'held';
  const left = useStock().countStatuses(product.product_id)?.available;
  const names = {
    who: <bdi>{who}</bdi>,
    product: <bdi>{product.name}</bdi>,
    code: <span className={classes(WHOLE_CODE, 'text-ink')}>{formatCode(coupon)}</span>,
  };
  return (
    <ConfirmDialog
      title={t('Regenerate this coupon?')}
      words={
        isHeld
          ? tNode(
              '{who} already holds {code} for {product}. Generating another code means this user will hold multiple coupons for the product.',
              names,
            )
          : tNode('{code} was taken from {who}. They get another code of {product} now.', names)
      }
      confirm={t('Regenerate Coupon')}
      danger={isHeld}
      onCancel={onCancel}
      onConfirm={onConfirm}
    >
      {left === 0 && !product.shared_coupon && <p>{formatNoneLeft()}</p>}
    </ConfirmDialog>
  );
}

/** Calls `tell` whenever `minutesLeft` of any lock changes. Returns a function that ends the calls. */
function followLocks(tell: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = () => {
    clearTimeout(timer);
    const waitMs = locks.msToChange();
    if (waitMs === null) return;
    timer = setTimeout(() => {
      tell();
      plan();
    }, waitMs + 1);
  };
  const leave = locks.subscribe(() => {
    tell();
    plan();
  });
  plan();
  return () => {
    leave();
    clearTimeout(timer);
  };
}

// After a regeneration, another one for the same user and product is locked for three minutes, in the memory of the page
// only (R-LOCK-01 to R-LOCK-07, A-62).

const LOCK_MS = 3 * 60_000;
const MINUTE_MS = 60_000;

type Locked = { email: string; productId: string };

const keyOf = ({ email, productId }: Locked) => `${productId} ${email}`;

/** Creates a store of locks. All pages share `locks`; each test creates its own store with another clock. */
export function createLocks(now: () => number = Date.now) {
  const { get: until, set, subscribe } = createStore<Readonly<Record<string, number>>>({});
  return {
    lock: (what: Locked) => set({ ...until(), [keyOf(what)]: now() + LOCK_MS }),
    /** The minutes until the lock ends, rounded up; 0 without a lock. */
    minutesLeft: (what: Locked) => Math.max(0, Math.ceil(((until()[keyOf(what)] ?? 0) - now()) / MINUTE_MS)),
    /** Returns the milliseconds until `minutesLeft` changes next for any lock; null without locks. */
    msToChange: () => {
      const left = Object.values(until())
        .map((end) => end - now())
        .filter((ms) => ms > 0);
      return left.length === 0 ? null : Math.min(...left.map((ms) => ms % MINUTE_MS || MINUTE_MS));
    },
    subscribe,
  };
}

const locks = createLocks();
