// Keeps what was typed into a form when the session ends, and puts it back when the same person has signed in again.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { getSessionState, subscribeToSession } from '../../auth.ts';
import { type Fields, forgetTyped, keepTyped, readTyped } from './typed.ts';

/** `isBack`: the form holds what was typed before; `forget` ends that. `restore` takes what no input holds. */
export function useTyped(form: RefObject<HTMLFormElement | null>, restore?: (fields: Fields) => void) {
  const [isBack, setBack] = useState(false);
  const waiting = useRef<Fields>([]);
  const takeUp = useRef(restore);

  useEffect(() => {
    const state = getSessionState();
    const fields = state.status === 'signed-in' && readTyped(state.email, location.pathname, Date.now());
    if (!fields) return;
    forgetTyped();
    waiting.current = fields;
    takeUp.current?.(fields);
    setBack(true);
  }, []);
  // After each rendering, because a choice waits for its options.
  useLayoutEffect(() => {
    waiting.current = waiting.current.filter((field) => !fill(form.current, field));
  });
  useEffect(
    () =>
      subscribeToSession(() => {
        const state = getSessionState();
        if (state.status !== 'signed-out' || state.endedFor === undefined || !form.current) return;
        const { endedFor: email } = state;
        keepTyped({ email, path: location.pathname, atMs: Date.now(), fields: fieldsOf(form.current) });
      }),
    [form],
  );
  return { isBack, forget: () => setBack(false) };
}

function fieldsOf(form: HTMLFormElement): Fields {
  return [...new FormData(form)].filter((field): field is [string, string] => field[1] !== '');
}

/** Answers whether that is done: the options of a choice may not be there yet. */
function fill(form: HTMLFormElement | null, [name, value]: [string, string]): boolean {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLInputElement && input.type === 'checkbox') input.checked = true;
  else if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) input.value = value;
  else if (input instanceof HTMLSelectElement) {
    input.value = value;
    return input.value === value;
  }
  return true;
}
