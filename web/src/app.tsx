// The layout around every screen, and the route table with one line for each screen.
import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { isAdminPage, useHiddenAdminEntries } from './admin-entries.ts';
import type { SessionState } from './auth.ts';
import { Footer, Header, SignedOut, SkipLink } from './frame.tsx';
import { lazyPart, lazyScreen } from './lazy.tsx';
import { HomePage } from './learner/home.tsx';
import { followLink, PRODUCT_ROUTE, productIdAt, usePageChange } from './navigation.ts';
import { ScreenFailed } from './page.tsx';
import { productQuery, RenderedFor, useSession } from './queries.ts';
import { readArrival } from './sign-in/session.ts';
import { closeLogin, getLoginState, LoginDialog, subscribeToLogin } from './sign-in/store.tsx';
import { ToastArea } from './ui/toast-area.tsx';
import { t } from './words/translate.ts';

const ProductPage = lazyScreen(() => import('./learner/product.tsx').then((m) => m.ProductPage));
const AuthCallbackPage = lazyScreen(() => import('./sign-in/callback.tsx').then((m) => m.AuthCallbackPage));
const AccessRestrictedPage = lazyScreen(() =>
  import('./refused-pages.tsx').then((m) => m.AccessRestrictedPage),
);
const CheckAccessPage = lazyScreen(() => import('./refused-pages.tsx').then((m) => m.CheckAccessPage));
const NotFoundPage = lazyScreen(() => import('./refused-pages.tsx').then((m) => m.NotFoundPage));
// One file has all staff pages. Only staff load it.
const loadStaff = () => import('./staff/app.tsx');
const StaffScreens = lazyScreen(() => loadStaff().then((m) => m.StaffScreens));
const AdminNav = lazyPart(() => loadStaff().then((m) => m.AdminNav), <div className="min-h-11" />);
const StaffSearch = lazyPart(() => loadStaff().then((m) => m.StaffSearch), null);
const StaffMenu = lazyPart(() => loadStaff().then((m) => m.StaffMenu), null);
const ViewBar = lazyPart(() => loadStaff().then((m) => m.ViewBar), <div className="min-h-13" />);
const AdminLoginPage = lazyScreen(() => import('./sign-in/admin-login.tsx').then((m) => m.AdminLoginPage));
const GoogleHandlerPage = lazyScreen(() => import('./sign-in/callback.tsx').then((m) => m.GoogleHandlerPage));

/** Loads the file of a pre-rendered product page, because React needs this file for hydration. */
export async function loadRenderedScreen(path: string): Promise<void> {
  if (productIdAt(path) !== null) await ProductPage.load();
}

/** Loads the staff pages before the first render, which would otherwise show placeholders and then shift the layout. */
export async function loadAdminFrame(path: string): Promise<void> {
  if (isAdminPage(path)) await loadStaffPages();
}

const loadStaffPages = () => Promise.all([StaffScreens.load(), AdminNav.load()]);

/** `rendered` is the session state that the server assumed when it rendered the page. */
export function App({ queries, rendered }: { queries: QueryClient; rendered: SessionState }) {
  return (
    <QueryClientProvider client={queries}>
      <RenderedFor value={rendered}>
        <Router aroundNav={followLink}>
          <Frame />
        </Router>
      </RenderedFor>
    </QueryClientProvider>
  );
}

function Frame() {
  usePageChange();
  useHiddenAdminEntries();
  useEarlyPresses();
  const [path] = useLocation();
  const isAdmin = isAdminPage(path);
  const session = useSession();
  return (
    <>
      <SkipLink />
      {path.startsWith('/admin/view-as/') ? (
        <ViewBar />
      ) : (
        <Header nav={isAdmin && <AdminNav />} menu={isAdmin && <StaffMenu />}>
          {isAdmin && <StaffSearch />}
        </Header>
      )}
      {/* Public screens share one main element, which keeps the focus after a page change. Admin pages have another one:
          the navigation in their header would move a shared element down, which is a layout shift. */}
      <main
        key={String(isAdmin)}
        id="main"
        tabIndex={-1}
        className="flex flex-[1_0_auto] flex-col"
        data-admin={isAdmin || undefined}
      >
        {!path.startsWith('/admin') && <div role="status">{'endedFor' in session && <SignedOut />}</div>}
        <ScreenBoundary path={path}>
          <Routes />
        </ScreenBoundary>
      </main>
      <Footer isStaff={isAdmin} />
      <Login />
      <ToastArea />
    </>
  );
}

function Login() {
  const state = useSyncExternalStore(subscribeToLogin, getLoginState, getLoginState);
  const [path] = useLocation();
  // Closes the login dialog when the path changes: a user can go back or forward while the dialog is open.
  useEffect(() => closeLogin, [path]);
  return state === 'away' ? null : <LoginDialog open={state === 'open'} onClose={closeLogin} />;
}

/** Requests the product here, so that the request runs in parallel with the download of the page's JavaScript. */
function ProductScreen({ id }: { id: string }) {
  const product = useQuery(productQuery(id));
  return <ProductPage id={id} product={product} />;
}

/**
 * If the sign-in service knows no return path, it redirects to the home page with an error in the URL. The home page
 * then redirects to the callback page, which shows the error.
 */
function HomeScreen() {
  const refused = useSyncExternalStore(ignoreChanges, hasRefusal, () => false);
  if (!refused) return <HomePage audience="everyone" />;
  return <Redirect to={`/auth/callback${location.search}${location.hash}`} replace />;
}

const ignoreChanges = () => () => undefined;
const hasRefusal = () => readArrival(location).error !== null;

function Routes() {
  return (
    <Switch>
      <Route path="/">{() => <HomeScreen />}</Route>
      <Route path="/accelerator">{() => <HomePage audience="accelerator" />}</Route>
      <Route path="/fellowship">{() => <HomePage audience="fellowship" />}</Route>
      <Route path={PRODUCT_ROUTE}>{({ id }) => <ProductScreen id={id} />}</Route>
      <Route path="/auth/callback">{() => <AuthCallbackPage />}</Route>
      <Route path="/auth/google-handler">{() => <GoogleHandlerPage />}</Route>
      <Route path="/admin-login">{() => <AdminLoginPage loadNext={loadStaffPages} />}</Route>
      <Route path="/admin-access-restricted">{() => <AccessRestrictedPage />}</Route>
      <Route path="/admin/access-denied">{() => <AccessRestrictedPage denied />}</Route>
      <Route path="/admin/check-access">{() => <CheckAccessPage />}</Route>
      <Route path="/admin/*?">{() => <StaffScreens otherwise={<NotFoundPage />} />}</Route>
      <Route>{() => <NotFoundPage />}</Route>
    </Switch>
  );
}

/** After hydration, repeats a click that came when the button had no handler. first-script.ts has marked the button. */
function useEarlyPresses(): void {
  useEffect(() => {
    delete document.documentElement.dataset.early;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    if (!button) return;
    delete button.dataset.pressed;
    button.click();
  }, []);
}

type ScreenBoundaryProps = { path: string; children: ReactNode };

/**
 * Catches errors that a screen throws, so that header and footer are still shown. React requires a class for that. If
 * `path` changes, the boundary renders its children again.
 */
class ScreenBoundary extends Component<ScreenBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate({ path }: ScreenBoundaryProps) {
    if (path !== this.props.path) this.setState({ failed: false });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <ScreenFailed
        heading={t('Something went wrong')}
        words={t('Something on this page failed. Loading it again may help.')}
      />
    );
  }
}
