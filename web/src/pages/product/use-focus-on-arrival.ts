// Moving the focus to what takes the place of the control that had it.
import { type RefObject, useEffect, useRef } from 'react';

/** A ref for an element that takes the focus when it arrives, if `takesFocus` says so then. */
export function useFocusOnArrival<Of extends HTMLElement>(takesFocus: () => boolean): RefObject<Of | null> {
  const element = useRef<Of>(null);
  const ask = useRef(takesFocus);
  useEffect(() => {
    if (ask.current()) element.current?.focus();
  }, []);
  return element;
}
