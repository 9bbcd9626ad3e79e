// The card of a benefit on a learner's home page: a small ticket with the product and its state (R-CAT-10).
import type { MyProduct, MyProductState } from '@portal/contract';
import { ArrowRight, Calendar, Check, Clock, type LucideIcon, Pause } from 'lucide-react';
import { Link } from 'wouter';
import { productIdOf, productPath } from '../navigation.ts';
import { CopyButton } from '../ui/copy.tsx';
import { classes } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Tag, type TagTone } from '../ui/tag.tsx';
import { cut } from '../ui/text.tsx';
import { COLUMN_SHEET, TicketCode, TicketMain, TicketStub } from '../ui/ticket.tsx';
import { daysLeft, formatDay, isSoon } from '../words/format.ts';
import { t } from '../words/translate.ts';
import { BenefitFacts } from './benefit-facts.tsx';

/** What the card shows of a product. */
export type Benefit = Pick<
  MyProduct,
  | 'product_id'
  | 'name'
  | 'description'
  | 'category'
  | 'value'
  | 'logo'
  | 'state'
  | 'assigned_at'
  | 'from'
  | 'use_by'
  | 'ends_on'
  | 'coupon_code'
  | 'unconfirmed'
>;

/** `expired`: the last day of the learner's code has passed. Only the browser computes this state. */
export type BenefitState = MyProductState | 'expired';

export function benefitState({ state, use_by }: Pick<Benefit, 'state' | 'use_by'>, now: Date): BenefitState {
  return state === 'issued' && use_by && daysLeft(use_by, now) < 0 ? 'expired' : state;
}

/** Maximum length of a benefit's description, in characters (R-HOME-11). */
const DESCRIPTION_LENGTH = 120;

const HOVERED_STUB = 'group-hover:[--paper:var(--hover)] group-hover:[--rim:var(--line-strong)]';

/** Classes of a card and its parts. `name` also colours the description. */
const LOOKS = {
  ready: {
    card: '',
    mark: 'text-accent-text',
    name: '',
    stub: '[--paper:var(--accent-solid)] [--rim:var(--accent-rim)] [--hole:var(--accent-hole)] group-hover:[--paper:var(--accent-solid-hover)] group-hover:[--rim:var(--accent-solid-hover)]',
    go: 'text-on-accent',
  },
  issued: {
    card: '[--paper:var(--accent-soft)] [--rim:var(--accent-line)] [--hole:var(--accent-line)] [--focus:var(--accent-text)]',
    mark: 'text-accent-text',
    name: '',
    stub: '',
    go: 'text-accent-text',
  },
  later: { card: '', mark: 'text-ink-3', name: '', stub: HOVERED_STUB, go: 'text-ink-2' },
  spent: {
    card: '[--paper:var(--page)] [--rim:var(--line)]',
    mark: 'text-(--n-7) [&:is(img)]:opacity-60 [&:is(img)]:grayscale',
    name: 'text-ink-3',
    stub: HOVERED_STUB,
    go: 'text-ink-3 group-hover:text-ink',
  },
};

const LOOK_OF = {
  ready: 'ready',
  issued: 'issued',
  not_yet: 'later',
  paused: 'later',
  sold_out: 'spent',
  expired: 'spent',
  revoked: 'spent',
} satisfies Record<BenefitState, keyof typeof LOOKS>;

type BenefitCardProps = {
  benefit: Benefit;
  now: Date;
  /** True loads the logo only near the visible part of the page. */
  isLazy?: boolean;
  /** Called after the learner has copied the code. */
  onCopied?: () => void;
  /** Set if `coupon_code` is masked: read by screen readers in its place. The card then has no Copy button. */
  spokenCode?: string | undefined;
};

/** A click anywhere on the card, except on the code and its button, follows the link to the product's page. */
export function BenefitCard({ benefit, now, isLazy = false, onCopied, spokenCode }: BenefitCardProps) {
  const id = productIdOf(benefit);
  const state = benefitState(benefit, now);
  const look = LOOKS[LOOK_OF[state]];
  const tags = tagsOf(benefit, state, now);
  const nameId = `name-${id}`;
  const goId = `go-${id}`;
  const statusId = tags.length === 0 ? undefined : `status-${id}`;
  return (
    <article
      className={classes(
        COLUMN_SHEET,
        'group h-full overflow-clip rounded-lg *:after:transition-[background-color] has-[a:focus-visible]:[outline:2px_solid_var(--focus)] has-[a:focus-visible]:outline-offset-3 forced-colors:rounded-none',
        look.card,
      )}
    >
      <TicketMain className="flex flex-col px-5 pt-5 pb-5">
        <BenefitHead benefit={benefit} nameId={nameId} isLazy={isLazy} look={look} />
        <p dir="auto" className={classes('mt-3 text-md wrap-anywhere', look.name || 'text-ink-2')}>
          {cut(benefit.description, DESCRIPTION_LENGTH)}
        </p>
        {tags.length > 0 && (
          <div id={statusId} className="mt-auto flex flex-wrap gap-x-2.5 gap-y-1 pt-4">
            {tags.map(({ words, icon, tone }) => (
              <Tag key={words} tone={tone}>
                {icon && <Icon of={icon} size={13} strong />}
                {words}
              </Tag>
            ))}
          </div>
        )}
      </TicketMain>
      <TicketStub className={classes('px-5', look.stub)}>
        {state === 'issued' && benefit.coupon_code && (
          <HeldCode
            id={`code-${id}`}
            code={benefit.coupon_code}
            spoken={spokenCode}
            name={benefit.name}
            onCopied={onCopied}
          />
        )}
        <Link
          id={goId}
          // `::after` covers the whole card, so that a click anywhere on the card follows the link.
          className={classes(
            'flex min-h-12 items-center justify-between text-(length:--text-md) font-medium outline-none after:absolute after:inset-x-0 after:-top-400 after:bottom-0 after:z-1',
            look.go,
          )}
          href={productPath(benefit)}
          aria-labelledby={`${goId} ${nameId}`}
          aria-describedby={statusId}
        >
          {state === 'ready' || state === 'issued' ? t('Redeem Now') : t('See Details')}
          <Icon
            of={ArrowRight}
            className="[transition:translate_var(--duration-base)_var(--ease-out)] group-hover:[translate:3px_0]"
          />
        </Link>
      </TicketStub>
    </article>
  );
}

type BenefitHeadProps = {
  benefit: Benefit;
  nameId: string;
  isLazy: boolean;
  look: (typeof LOOKS)[keyof typeof LOOKS];
};

function BenefitHead({ benefit, nameId, isLazy, look }: BenefitHeadProps) {
  return (
    <div className="flex items-start gap-3.5">
      {/* The box has the size of the logo, so that names stand at the same edge with and without one. */}
      <span className="grid size-12 flex-none place-items-center">
        <Logo
          logo={benefit.logo}
          id={productIdOf(benefit)}
          size={48}
          rosette={44}
          detail="mid"
          isLazy={isLazy}
          className={look.mark}
        />
      </span>
      <div className="flex min-h-12 min-w-0 flex-col justify-center">
        <h2 id={nameId} dir="auto" className={classes('text-lg leading-6 wrap-anywhere', look.name)}>
          {benefit.name}
        </h2>
        <BenefitFacts benefit={benefit} className="text-sm text-ink-3" />
      </div>
    </div>
  );
}

type HeldCodeProps = {
  id: string;
  code: string;
  spoken: string | undefined;
  name: string;
  onCopied: (() => void) | undefined;
};

/** Lies above the link of the card, so that its button can be pressed and the code selected. */
function HeldCode({ id, code, spoken, name, onCopied }: HeldCodeProps) {
  return (
    <div className="relative z-2 mt-4 flex items-center justify-between gap-3 rounded-md border border-(--accent-line) bg-surface py-1.5 ps-3.5 pe-1.5">
      <TicketCode id={id} code={code} spoken={spoken} className="min-w-0 py-1 text-base/6" />
      {spoken === undefined && (
        <CopyButton
          code={code}
          codeId={id}
          of={name}
          look="accent"
          done={{ title: t('Success!'), description: t('Coupon code copied to clipboard') }}
          onCopied={onCopied}
        />
      )}
    </div>
  );
}

/** For how many days before its end a benefit says so (R-CAT-12). */
const ENDING_DAYS = 14;

type TagWords = { words: string; icon?: LucideIcon; tone?: TagTone };

/** At most two tags (R-LIFE-35, R-CAT-12). */
function tagsOf(benefit: Benefit, state: BenefitState, now: Date): TagWords[] {
  const { assigned_at, from, use_by, ends_on, unconfirmed } = benefit;
  const dayOf = (day: string | null) => ({ day: day ? formatDay(day, now) : '' });
  if (state === 'not_yet') return [{ words: t('From {day}', dayOf(from)), icon: Calendar }];
  if (state === 'paused') return [{ words: t('Paused'), icon: Pause }];
  if (state === 'sold_out') return [{ words: t('Sold out') }];
  if (state === 'expired') return [{ words: t('Expired {day}', dayOf(use_by)) }];
  if (state === 'revoked') return [{ words: t('Withdrawn') }];
  if (state === 'ready') {
    if (!ends_on || daysLeft(ends_on, now) > ENDING_DAYS) return [];
    return [{ words: t('Ends {day}', dayOf(ends_on)), icon: Clock, tone: 'warning' }];
  }
  const tone = 'plain-accent';
  const issued: TagWords = { words: t('Code issued {day}', dayOf(assigned_at)), icon: Check, tone };
  // The code may not work yet: the partner does not know it. The product page says more (R-DAY-33).
  if (unconfirmed) return [issued, { words: t('Being set up'), icon: Clock, tone: 'warning' }];
  if (!use_by) return [issued];
  const words = t('Use by {day}', dayOf(use_by));
  return [issued, isSoon(use_by, now) ? { words, icon: Clock, tone: 'warning' } : { words, tone }];
}
