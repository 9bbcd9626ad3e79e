// What is shown when data could not be fetched: that it may be tried again.
import { RefreshCw } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { focusMain } from '../ui/focus-main.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../words/say.ts';

type LoadErrorProps = {
  /** A sentence: 'We could not load your benefits.' */
  words: string;
  /** True while it is tried again. */
  busy?: boolean;
  onRetry: () => void;
};

export function LoadError({ words, busy, onRetry }: LoadErrorProps) {
  const button = useRef<HTMLButtonElement>(null);
  // What was waited for takes its place, and the focus of whoever pressed the button.
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
