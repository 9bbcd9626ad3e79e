// Loads the notification area on demand. The area is a tenth of all JavaScript, and most visits show no notification.
import { type ComponentType, startTransition, useEffect, useState, useSyncExternalStore } from 'react';
import { countOpenDialogs, subscribeToDialogs } from './dom.ts';
import { TOAST_AREA, TOAST_LOOKS, toasts } from './toast-store.ts';

type Area = ComponentType<{ focused: boolean }>;

let LoadedArea: Area | undefined;

/** Rejects if the file of the notification area cannot be fetched. */
export async function fetchToastArea(): Promise<void> {
  const { Toaster } = await import('./toaster.tsx');
  LoadedArea = Toaster;
}

/**
 * Renders the notification area after the first notification, click or key press; a plain notification if the area cannot
 * be fetched. An open dialog has its own area, so the page's area then renders nothing.
 */
export function ToastArea({ inDialog = false }: { inDialog?: boolean }) {
  const covered =
    useSyncExternalStore(subscribeToDialogs, countOpenDialogs, countOpenDialogs) > 0 && !inDialog;
  const [Area, setArea] = useState<Area>();
  const [missing, setMissing] = useState(false);
  const [focused, setFocused] = useState(false);

  useEffect(() => {
    // Renders the area in a transition, so that the browser shows the result of the user's click first.
    const show = () => startTransition(() => setArea(() => LoadedArea));
    if (LoadedArea) return show();
    const leave = new AbortController();
    const arrive = () => {
      leave.abort();
      show();
    };
    const want = () => void fetchToastArea().then(arrive, () => setMissing(true));
    const options = { signal: leave.signal };
    leave.signal.addEventListener('abort', toasts.subscribe(want));
    window.addEventListener('pointerdown', want, options);
    const press = ({ key }: KeyboardEvent) => {
      setFocused(key === 'F8');
      want();
    };
    window.addEventListener('keydown', press, options);
    if (toasts.get().length > 0) want();
    return () => leave.abort();
  }, []);

  if (covered) return null;
  if (Area) return <Area focused={focused} />;
  return missing ? <PlainToast /> : null;
}

/** Shown if the JavaScript of the notification area cannot be loaded. */
function PlainToast() {
  const toast = useSyncExternalStore(toasts.subscribe, toasts.get).find(({ open }) => open);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => toasts.dismiss(toast.id), toast.durationMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div role="alert" className={TOAST_AREA}>
      {toast && (
        <div className={TOAST_LOOKS[toast.variant].card} data-toast="">
          <p className={TOAST_LOOKS[toast.variant].head}>{toast.title}</p>
          <p>{toast.description}</p>
        </div>
      )}
    </div>
  );
}
