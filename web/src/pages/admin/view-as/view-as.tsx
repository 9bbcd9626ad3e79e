// Shows to a member of the team what a learner sees: the learner's home page and product pages, in which nothing can be
// redeemed, copied or opened for the learner (R-TRAIL-40 to R-TRAIL-43).

import { viewAsLearner } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { Link, Route, Router, Switch, useRoute } from 'wouter';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Page, TitlePrefix } from '../../../parts/page.tsx';
import { PRODUCT_ROUTE } from '../../../parts/product-id.ts';
import { ScreenLoading } from '../../../parts/screen-loading.tsx';
import { useRetry } from '../../../parts/use-retry.ts';
import { queryOf } from '../../../queries.ts';
import { Icon } from '../../../ui/icon.tsx';
import { say, sayAround } from '../../../words/say.ts';
import { BenefitsList } from '../../home/benefits.tsx';
import { EmptyState } from '../../home/empty-state.tsx';
import { NotFoundPage } from '../../not-found-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { personPath } from '../people/person-path.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import styles from './view-as.module.css';
import { ViewedProduct } from './viewed-product.tsx';

const ROUTE = '/admin/view-as/:user_id/*?';

/** Returns the id of the user in the address of the page. */
function useViewedId(): string {
  const [, params] = useRoute(ROUTE);
  return params?.user_id ?? '';
}

/**
 * Requests what the user sees. The bar and the screen share one request. `gcTime: 0` removes the reply from the cache
 * when the view is left, so that nothing of the learner remains. The key of the query is none of the learner's pages, so
 * the caller's own products are never mixed with it.
 */
function useView(user_id: string) {
  const may = useMay();
  return useQuery({ ...queryOf(viewAsLearner, { user_id }), gcTime: 0, enabled: may(viewAsLearner) });
}

/** The bar above the view, in place of the learner's header. It stays in view when the page is scrolled. */
export function ViewBar() {
  const user_id = useViewedId();
  const { data } = useView(user_id);
  return (
    <section className={styles.bar} aria-label={say('View as learner')}>
      <div className={styles.line}>
        <Icon of={Eye} />
        {data && (
          <p>
            {sayAround('You see what {email} sees. Nothing here can be pressed for them.', {
              email: <b>{data.person.email}</b>,
            })}
          </p>
        )}
        <Link className={styles.leave} href={personPath(user_id)}>
          {say('Leave')}
        </Link>
      </div>
    </section>
  );
}

export function ViewAs() {
  return (
    <TitlePrefix value={`${say('View as learner')} · `}>
      <RoleGate
        to={viewAsLearner}
        otherwise={
          <AdminFrame title={say('Users')}>
            <NothingHere />
          </AdminFrame>
        }
      >
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
  if (retry.failed) {
    return (
      <Page title={say('Users')}>
        <LoadError
          words={say('We could not load what this person sees.')}
          busy={retry.busy}
          onRetry={retry.onRetry}
        />
      </Page>
    );
  }
  if (!view.data) return <ScreenLoading />;
  const { person, products, tickets } = view.data;
  // The links of the learner's pages are relative to `base`, so they stay within the view.
  return (
    <Router base={`/admin/view-as/${user_id}`}>
      <Switch>
        <Route path="/">
          <BenefitsList products={products} empty={<EmptyState audience="everyone" />} />
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
