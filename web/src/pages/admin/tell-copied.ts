// Toast that says whether a code was copied.
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';

/** Shows a toast. `isCopied` is false if the clipboard could not be written. */
export function tellCopied(isCopied: boolean): void {
  showToast(
    isCopied ? { title: say('Code copied!') } : { title: say('Failed to copy'), variant: 'destructive' },
  );
}
