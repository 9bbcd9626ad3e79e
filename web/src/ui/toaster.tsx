// The notification area: at the bottom right, on phones over the full width.
import { Close, Description, Provider, Root, Title, Viewport } from '@radix-ui/react-toast';
import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../words/translate.ts';
import { classes } from './dom.ts';
import { Icon } from './icon.tsx';
import { TOAST_AREA, TOAST_DURATION_MS, TOAST_LOOKS, type Toast, timeLeft, toasts } from './toast-store.ts';

/** Slightly below the 50 px of R-TOAST-05, because Radix closes a toast only above the threshold, not at it. */
const SWIPE_THRESHOLD_PX = 49.99;

/** `focused` is true if F8, the shortcut of the area, was pressed before it was loaded. It then gets the focus. */
export function Toaster({ focused }: { focused: boolean }) {
  const area = useRef<HTMLOListElement>(null);
  // In this element, Radix announces notifications. It is inside an open dialog: screen readers skip all outside of it.
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
            className={TOAST_AREA}
            hotkey={['F8']}
            label={t('Notifications ({hotkey})', { hotkey: '{hotkey}' })}
          />
        </Provider>
      )}
    </div>
  );
}

/** In `area`, Escape returns the focus to where it was before, and closes neither a toast nor a dialog. */
function leadBackOnEscape(area: HTMLElement): () => void {
  const leave = new AbortController();
  const { signal } = leave;
  let cameFrom: HTMLElement | undefined;
  const noteOrigin = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof HTMLElement && !area.contains(relatedTarget)) cameFrom = relatedTarget;
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    cameFrom?.focus();
  };
  area.addEventListener('focusin', noteOrigin, { signal });
  area.addEventListener('keydown', press, { signal });
  return () => leave.abort();
}

/** Escape closes a toast, but not if the focus is in the area (`leadBackOnEscape`). */
function keepInArea(event: KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('[data-toasts]')) event.preventDefault();
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, variant, open } = toast;
  const destructive = variant === 'destructive';
  const look = TOAST_LOOKS[variant];
  // If a dialog opens or closes, the card is mounted again. It then stays only for its remaining time.
  const [durationMs] = useState(() => timeLeft(toast, Date.now()));
  return (
    <Root
      // A swiped card follows the finger and leaves to the right.
      className={classes(
        look.card,
        'grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3.5 data-[state=open]:animate-arrive data-[state=closed]:animate-leave data-[swipe=move]:[transform:translateX(var(--radix-toast-swipe-move-x))] data-[swipe=cancel]:[transition:transform_var(--duration-fast)_var(--ease-out)] data-[swipe=cancel]:[transform:translateX(0)] data-[swipe=end]:animate-leave',
      )}
      data-toast=""
      data-variant={variant}
      type={destructive ? 'foreground' : 'background'}
      duration={durationMs}
      open={open}
      onEscapeKeyDown={keepInArea}
      onOpenChange={(isOpen) => !isOpen && toasts.dismiss(id)}
    >
      <span className={classes('grid size-5.5 place-items-center', !destructive && 'text-accent-text')}>
        <Icon of={destructive ? CircleAlert : Check} />
      </span>
      <div>
        {/* The space separates title and description for screen readers. */}
        <Title className={look.head}>{title}</Title> {description && <Description>{description}</Description>}
      </div>
      {/* While a card moves away, the Tab key must not reach its button. */}
      <Close
        className="-my-0.75 grid size-7 cursor-pointer place-items-center rounded-sm hover:bg-current/14 in-data-[state=closed]:invisible"
        aria-label={t('Close')}
      >
        <Icon of={X} size={16} />
      </Close>
    </Root>
  );
}
