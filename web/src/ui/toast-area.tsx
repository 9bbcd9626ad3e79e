// Fetches the notification area when it is first wanted: it is a tenth of all code, and most visits need none.
import { type ComponentType, startTransition, useEffect, useState, useSyncExternalStore } from 'react';
import { countOpenDialogs, subscribeToDialogs } from './open-dialogs.ts';
import { PlainToast } from './plain-toast.tsx';
import { toasts } from './toast-store.ts';

type Area = ComponentType<{ focused: boolean }>;

let LoadedArea: Area | undefined;

/** Fetches the area, if it is not here yet. Rejects without a connection. */
export async function fetchToastArea(): Promise<void> {
  const { Toaster } = await import('./toaster.tsx');
  LoadedArea = Toaster;
}

/**
 * Nothing at first; the area from the first notification, press or key on. The page's own area gives way to the one
 * in an open dialog. While the area cannot be fetched, notifications show without its manners.
 */
export function ToastArea({ inDialog = false }: { inDialog?: boolean }) {
  const covered =
    useSyncExternalStore(subscribeToDialogs, countOpenDialogs, countOpenDialogs) > 0 && !inDialog;
  const [Area, setArea] = useState<Area>();
  const [missing, setMissing] = useState(false);
  const [focused, setFocused] = useState(false);

  useEffect(() => {
    // Whatever was pressed shows first.
    const show = () => startTransition(() => setArea(() => LoadedArea));
    if (LoadedArea) return show();
    const leave = new AbortController();
    const want = () => {
      fetchToastArea().then(
        () => {
          leave.abort();
          show();
        },
        () => setMissing(true),
      );
    };
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

  if (covered) return null;
  if (Area) return <Area focused={focused} />;
  return missing ? <PlainToast /> : null;
}
