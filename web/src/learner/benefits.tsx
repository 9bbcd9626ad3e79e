// The home page for learners: their products, one card for each (R-HOME-08 to R-HOME-18).
import type { MyProduct, MyProductState } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, ArrowUpRight, Calendar, Check, Clock, type LucideIcon, Mail, Pause } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { listMyProducts } from '../api.ts';
import { productIdOf, productPath } from '../navigation.ts';
import { LoadError } from '../page.tsx';
import { queryOf, useCurrentUser, useRetry } from '../queries.ts';
import { brand } from '../settings.ts';
import { openLogin, SignedInAs } from '../sign-in/store.tsx';
import { buttonClass } from '../ui/button.tsx';
import { classes } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { Rosette } from '../ui/rosette.tsx';
import { Tag, type TagTone } from '../ui/tag.tsx';
import { cut, ExternalLink } from '../ui/text.tsx';
import { COLUMN_SHEET, Ticket, TicketMain, TicketStub } from '../ui/ticket.tsx';
import { daysLeft, formatDay, isSoon } from '../words/format.ts';
import { t, tCount, tNode } from '../words/translate.ts';
import { type Audience, BenefitsLoading, BenefitsPage, GRID } from './benefits-frame.tsx';

export function Benefits({ audience, userId }: { audience: Audience; userId: string }) {
  const products = useQuery(queryOf(listMyProducts, {}, userId));
  const user = useCurrentUser();
  const retry = useRetry(products);
  if (retry.failed) {
    return (
      <BenefitsPage>
        <LoadError words={t('We could not load your benefits.')} {...retry} />
      </BenefitsPage>
    );
  }
  // Without products, the text depends on the user (R-DAY-50).
  if (!products.data || (products.data.length === 0 && user.isPending)) return <BenefitsLoading />;
  return (
    <BenefitsList
      products={products.data}
      empty={
        <>
          {user.data?.team_role ? <MemberState /> : <EmptyState audience={audience} />}
          <SignedInAs className="mt-4" action={t('Use another address')} onSignedOut={openLogin} />
        </>
      }
    />
  );
}

type BenefitsListProps = {
  products: MyProduct[];
  /** Shown in place of the cards if the learner has no products. */
  empty: ReactNode;
};

export function BenefitsList({ products, empty }: BenefitsListProps) {
  if (products.length === 0) return <BenefitsPage>{empty}</BenefitsPage>;
  const now = new Date();
  return (
    <BenefitsPage
      aside={<p className="text-md text-ink-2 [font-variant-numeric:tabular-nums]">{countWords(products)}</p>}
    >
      <ul className={GRID}>
        {sortByState(products, now).map((product) => (
          <li key={productIdOf(product)}>
            <BenefitCard product={product} now={now} />
          </li>
        ))}
      </ul>
    </BenefitsPage>
  );
}

function countWords(products: MyProduct[]): string {
  const issued = products.filter((product) => product.state === 'issued').length;
  const tools = tCount(products.length, {
    one: '{count} tool on your plan',
    other: '{count} tools on your plan',
  });
  if (issued === 0) return tools;
  return `${tools} · ${tCount(issued, { one: '{count} code issued', other: '{count} codes issued' })}`;
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
    mark: 'text-(--n-7)',
    name: 'text-ink-3',
    stub: HOVERED_STUB,
    go: 'text-ink-3 group-hover:text-ink',
  },
};

/** A small ticket. The whole card is a link. */
export function BenefitCard({ product, now }: { product: MyProduct; now: Date }) {
  const id = productIdOf(product);
  const state = benefitState(product, now);
  const look = LOOKS[LOOK_OF[state]];
  const redeems = state === 'ready' || state === 'issued' || state === 'sold_out';
  const nameId = `name-${id}`;
  const goId = `go-${id}`;
  const statusId = state === 'ready' ? undefined : `status-${id}`;
  return (
    <article
      className={classes(
        COLUMN_SHEET,
        'group h-full overflow-clip rounded-lg *:after:transition-[background-color] has-[:focus-visible]:[outline:2px_solid_var(--focus)] has-[:focus-visible]:outline-offset-3 forced-colors:rounded-none',
        look.card,
      )}
    >
      <TicketMain className="px-6 pt-6 pb-6.5">
        <div className="flex min-h-13 items-start justify-between">
          <Rosette id={id} size={52} detail="mid" className={look.mark} />
          <BenefitTags id={statusId} product={product} state={state} now={now} />
        </div>
        <h2 id={nameId} dir="auto" className={classes('mt-4.5 text-lg leading-6 wrap-anywhere', look.name)}>
          {product.name}
        </h2>
        <p dir="auto" className={classes('mt-1.5 text-md wrap-anywhere', look.name || 'text-ink-2')}>
          {cut(product.description, DESCRIPTION_LENGTH)}
        </p>
      </TicketMain>
      <TicketStub className={classes('px-6', look.stub)}>
        <Link
          id={goId}
          // `::after` covers the whole card, so that a click anywhere on the card follows the link.
          className={classes(
            'flex min-h-14 items-center justify-between text-(length:--text-md) font-medium outline-none after:absolute after:inset-x-0 after:-top-400 after:bottom-0 after:z-1',
            look.go,
          )}
          href={productPath(product)}
          aria-labelledby={`${goId} ${nameId}`}
          aria-describedby={statusId}
        >
          {redeems ? t('Redeem Now') : t('See Details')}
          <Icon
            of={ArrowRight}
            className="[transition:translate_var(--duration-base)_var(--ease-out)] group-hover:[translate:3px_0]"
          />
        </Link>
      </TicketStub>
    </article>
  );
}

type BenefitTagsProps = { id: string | undefined; product: MyProduct; state: BenefitState; now: Date };
type TagWords = { words: string; icon?: LucideIcon; tone?: TagTone };

/** At most two tags, one below the other (R-LIFE-35). */
function BenefitTags({ id, ...card }: BenefitTagsProps) {
  return (
    <div id={id} className="grid justify-items-end gap-1">
      {tagsOf(card).map(({ words, icon, tone }) => (
        <Tag key={words} tone={tone}>
          {icon && <Icon of={icon} size={13} strong />}
          {words}
        </Tag>
      ))}
    </div>
  );
}

function tagsOf({ product, state, now }: Omit<BenefitTagsProps, 'id'>): TagWords[] {
  const { assigned_at, from, use_by } = product;
  const dayOf = (day: string | null) => ({ day: day ? formatDay(day, now) : '' });
  if (state === 'not_yet') return [{ words: t('From {day}', dayOf(from)), icon: Calendar }];
  if (state === 'paused') return [{ words: t('Paused'), icon: Pause }];
  if (state === 'sold_out') return [{ words: t('Sold out') }];
  if (state === 'expired') return [{ words: t('Expired {day}', dayOf(use_by)) }];
  if (state === 'revoked') return [{ words: t('Withdrawn') }];
  if (state === 'ready') return [];
  const tone = 'plain-accent';
  const issued: TagWords = { words: t('Code issued {day}', dayOf(assigned_at)), icon: Check, tone };
  if (!use_by) return [issued];
  const words = t('Use by {day}', dayOf(use_by));
  return [issued, isSoon(use_by, now) ? { words, icon: Clock, tone: 'warning' } : { words, tone }];
}

/** `expired`: the last day of the learner's code has passed. Only the browser computes this state. */
type BenefitState = MyProductState | 'expired';

type Known = Pick<MyProduct, 'state' | 'use_by'>;

/** The look of a card in each state. The cards have the order of these states (R-LIFE-35). */
const LOOK_OF = {
  ready: 'ready',
  issued: 'issued',
  not_yet: 'later',
  paused: 'later',
  sold_out: 'spent',
  expired: 'spent',
  revoked: 'spent',
} satisfies Record<BenefitState, keyof typeof LOOKS>;
const ORDER = Object.keys(LOOK_OF);

export function benefitState({ state, use_by }: Known, now: Date): BenefitState {
  return state === 'issued' && use_by && daysLeft(use_by, now) < 0 ? 'expired' : state;
}

/** Returns the products in the order of the cards. Products in the same state keep the order of the server. */
export function sortByState<Of extends Known>(products: readonly Of[], now: Date): Of[] {
  const place = (product: Of) => ORDER.indexOf(benefitState(product, now));
  return products.toSorted((a, b) => place(a) - place(b));
}

const ACTION = buttonClass({ look: 'primary', size: 'lg', block: true });

/** For a learner without products. The text depends on the address of the home page (R-HOME-15 to R-HOME-18). */
export function EmptyState({ audience }: { audience: Audience }) {
  if (audience === 'fellowship')
    return (
      <Blank
        heading={t('Sorry. You do not have access to any tools. Please reach out to your cohort manager')}
      />
    );
  if (audience === 'accelerator') {
    const call = (
      <ExternalLink className={ACTION} href={brand.onboarding_call_url}>
        {t('Book an Onboarding Call')}
        <Icon of={ArrowUpRight} />
      </ExternalLink>
    );
    return (
      <Blank heading={t('You do not have access to any tools yet')} action={call}>
        {t('Tool access for the accelerator opens after your onboarding call.')}
      </Blank>
    );
  }
  const mail = `mailto:${brand.support_email}`;
  const address = (
    <a className="link wrap-anywhere" href={mail}>
      {brand.support_email}
    </a>
  );
  const write = (
    <a className={ACTION} href={mail}>
      <Icon of={Mail} />
      {t('Write to support')}
    </a>
  );
  return (
    <Blank heading={t('No tools on this account yet')} action={write}>
      {tNode(
        'If you expected to see tools here, write to us at {email} from the email you used at purchase.',
        { email: address },
      )}
    </Blank>
  );
}

/** For a member of the team without products (R-DAY-50). */
function MemberState() {
  const open = (
    <Link className={ACTION} href="/admin">
      {t('Open the staff pages')}
    </Link>
  );
  return <Blank heading={t('You are a member of the team.')} action={open} />;
}

function Blank({ heading, action, children }: { heading: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <Ticket state="blank" layout="turning" className="mt-[clamp(1.75rem,3.5vw,2.75rem)]">
      <TicketMain>
        <h2 className="max-w-[34ch] text-xl">{heading}</h2>
        {children && <p className="max-w-[48ch] text-ink-2">{children}</p>}
      </TicketMain>
      <TicketStub print="blank">{action}</TicketStub>
    </Ticket>
  );
}
