// Screens that are fetched when they are needed, and what to do when they cannot be. Not React.lazy: Suspense holds
// what it reveals back for 300 ms once its fallback has been seen.
import { RefreshCw } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { showToast } from '../ui/toast-store.ts';
import { CentredPage } from './page.tsx';
import { ScreenLoading } from './screen-loading.tsx';

/** A screen loaded on first use. When its file cannot be fetched, a page that offers to try again takes its place. */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return loadedOnUse(load, ScreenLoading, PageLoadFailed);
}

/** A dialog loaded on first use. When its file cannot be fetched, a notification says so. */
export function lazyDialog<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return loadedOnUse(load, Nothing, DialogLoadFailed);
}

function loadedOnUse<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting: () => ReactNode,
  Failed: () => ReactNode,
) {
  let loaded: ComponentType<Props> | undefined;
  return function LoadedOnUse(props: Props) {
    const [Screen, setScreen] = useState(() => loaded);
    useEffect(() => {
      if (loaded) return;
      const show = (component: ComponentType<Props>) => setScreen(() => component);
      load().then(
        (component) => {
          loaded = component;
          show(component);
        },
        () => show(Failed),
      );
    }, []);
    return Screen ? <Screen {...props} /> : <Waiting />;
  };
}

function Nothing() {
  return null;
}

function DialogLoadFailed() {
  useEffect(() => {
    showToast({
      title: 'This did not load',
      description: 'Please check your connection and reload the page.',
      variant: 'destructive',
    });
  }, []);
  return null;
}

function PageLoadFailed() {
  return (
    <CentredPage title="This page did not load">
      <MessageCard icon={RefreshCw} tone="warning" heading="This page did not load">
        <p>The connection may have been lost, or the portal was updated.</p>
        <Button className="mt-4" onClick={() => location.reload()}>
          Reload
        </Button>
      </MessageCard>
    </CentredPage>
  );
}
