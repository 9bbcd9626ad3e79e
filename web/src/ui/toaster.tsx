// Where notifications appear: bottom right, the full width on phones.
import { Provider, Viewport } from '@radix-ui/react-toast';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { say } from '../words/say.ts';
import { ToastCard } from './toast-card.tsx';
import { TOAST_DURATION_MS, toasts } from './toast-store.ts';
import styles from './toaster.module.css';

/** R-TOAST-05: at 50 px, where the area leaves a toast alone up to its threshold and at it. */
const SWIPE_THRESHOLD_PX = 49.99;

/** `focused`: the area takes the focus at once, because F8 was what called for it. */
export function Toaster({ focused }: { focused: boolean }) {
  const area = useRef<HTMLOListElement>(null);
  // Announcements are made in here: what stands outside of an open dialog is not heard.
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  useEffect(() => {
    if (focused && place) area.current?.focus();
  }, [focused, place]);
  useEffect(() => (place ? leadBackOnEscape(place) : undefined), [place]);

  return (
    <div ref={setPlace} className="contents" data-toasts="">
      {place && (
        <Provider
          duration={TOAST_DURATION_MS}
          swipeDirection="right"
          swipeThreshold={SWIPE_THRESHOLD_PX}
          announcerContainer={place}
        >
          {shown.map((toast) => (
            <ToastCard key={toast.id} toast={toast} />
          ))}
          <Viewport
            ref={area}
            className={styles.viewport}
            hotkey={['F8']}
            label={say('Notifications ({hotkey})', { hotkey: '{hotkey}' })}
          />
        </Provider>
      )}
    </div>
  );
}

/** Escape leads back to where the focus came from; it closes neither the toast nor the dialog around `area`. */
function leadBackOnEscape(area: HTMLElement): () => void {
  const leave = new AbortController();
  const { signal } = leave;
  let cameFrom: HTMLElement | undefined;
  area.addEventListener(
    'focusin',
    ({ relatedTarget }) => {
      if (relatedTarget instanceof HTMLElement && !area.contains(relatedTarget)) cameFrom = relatedTarget;
    },
    { signal },
  );
  area.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      cameFrom?.focus();
    },
    { signal },
  );
  return () => leave.abort();
}
