// The id with which a form that creates something is sent: pressed several times, it creates one (N-325).
import { useRef } from 'react';
import { randomUuid } from './random-uuid.ts';

/**
 * Returns a function that adds an id to the body of a request. The same body has the same id, until `renew` was called
 * after a success: then it is meant a second time.
 */
export function useFormId() {
  const last = useRef({ sent: '', id: '' });
  const withId = <Body extends object>(body: Body) => {
    const sent = JSON.stringify(body);
    if (last.current.sent !== sent) last.current = { sent, id: randomUuid() };
    return { ...body, id: last.current.id };
  };
  const renew = () => {
    last.current = { sent: '', id: '' };
  };
  return { withId, renew };
}
