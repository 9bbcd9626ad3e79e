// Fetches the notification area when it is first wanted: it is a tenth of all code, and most visits need none.
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { toasts } from './toast-store.ts';

const Toaster = lazy(() =>
  import('./toaster.tsx').then(
    ({ Toaster }): { default: ComponentType<{ focused: boolean }> } => ({ default: Toaster }),
    () => ({ default: Nothing }),
  ),
);

/** Nothing at first; the area from the first notification, press or key on. */
export function ToastArea() {
  const [wanted, setWanted] = useState<'no' | 'yes' | 'focused'>('no');
  useEffect(() => {
    const leave = new AbortController();
    const want = () => setWanted((before) => (before === 'no' ? 'yes' : before));
    const stop = toasts.subscribe(want);
    leave.signal.addEventListener('abort', stop);
    if (toasts.get().length > 0) want();
    window.addEventListener('pointerdown', want, { signal: leave.signal });
    window.addEventListener(
      'keydown',
      ({ key }) => setWanted((before) => (before !== 'no' ? before : key === 'F8' ? 'focused' : 'yes')),
      { signal: leave.signal },
    );
    return () => leave.abort();
  }, []);
  if (wanted === 'no') return null;
  return (
    <Suspense>
      <Toaster focused={wanted === 'focused'} />
    </Suspense>
  );
}

function Nothing() {
  return null;
}
