// Error message for data that could not be fetched, with a button to try again.
import { RefreshCw } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { focusMain } from '../ui/focus-main.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../words/say.ts';

type LoadErrorProps = {
  /** A sentence, for example 'We could not load your benefits.' */
  words: string;
  /** True during a retry. */
  busy?: boolean;
  onRetry: () => void;
};

export function LoadError({ words, busy, onRetry }: LoadErrorProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The loaded content replaces the button. If the button had the focus, the focus moves to the main content.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      if (element && element === document.activeElement) focusMain();
    };
  }, []);
  return (
    <div role="alert" className="mt-8 grid max-w-[48ch] justify-items-start gap-4">
      <p className="text-ink-2">
        {words} {say('Please check your connection and try again.')}
      </p>
      <Button ref={button} busy={busy} onClick={onRetry}>
        {!busy && <Icon of={RefreshCw} size={16} />}
        {say('Try again')}
      </Button>
    </div>
  );
}
