// Fetches the notification area when it is first wanted: it is a tenth of all code, and most visits need none.
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { countOpenDialogs, subscribeToDialogs } from './open-dialogs.ts';
import { toasts } from './toast-store.ts';

type Area = ComponentType<{ focused: boolean }>;

/**
 * Nothing at first; the area from the first notification, press or key on. The page's own area gives way to the one
 * in an open dialog.
 */
export function ToastArea({ inDialog = false }: { inDialog?: boolean }) {
  const covered = useSyncExternalStore(subscribeToDialogs, countOpenDialogs) > 0 && !inDialog;
  const [Area, setArea] = useState<Area>();
  const [focused, setFocused] = useState(false);

  useEffect(() => {
    const leave = new AbortController();
    const fetchArea = async () => {
      leave.abort();
      const { Toaster } = await import('./toaster.tsx');
      setArea(() => Toaster);
    };
    // Without a connection there is no notification.
    const want = () => void fetchArea().catch(() => undefined);
    const options = { signal: leave.signal };
    leave.signal.addEventListener('abort', toasts.subscribe(want));
    window.addEventListener('pointerdown', want, options);
    window.addEventListener(
      'keydown',
      ({ key }) => {
        setFocused(key === 'F8');
        want();
      },
      options,
    );
    if (toasts.get().length > 0) want();
    return () => leave.abort();
  }, []);

  return Area && !covered ? <Area focused={focused} /> : null;
}
