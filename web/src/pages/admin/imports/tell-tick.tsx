// Check box that decides whether people are told by mail what they get. The browser keeps the last choice (R-INV-01).
import { useState } from 'react';
import { Check } from '../../../ui/check.tsx';
import { say } from '../../../words/say.ts';
import { keepTell, readTell } from './tell-choice.ts';

/** Returns the choice as a field of a request body, and the check box. */
export function useTell(hint: string) {
  const [tell, setTell] = useState(readTell);
  const choose = (value: boolean) => {
    keepTell(value);
    setTell(value);
  };
  const tick = <Check label={say('Tell them by email')} hint={hint} value={tell} onChange={choose} />;
  return { body: tell ? { tell: true } : {}, tick };
}
