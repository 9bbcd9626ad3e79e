// Moves the focus to a new element after the new element has replaced the focused control.
import { type RefObject, useEffect, useRef } from 'react';

/** Returns a ref for an element. The element gets the focus when it is mounted, if `takesFocus` returns true. */
export function useFocusOnArrival<Of extends HTMLElement>(takesFocus: () => boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const shouldFocus = useRef(takesFocus);
  useEffect(() => {
    if (shouldFocus.current()) element.current?.focus();
  }, []);
  return element;
}
