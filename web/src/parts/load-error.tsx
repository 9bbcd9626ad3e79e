// What is shown when data could not be fetched: that it may be tried again.
import { RefreshCw } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

type LoadErrorProps = {
  /** What did not load, in a sentence: 'your benefits'. */
  what: string;
  onRetry: () => void;
};

export function LoadError({ what, onRetry }: LoadErrorProps) {
  return (
    <div role="alert" className="mt-8 grid max-w-[48ch] justify-items-start gap-4">
      <p className="text-ink-2">We could not load {what}. Please check your connection and try again.</p>
      <Button onClick={onRetry}>
        <Icon of={RefreshCw} size={16} />
        Try again
      </Button>
    </div>
  );
}
