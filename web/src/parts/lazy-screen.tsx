// Screens that are fetched when they are needed, and what to do when they cannot be.
import { RefreshCw } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { showToast } from '../ui/toast-store.ts';
import { CentredPage } from './page.tsx';

/** A screen loaded on first use. When its file cannot be fetched, a page that offers to try again takes its place. */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazyWithFallback(load, PageLoadFailed);
}

/** A dialog loaded on first use. When its file cannot be fetched, a notification says so. */
export function lazyDialog<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazyWithFallback(load, DialogLoadFailed);
}

function lazyWithFallback<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: () => ReactNode,
) {
  return lazy(() =>
    load().then(
      (component): { default: ComponentType<Props> } => ({ default: component }),
      () => ({ default: fallback }),
    ),
  );
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
