// Stores the values of a form when the session ends. Restores them after the same user has signed in again.
import { useEffect, useRef, useState } from 'react';
import { getSessionState, subscribeToSession } from '../../auth.ts';
import { type Fields, forgetTyped, keepTyped, readTyped } from './typed.ts';

/** Returns the place where the values of a form are stored: the path of its page, with a mark for a second form there. */
const placeOf = (mark: string) => location.pathname + mark;

function readFields(mark: string): Fields | null {
  const state = getSessionState();
  return state.status === 'signed-in' ? readTyped(state.email, placeOf(mark), Date.now()) : null;
}

/** Returns true if values of the form are stored. A form that is closed at first opens then, to show them again. */
export function hasTyped(mark: string): boolean {
  return readFields(mark) !== null;
}

/**
 * Returns `isBack`, which is true while the form contains restored values, and `forget`, which sets `isBack` to false.
 * `mark` distinguishes the form from the other form of its page.
 */
export function useTyped<Values extends object>(
  values: Values,
  start: Values,
  restore: (values: Values) => void,
  mark = '',
) {
  const [isBack, setBack] = useState(false);
  const latest = useRef({ values, start, restore });
  useEffect(() => {
    latest.current = { values, start, restore };
  });
  useEffect(() => {
    const fields = readFields(mark);
    if (!fields) return;
    forgetTyped();
    latest.current.restore(withFields(latest.current.start, fields));
    setBack(true);
  }, [mark]);
  useEffect(
    () =>
      subscribeToSession(() => {
        const state = getSessionState();
        if (state.status !== 'signed-out' || state.endedFor === undefined) return;
        const { values: typed, start: empty } = latest.current;
        const fields = Object.entries(typed).filter(
          ([name, value]) => JSON.stringify(value) !== JSON.stringify(empty[name as keyof Values]),
        );
        keepTyped({ email: state.endedFor, path: placeOf(mark), atMs: Date.now(), fields });
      }),
    [mark],
  );
  return { isBack, forget: () => setBack(false) };
}

/**
 * Returns `start` with the stored values. A stored field with an unknown name or another type is ignored: an older
 * version of the page may have stored it.
 */
function withFields<Values extends object>(start: Values, fields: Fields): Values {
  const known = fields.filter(([name, value]) => typeof start[name as keyof Values] === typeof value);
  return { ...start, ...Object.fromEntries(known) };
}
