// Shows to a member of the team what a learner sees: the learner's home page and product pages, in which nothing can be
// redeemed, copied or opened for the learner (R-TRAIL-40 to R-TRAIL-43).
import type { LearnerView, MyProduct, ViewedTicket } from '@portal/contract';
import { maskCode, revealCoupon, viewAsLearner } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight, Copy, Eye, Lock, TriangleAlert } from 'lucide-react';
import { Link, Route, Router, Switch, useRoute } from 'wouter';
import { isNotFound } from '../api.ts';
import { lazyPart, lazyScreen } from '../lazy.tsx';
import { BenefitsList, EmptyState } from '../learner/benefits.tsx';
import type { Closed, IssuedCode, RedemptionState } from '../learner/redemption.ts';
import { PRODUCT_ROUTE } from '../navigation.ts';
import { BackHome, CentredPage, LoadError, Page, ScreenLoading, TitlePrefix } from '../page.tsx';
import { queryOf, useRetry } from '../queries.ts';
import { NotFoundPage } from '../refused-pages.tsx';
import { Button, OFF_BUTTON } from '../ui/button.tsx';
import { classes } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { MessageCard } from '../ui/notice.tsx';
import { t, tNode, tServed } from '../words/translate.ts';
import { NothingHerePage } from './frame.tsx';
import { formatShow, speakCode, useReveals, useShowCode } from './nouns/code.tsx';
import { personPath } from './nouns/person.tsx';
import { RoleGate, useMay } from './role.tsx';

const ROUTE = '/admin/view-as/:user_id/*?';

function useViewedId(): string {
  const [, params] = useRoute(ROUTE);
  return params?.user_id ?? '';
}

/**
 * Requests what the user sees. The bar and the screen share one request. `gcTime: 0` removes the reply from the cache
 * when the view is left.
 */
function useView(user_id: string) {
  const may = useMay();
  return useQuery({ ...queryOf(viewAsLearner, { user_id }), gcTime: 0, enabled: may(viewAsLearner) });
}

/** The bar above the view, in place of the learner's header. */
export function ViewBar() {
  const user_id = useViewedId();
  const { data } = useView(user_id);
  return (
    <section
      className="text-md sticky top-0 z-(--z-header) bg-ink text-on-ink [--focus:var(--on-ink)] forced-colors:[border-bottom:1px_solid_CanvasText]"
      aria-label={t('View as learner')}
    >
      <div className="flex items-center gap-3 max-w-[calc(var(--page-admin)_+_2_*_var(--gutter))] min-h-13 mx-auto py-2 px-(--gutter) [&>p]:min-w-0 [&_b]:font-semibold [&_b]:wrap-anywhere max-md:text-sm max-md:items-start max-md:py-3 max-md:[&>svg]:mt-0.5">
        <Icon of={Eye} />
        {data && (
          <p>
            {tNode('You see what {email} sees. Read-only.', {
              email: <b>{data.person.email}</b>,
            })}
          </p>
        )}
        <Link
          className="text-(length:--text-sm) flex-none inline-flex items-center min-h-(--control-sm) ml-auto px-3 [border:1px_solid_color-mix(in_oklch,_currentColor_55%,_transparent)] rounded-sm font-medium hover:border-current hover:[background:color-mix(in_oklch,_currentColor_12%,_transparent)]"
          href={personPath(user_id)}
        >
          {t('Leave')}
        </Link>
      </div>
    </section>
  );
}

export function ViewAs() {
  return (
    <TitlePrefix value={`${t('View as learner')} · `}>
      <RoleGate to={viewAsLearner} otherwise={<NothingHerePage title={t('Users')} />}>
        <Screens />
      </RoleGate>
    </TitlePrefix>
  );
}

function Screens() {
  const user_id = useViewedId();
  const view = useView(user_id);
  const retry = useRetry(view);
  if (isNotFound(view.error)) return <NotFoundPage />;
  if (retry.failed)
    return (
      <Page title={t('Users')}>
        <LoadError words={t('We could not load what this person sees.')} {...retry} />
      </Page>
    );
  if (!view.data) return <ScreenLoading />;
  const { person, products, tickets } = view.data;
  // The links of the learner's pages are relative to `base`, so they stay within the view.
  return (
    <Router base={`/admin/view-as/${user_id}`}>
      <Switch>
        <Route path="/">
          <BenefitsList
            // Of a code, staff see only the end here (N-242).
            products={products.map((product) => ({ ...product, coupon_code: maskedOf(tickets, product) }))}
            speakCode={({ product_id }) =>
              speakCode({ coupon_code: null, hint: tickets[product_id]?.hint ?? null })
            }
            empty={<EmptyState audience="everyone" />}
          />
        </Route>
        <Route path={PRODUCT_ROUTE}>
          {({ id }) => (
            <ViewedProduct
              key={id}
              person={person}
              product={products.find(({ product_id }) => product_id === id)}
              ticket={tickets[id]}
            />
          )}
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Router>
  );
}

function maskedOf(tickets: LearnerView['tickets'], { product_id }: Pick<MyProduct, 'product_id'>) {
  const ticket = tickets[product_id];
  return ticket?.coupon_id === undefined ? null : maskCode(ticket.hint ?? null);
}

type Viewed = { person: LearnerView['person']; product: MyProduct; ticket: ViewedTicket };

/** `product` and `ticket` are undefined if the product is not in the learner's list. */
function ViewedProduct({ person, product, ticket }: Partial<Viewed> & Pick<Viewed, 'person'>) {
  if (!product || !ticket)
    return (
      <CentredPage title={t('Product Not Found')}>
        <MessageCard icon={TriangleAlert} tone="warning" heading={t('Product Not Found')}>
          <p>{t('This product is not among the benefits of this person.')}</p>
          <BackHome />
        </MessageCard>
      </CentredPage>
    );
  return <ProductLayout product={product} ticket={<ViewedTicketOf {...{ person, product, ticket }} />} />;
}

function ViewedTicketOf({ person, product, ticket }: Viewed) {
  const state = stateOfTicket(ticket, product);
  return (
    <OfferTicket
      id={product.product_id}
      label={t('Their code')}
      state={state}
      code={state.kind === 'issued' && <ViewedCode {...{ person, product, ticket, issued: state.issued }} />}
    >
      {(state.kind === 'idle' || state.kind === 'issued') && (
        <>
          <OnlyThey person={person} />
          <OffButton size="lg">
            {state.kind === 'idle' ? t('Redeem Now') : t('Visit Site To Redeem')}
            {state.kind === 'issued' && <Icon of={ArrowUpRight} />}
          </OffButton>
        </>
      )}
      {/* The learner cannot press this button either. */}
      {state.kind === 'soldOut' && (
        <Button look="accent" size="lg" block disabled>
          {t('Redeem Now')}
        </Button>
      )}
    </OfferTicket>
  );
}

type ViewedCodeProps = Viewed & { issued: IssuedCode };

/** The code is masked, until a member of the team shows it. The log has a line of each code that is shown. */
function ViewedCode({ person, product, ticket: { coupon_id = '', hint }, issued }: ViewedCodeProps) {
  const reveals = useReveals();
  const shown = reveals.shown.get(coupon_id);
  const { busy, show, copyButton } = useShowCode(reveals, coupon_id);
  return (
    <IssuedTicket
      product={product}
      issued={{ ...issued, code: shown ?? issued.code }}
      spoken={shown === undefined ? speakCode({ coupon_code: null, hint }) : undefined}
      holder={person.email}
      buttons={
        <>
          {shown === undefined && (
            <RoleGate to={revealCoupon}>
              <Button
                look="inverse-outline"
                aria-label={formatShow(hint)}
                aria-disabled={reveals.isDisabled || undefined}
                busy={busy}
                onClick={() => void show()}
              >
                {t('Show')}
              </Button>
            </RoleGate>
          )}
          {/* Stays off when the code is shown (N-75). The code describes it. */}
          <OffButton ref={copyButton} describedBy="code">
            <Icon of={Copy} size={16} />
            {t('Copy')}
          </OffButton>
        </>
      }
    />
  );
}

const LINE_ID = 'only-they';

function OnlyThey({ person: { name, email } }: { person: LearnerView['person'] }) {
  return (
    <p
      id={LINE_ID}
      className="relative -ml-1.5 flex max-w-full items-start gap-1.75 self-start rounded-xs bg-(--paper) py-0.5 pr-2 pl-1.5 text-sm wrap-anywhere text-ink-2 in-data-[state=issued]:text-inherit"
    >
      <Icon of={Lock} size={16} className="mt-0.5" />
      <span>{tNode('Only {name} can do this', { name: <bdi>{name || email}</bdi> })}</span>
    </p>
  );
}

type OffButtonProps = Pick<Parameters<typeof Button>[0], 'size' | 'ref' | 'children'> & {
  describedBy?: string;
};

/**
 * Uses `aria-disabled` instead of `disabled`, so that the keyboard reaches the button and its descriptions: the line of
 * `OnlyThey`, and the element with the id `describedBy`.
 */
function OffButton({ size = 'md', describedBy, ref, children }: OffButtonProps) {
  return (
    <Button
      ref={ref}
      size={size}
      block={size === 'lg'}
      className={classes(
        OFF_BUTTON,
        'relative aria-disabled:in-data-[state=issued]:bg-[color-mix(in_oklab,var(--accent-on)_16%,var(--accent-solid))] aria-disabled:in-data-[state=issued]:text-[color-mix(in_oklab,var(--accent-on)_78%,var(--accent-solid))] forced-colors:border-[GrayText]! forced-colors:text-[GrayText]!',
      )}
      aria-disabled="true"
      aria-describedby={classes(describedBy, LINE_ID)}
    >
      {children}
    </Button>
  );
}

/** In the result, `code` is the masked code. */
function stateOfTicket(
  { refusal, title = '', message = '', day, coupon_id, hint, ...held }: ViewedTicket,
  { url }: Pick<MyProduct, 'url'>,
): RedemptionState {
  if (coupon_id !== undefined) {
    const issued = {
      ...{ code: maskCode(hint ?? null), url, fresh: false },
      ...{ useBy: held.use_by ?? null, replacedOn: held.replaced_on ?? null },
      isUnconfirmed: held.unconfirmed ?? false,
    };
    return { kind: 'issued', issued, startedBy: 'page' };
  }
  if (refusal === undefined) return { kind: 'idle' };
  if (refusal === 'no_coupon_left')
    return { kind: 'soldOut', startedBy: 'page', title: tServed(title), message: tServed(message) };
  // All other refusals of a product in the learner's list close the ticket.
  return { kind: 'closed', reason: refusal as Closed['reason'], day };
}

// Imported dynamically, as the app does. A static import would make the bundler split the file, and learners would then
// need one more request.
const load = () => import('../learner/product.tsx');

const OfferTicket = lazyPart(() => load().then((m) => m.OfferTicket), null);
const IssuedTicket = lazyPart(() => load().then((m) => m.IssuedTicket), null);
/** Loads the ticket and the font for codes too, so that the page appears as a whole. */
const ProductLayout = lazyScreen(async () => {
  const page = await load();
  await Promise.all([OfferTicket.load(), IssuedTicket.load(), page.loadCodeFace()]);
  return page.ProductLayout;
});
