// Moves the focus to an element that replaces the focused control.
import { type RefObject, useEffect, useRef } from 'react';

/** Returns a ref. When its element is mounted, it gets the focus if `takesFocus` returns true. */
export function useFocusOnArrival<Of extends HTMLElement>(takesFocus: () => boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const shouldFocus = useRef(takesFocus);
  useEffect(() => {
    if (shouldFocus.current()) element.current?.focus();
  }, []);
  return element;
}
